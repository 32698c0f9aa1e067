//! Markdown output of documents.

use super::{Block, Page, Section};
use crate::text_table::{Cell, TextTable};
use alea_core::text::printable_lines;

impl Page {
    /// The document as CommonMark with pipe tables, and its pictures as pairs of file name
    /// (`STEM-N.svg`) and SVG; the last line of the text names `program`.
    #[must_use]
    pub fn markdown(&self, stem: &str, program: &str) -> (String, Vec<(String, String)>) {
        let mut pictures = Vec::new();
        let mut text = format!("# {}\n", escape_markdown(&self.title));
        for sentence in &self.summary {
            let words = sentence.iter().map(|(words, strong)| match strong {
                true => format!("**{}**", escape_markdown(words)),
                false => escape_markdown(words),
            });
            text += &format!("\n{}\n", words.collect::<String>());
        }
        for Section { heading, blocks } in &self.sections {
            text += &format!("\n## {}\n", escape_markdown(heading));
            for one in blocks {
                block(&mut text, &mut pictures, one, stem);
            }
        }
        text += &format!("\n{}\n", escape_markdown(program));
        (text, pictures)
    }
}

fn block(text: &mut String, pictures: &mut Vec<(String, String)>, block: &Block, stem: &str) {
    match block {
        Block::Text(words) | Block::Note(words) => {
            *text += &format!("\n{}\n", escape_markdown(words))
        }
        Block::Table(text_table) => *text += &format!("\n{}", table(text_table)),
        Block::Picture { svg, alt, .. } => {
            let name = format!("{stem}-{}.svg", pictures.len() + 1);
            *text += &format!("\n![{}]({name})\n", escape_markdown(alt));
            pictures.push((name, svg.clone()));
        }
        Block::Columns(blocks) => blocks
            .iter()
            .for_each(|block| self::block(text, pictures, block, stem)),
        Block::List(items) => {
            text.push('\n');
            items
                .iter()
                .for_each(|item| *text += &format!("- {}\n", escape_markdown(item)));
        }
        Block::Code(lines) => {
            let longest = lines
                .split(|character| character != '`')
                .map(str::len)
                .max()
                .unwrap_or(0);
            let fence = "`".repeat(3.max(longest + 1));
            *text += &format!("\n{fence}\n{}\n{fence}\n", lines.trim_end());
        }
    }
}

fn table(text_table: &TextTable) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(
        text_table
            .columns
            .iter()
            .map(|name| escape_markdown(name.trim()))
            .collect(),
    );
    text += &line(
        text_table
            .numeric_columns()
            .into_iter()
            .map(|number| if number { "--:" } else { "---" }.to_owned())
            .collect(),
    );
    for row in &text_table.rows {
        text += &line(
            row.iter()
                .map(|cell| escape_markdown(&Cell::text_of(cell)))
                .collect(),
        );
    }
    text
}

fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable_lines(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' => escaped.extend(['\\', character]),
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}
