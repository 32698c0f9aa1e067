//! Links of all documents lead to existing files and headings.

use crate::support::here;
use std::{collections::HashMap, fs, path::Path, process::Command};

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let listed = Command::new("git")
        .args(["-C", &here(""), "ls-files", "*.md"])
        .output();
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else {
        return;
    };
    let listed = String::from_utf8(listed.stdout).unwrap();
    let documents: HashMap<&str, String> = listed
        .lines()
        .filter_map(|path| Some((path, without_code(&fs::read_to_string(here(path)).ok()?))))
        .collect();
    let mut broken = Vec::new();
    for (path, text) in &documents {
        let targets = text.split("](").skip(1);
        let targets = targets.filter_map(|rest| rest.split([')', ' ']).next());
        for target in targets.filter(|target| !target.contains(':')) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let linked = match file {
                "" => (*path).to_owned(),
                file => resolve(Path::new(path).parent().unwrap(), file),
            };
            let has_anchor = |text: &String| has_heading(text, anchor);
            let is_found =
                anchor.is_empty() || documents.get(linked.as_str()).is_some_and(has_anchor);
            if !Path::new(&here(&linked)).exists() || !is_found {
                broken.push(format!("{path}: {target}"));
            }
        }
    }
    broken.sort();
    assert!(broken.is_empty(), "{broken:#?}");
}

fn without_code(text: &str) -> String {
    text.split("\n```").step_by(2).collect()
}

fn resolve(folder: &Path, file: &str) -> String {
    let path = folder.join(file);
    let mut parts = Vec::new();
    for part in path.to_str().unwrap().split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let words = words.replace(' ', "-");
        words.replace(|c: char| !c.is_alphanumeric() && !"-_".contains(c), "")
    });
    anchors.into_iter().any(|heading| heading == anchor)
}
