//! Reading files, and writing them so that they appear complete or not at all.
//!
//! Invariant: [`write_atomically`] writes to a temporary file in the same directory, syncs it,
//! renames it over the target and syncs the directory; whoever looks sees the old content or the
//! new, never half of it. A temporary file is locked by whoever writes it for as long as it has
//! that name, so that one without a lock is what a killed program left.

use crate::core::{
    interruption::{self, Unfinished},
    memory,
    task_slice::TaskSlice,
    text,
};
use std::{
    fmt::{self, Display, Formatter},
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

const TEMPORARY_PREFIX: &str = ".alea-";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// A file that could not be read or written, and why.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file to be read does not exist.
    #[error("{}: no such file or directory", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The file is to be written into a directory that does not exist.
    #[error("cannot write {}: there is no directory {}; create it first", path.display(), directory.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// Reading failed.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is larger than files of its kind are read.
    #[error("{}: it has {}, and {kind}", path.display(), text::format_bytes(*size))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes, as far as it is known.
        size: u64,
        /// What it was read as.
        kind: FileKind,
    },
    /// Another program has locked a directory.
    #[error("{}: another command is writing there; wait until it ends, or choose another directory", .0.display())]
    Busy(PathBuf),
    /// Writing failed; nothing appeared under the file's name.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system, or the caller's `write`, said.
        cause: io::Error,
    },
}

impl FileError {
    pub(crate) fn reading(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        match cause.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            _ => Self::Read { path, cause },
        }
    }

    pub(crate) fn writing(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        Self::Write { path, cause }
    }
}

/// Kind of a file that is read into memory as one piece, which decides how large it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Text that people write, or that says of a piece of work how it stands: settings, maps, results.
    Text,
    /// Games or positions in one text, of which there may be many.
    Archive,
    /// Data that this program writes: shards, models, checkpoints, states.
    Data,
}

impl FileKind {
    /// Largest size in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> u64 {
        match self {
            Self::Text => 16_000_000,
            Self::Archive => 256_000_000,
            Self::Data => 32_000_000_000,
        }
    }
}

impl Display for FileKind {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let max_size = text::format_bytes(self.max_bytes());
        match self {
            Self::Text => write!(formatter, "a file of this kind has at most {max_size}"),
            Self::Archive => write!(
                formatter,
                "a file of games or positions has at most {max_size}; split it"
            ),
            Self::Data => write!(formatter, "a file of data has at most {max_size}"),
        }
    }
}

/// Largest part, in bytes, that is read of what is no regular file: a pipe may bring settings, a device
/// never ends.
const MAX_STREAM: u64 = 64 << 20;

/// The content of a file.
///
/// # Errors
/// [`FileError::NotFound`], [`FileError::TooLarge`], or [`FileError::Read`] with the cause.
pub fn read(path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    read_open(&open(path)?, path, kind)
}

/// The content of a file that is open, from where it stands; `path` names it in errors.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: &File, path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    let failed = |cause| FileError::reading(path, cause);
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return read_stream(file, path, kind);
    }
    let too_large = |size| FileError::TooLarge {
        path: path.to_owned(),
        size,
        kind,
    };
    // Some systems have files that say that they are empty, and others grow meanwhile.
    if metadata.len() > kind.max_bytes() {
        return Err(too_large(metadata.len()));
    }
    let bytes = read_up_to(file, metadata.len(), kind.max_bytes()).map_err(failed)?;
    bytes.ok_or_else(|| too_large(kind.max_bytes() + 1))
}

/// All that a stream brings, such as standard input; `path` names it in errors.
///
/// # Errors
/// [`FileError::Read`], also if it goes on beyond what a file of this kind may have, or 64 MiB.
pub fn read_stream(stream: impl Read, path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    let failed = |cause| FileError::reading(path, cause);
    let max_bytes = kind.max_bytes().min(MAX_STREAM);
    let bytes = read_up_to(stream, 0, max_bytes).map_err(failed)?;
    bytes.ok_or_else(|| {
        let max_size = text::format_bytes(max_bytes);
        let problem = format!("this is no regular file, and has no end within {max_size}");
        failed(io::Error::other(problem))
    })
}

/// All that follows, `expected` bytes if nothing changes; `None` if there is more than `max_bytes`.
fn read_up_to(stream: impl Read, expected: u64, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = memory::with_capacity(usize::try_from(expected).unwrap_or(usize::MAX))
        .ok_or(io::ErrorKind::OutOfMemory)?;
    stream.take(max_bytes + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max_bytes).then_some(bytes))
}

/// The whole content of a file of text, as [`text::from_utf8`] reads it.
///
/// # Errors
/// As [`read`], also if it is no text in UTF-8.
pub fn read_text(path: &Path, kind: FileKind) -> Result<String, FileError> {
    text::from_utf8(&read(path, kind)?).map_err(|problem| {
        let cause = io::Error::new(io::ErrorKind::InvalidData, problem);
        FileError::reading(path, cause)
    })
}

/// A file to be read part by part.
pub fn open(path: &Path) -> Result<File, FileError> {
    File::open(path).map_err(|cause| FileError::reading(path, cause))
}

/// The checksum (xxh3) of a file's content, to tell contents apart.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// The files of a directory, in no particular order.
///
/// # Errors
/// [`FileError::NotFound`], or [`FileError::Read`] with the cause.
pub fn list(directory: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |cause| FileError::reading(directory, cause);
    fs::read_dir(directory)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect()
}

fn make_directory(directory: &Path) -> Result<(), FileError> {
    fs::create_dir_all(directory).map_err(|cause| FileError::writing(directory, cause))
}

/// Makes a directory and those above it, and removes what killed programs left there under names of
/// files and directories that are not whole; those of programs that are writing stay.
///
/// # Errors
/// [`FileError::Write`] with the cause.
pub fn create_directory(directory: &Path) -> Result<(), FileError> {
    make_directory(directory)?;
    for path in list(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(TEMPORARY_PREFIX)
            && name.ends_with(TEMPORARY_SUFFIX)
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            // Whoever else removes it first is welcome to. Locked until it is gone: see `temporary`.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
    Ok(())
}

/// As [`create_directory`], for one command alone as long as the returned file lives.
pub fn claim_directory(directory: &Path) -> Result<Option<File>, FileError> {
    enter_directory(directory, TaskSlice::All)
}

/// As [`claim_directory`], unless this is one task of many: those share it, have files of their own
/// there, and leave alone what a killed one left, for without locks nobody knows who still writes.
pub fn enter_directory(directory: &Path, share: TaskSlice) -> Result<Option<File>, FileError> {
    if share.is_task() {
        make_directory(directory)?;
    } else {
        create_directory(directory)?;
    }
    let lock = lock_directory(directory, share)?;
    interruption::keeps(directory);
    Ok(lock)
}

/// Keeps other programs out of a directory for as long as the returned file lives, or of a task all
/// but other tasks. Outside Unix, and on some file systems, there is none, and nothing keeps them out.
///
/// # Errors
/// [`FileError::Busy`] if another program is there.
pub fn lock_directory(directory: &Path, share: TaskSlice) -> Result<Option<File>, FileError> {
    let Some(file) = cfg!(unix).then(|| File::open(directory).ok()).flatten() else {
        return Ok(None);
    };
    let taken = match share {
        TaskSlice::Task { .. } => file.try_lock_shared(),
        _ => file.try_lock(),
    };
    match taken {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(FileError::Busy(directory.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// How many bytes may still be written into a directory; `None` where the system does not say.
#[must_use]
pub fn free_space(directory: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(directory).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        None
    }
}

/// Writes a file through `write`, which is given a buffered writer. If anything fails, what stood
/// there before stays, and no temporary file does. Links are followed; what is no regular file (a
/// pipe, a device) is written to as it is.
///
/// # Errors
/// [`FileError::NoDirectory`] if there is no directory to write into, else [`FileError::Write`]
/// with the cause.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut write = Some(write);
    // By pointer, so that all this is compiled once and not for everything that is written.
    write_with(path, &mut |writer| {
        write.take().map_or(Ok(()), |write| write(writer))
    })
}

/// Asked once.
type WriteOnce<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

fn write_with(path: &Path, write: WriteOnce<'_>) -> Result<(), FileError> {
    let failed = |cause| FileError::writing(path, cause);
    if is_stream(path) {
        let opened = File::options().write(true).open(path);
        let mut writer = BufWriter::new(opened.map_err(failed)?);
        return write(&mut writer)
            .and_then(|()| writer.flush())
            .map_err(failed);
    }
    let target = followed(path);
    let directory = parent(&target);
    if !directory.is_dir() {
        return Err(FileError::NoDirectory {
            path: path.to_owned(),
            directory: directory.to_owned(),
        });
    }
    replace(&target, directory, write).map_err(failed)
}

/// Whether this is written to, not replaced: neither a file nor a directory, or what an open
/// descriptor stands for.
fn is_stream(path: &Path) -> bool {
    let descriptors = ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"];
    fs::metadata(path).is_ok_and(|found| {
        let is_usual = found.is_file() || found.is_dir();
        !is_usual || descriptors.iter().any(|begin| path.starts_with(begin))
    })
}

/// Where a link points to in the end, whether anything is there or not.
fn followed(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(next) => target = parent(&target).join(next),
            Err(_) => break,
        }
    }
    target
}

fn parent(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Names of what is not whole, which gets what the user's umask leaves of these permissions: by default
/// it would be private.
#[must_use]
pub fn temporary_names(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// A temporary file that is ours until it gets its name or is dropped.
fn temporary(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    loop {
        let file = temporary_names(0o666).tempfile_in(directory)?;
        // Waits for whoever has taken it for abandoned before it was locked; then it is gone. Where
        // files cannot be locked nobody removes any.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

fn replace(path: &Path, directory: &Path, write: WriteOnce<'_>) -> io::Result<()> {
    let (file, unfinished) = Unfinished::begin(|| temporary(directory))?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    unfinished
        .finish(|| file.persist(path))
        .map_err(|error| error.error)?;
    // Only Unix lets a directory be opened and synced; elsewhere the rename itself has to do.
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn what_is_written_is_read_and_replaces_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        write_atomically(&path, |file| file.write_all(b"first, and longer")).unwrap();
        write_atomically(&path, |file| file.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(entries(directory.path()), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        write_atomically(&path, |file| file.write_all(b"old")).unwrap();
        let error = write_atomically(&path, |file| {
            file.write_all(&[0; 100_000])?;
            Err(io::Error::other("the source ran dry"))
        });
        let expected = format!("cannot write {}: the source ran dry", path.display());
        assert_eq!(error.unwrap_err().to_string(), expected);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(entries(directory.path()), 1);
    }

    #[test]
    fn a_directory_in_the_way_is_an_error_and_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(matches!(
            write_atomically(&path, |file| file.write_all(b"x")),
            Err(FileError::Write { .. })
        ));
        assert_eq!(entries(directory.path()), 1);
        assert!(matches!(
            read(&path, FileKind::Data),
            Err(FileError::Read { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn temporary_files_of_the_living_stay_and_those_of_the_killed_go() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        let left = directory.path().join(".alea-killed.tmp");
        fs::write(&left, b"half").unwrap();
        write_atomically(&path, |file| {
            create_directory(directory.path()).unwrap();
            assert!(!left.exists());
            file.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(entries(directory.path()), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_claimed_directory_is_closed_to_others_and_its_files_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let claimed = claim_directory(directory.path()).unwrap();
        let refused = claim_directory(directory.path());
        assert!(matches!(refused, Err(FileError::Busy(_))));
        write_atomically(&directory.path().join("a"), |file| file.write_all(b"x")).unwrap();
        drop(claimed);
        assert!(claim_directory(directory.path()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_even_to_files_that_are_not_there_yet() {
        let directory = tempfile::tempdir().unwrap();
        let [target, link, second] =
            ["target", "link", "second"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink("target", &link).unwrap();
        std::os::unix::fs::symlink(&link, &second).unwrap();
        for content in [b"first", b"again"] {
            write_atomically(&second, |file| file.write_all(content)).unwrap();
            assert!(link.is_symlink() && second.is_symlink() && !target.is_symlink());
            assert_eq!(fs::read(&target).unwrap(), content);
        }
        assert_eq!(entries(directory.path()), 3);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_is_not_read_for_ever() {
        for (kind, max_size) in [
            (FileKind::Text, "16.0 MB"),
            (FileKind::Archive, "67.1 MB"),
            (FileKind::Data, "67.1 MB"),
        ] {
            assert_eq!(read(Path::new("/dev/null"), kind).unwrap(), b"");
            let endless = read(Path::new("/dev/zero"), kind).unwrap_err().to_string();
            assert!(
                endless.ends_with(&format!("no end within {max_size}")),
                "{endless}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_to_and_stay_what_they_are() {
        let written = |path: &str| write_atomically(Path::new(path), |file| file.write_all(b"x"));
        assert!(written("/dev/null").is_ok());
        let full = written("/dev/full").unwrap_err().to_string();
        assert!(
            full.starts_with("cannot write /dev/full: No space left"),
            "{full}"
        );
        for device in ["/dev/null", "/dev/full"] {
            assert!(!fs::metadata(device).unwrap().is_file());
        }
        // What an open descriptor stands for: here a file, which is not replaced.
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("open")).unwrap();
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
        written(&format!("/proc/self/fd/{descriptor}")).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn free_space_is_known_where_the_directory_is() {
        let directory = tempfile::tempdir().unwrap();
        assert!(free_space(directory.path()).is_some());
        assert_eq!(free_space(&directory.path().join("missing")), None);
    }

    #[test]
    fn missing_files_and_directories_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no").join("a.bin");
        let expected = format!("{}: no such file or directory", missing.display());
        assert_eq!(
            read(&missing, FileKind::Data).unwrap_err().to_string(),
            expected
        );
        let error = write_atomically(&missing, |_| Ok(())).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("there is no directory") && !error.contains('\n'),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn written_files_are_as_readable_as_ordinary_ones() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (ordinary, written) = (directory.path().join("o"), directory.path().join("w"));
        fs::write(&ordinary, b"x").unwrap();
        write_atomically(&written, |file| file.write_all(b"x")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&written), mode(&ordinary));
    }
}
