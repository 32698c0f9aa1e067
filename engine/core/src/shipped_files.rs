//! Files inside the program, and a directory where missing relative paths are looked up.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::OnceLock,
};

type ShippedFile = (&'static str, fn() -> &'static [u8]);

static SHIPPED_FILES: OnceLock<Vec<ShippedFile>> = OnceLock::new();
static DATA_DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Sets, once, the files inside the program: relative paths and contents.
pub fn set_shipped_files(files: &[&[ShippedFile]]) {
    _ = SHIPPED_FILES.set(files.concat());
}

/// Sets, once, the directory where missing relative paths are looked up.
pub fn set_data_directory(directory: &Path) {
    _ = DATA_DIRECTORY.set(directory.to_owned());
}

pub(crate) fn or_in_data_directory(path: &Path) -> Cow<'_, Path> {
    let elsewhere = DATA_DIRECTORY.get().map(|directory| directory.join(path));
    let elsewhere = elsewhere.filter(|found| !path.exists() && found.exists());
    elsewhere.map_or(Cow::Borrowed(path), Cow::Owned)
}

fn shipped_files() -> impl Iterator<Item = (&'static Path, fn() -> &'static [u8])> {
    let files = SHIPPED_FILES.get().into_iter().flatten();
    files.map(|&(path, content)| (Path::new(path), content))
}

pub(crate) fn content(path: &Path) -> Option<&'static [u8]> {
    let path = path.strip_prefix(".").unwrap_or(path);
    let file = shipped_files().find(|(shipped, _)| *shipped == path);
    file.map(|(_, content)| content())
}

pub(crate) fn paths_in(directory: &Path) -> Vec<PathBuf> {
    let directory = directory.strip_prefix(".").unwrap_or(directory);
    let paths = shipped_files().map(|(path, _)| path);
    let inside = paths.filter(|path| path.parent() == Some(directory));
    inside.map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{self, FileKind};

    #[test]
    fn a_relative_path_is_looked_up_in_the_data_directory_and_among_the_shipped_files() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("models")).unwrap();
        std::fs::write(directory.path().join("models/b"), "of the directory").unwrap();
        set_data_directory(directory.path());
        let models: [ShippedFile; 2] = [("models/a", || b"shipped"), ("models/b", || b"hidden")];
        set_shipped_files(&[&models, &[("data/a", || b""), ("data/b", || b"")]]);
        let read = |path: &str| files::read(Path::new(path), FileKind::Text);
        assert_eq!(read("models/a").unwrap(), b"shipped");
        assert_eq!(read("./models/a").unwrap(), b"shipped");
        assert_eq!(read("models/b").unwrap(), b"of the directory");
        assert!(read("models/c").is_err());
        let listed = |directory: &str| files::list(Path::new(directory)).map(|paths| paths.len());
        assert_eq!(listed("models").unwrap(), 1);
        assert_eq!(listed("./data").unwrap(), 2);
        assert!(listed("docs").is_err());
    }
}
