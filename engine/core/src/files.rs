//! Reads files, and replaces them atomically by renaming locked temporary files.

use crate::{
    fallible_allocation,
    job_array::TaskSlice,
    shipped_files,
    shutdown_cleanup::{self, TemporaryFile},
    text,
};
use std::{
    collections::BTreeSet,
    fmt::{self, Display, Formatter},
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

const TEMPORARY_PREFIX: &str = ".alea-";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file or directory does not exist.
    #[error("{}: no such file or directory", .0.display())]
    NotFound(PathBuf),
    /// The second path, a directory to write to, does not exist.
    #[error("cannot write {}: there is no directory {}; create it first", .0.display(), .1.display())]
    NoDirectory(PathBuf, PathBuf),
    /// Reading failed.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, io::Error),
    /// The file has at least this many bytes, too many for its kind.
    #[error("{}: it has {}, and {}", .0.display(), text::format_bytes(*.1), .2)]
    TooLarge(PathBuf, u64, FileKind),
    /// Another process has locked the directory.
    #[error("{}: another command is writing there; wait until it ends, or choose another directory", .0.display())]
    Busy(PathBuf),
    /// Writing the file or creating the directory failed.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, io::Error),
}

impl FileError {
    /// [`FileError::NotFound`] or [`FileError::Read`], by the kind of `cause`.
    pub fn from_read(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        match cause.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path),
            _ => Self::Read(path, cause),
        }
    }

    /// Creates a [`FileError::Write`] of `path`.
    pub fn from_write(path: &Path, cause: io::Error) -> Self {
        Self::Write(path.to_owned(), cause)
    }
}

/// Kind of a file, which limits its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Settings, maps, results.
    Text,
    /// Many games or positions as text.
    Archive,
    /// Shards, models, checkpoints, journals.
    Data,
}

impl FileKind {
    /// Maximal size in bytes.
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

const MAX_STREAM_BYTES: u64 = 64 << 20;

/// Reads a file, or a [shipped one](shipped_files) if missing.
///
/// # Errors
/// [`FileError::NotFound`], [`FileError::TooLarge`] or [`FileError::Read`].
pub fn read(path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    let file = open(path);
    if let Some(shipped) = shipped_files::content(path).filter(|_| file.is_err()) {
        return Ok(shipped.to_vec());
    }
    read_opened(&file?, path, kind)
}

/// Reads an open file from its current position; `path` is for errors.
pub fn read_opened(file: &File, path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    let failed = |cause| FileError::from_read(path, cause);
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return read_stream(file, path, kind);
    }
    let too_large = |size| FileError::TooLarge(path.to_owned(), size, kind);
    // Checked again below: some files report size 0, and others grow.
    if metadata.len() > kind.max_bytes() {
        return Err(too_large(metadata.len()));
    }
    let bytes = read_up_to(file, metadata.len(), kind.max_bytes()).map_err(failed)?;
    bytes.ok_or_else(|| too_large(kind.max_bytes() + 1))
}

/// Reads all of a stream; `path` is for errors.
///
/// # Errors
/// [`FileError::Read`], also above 64 MiB or the maximal size of `kind`.
pub fn read_stream(stream: impl Read, path: &Path, kind: FileKind) -> Result<Vec<u8>, FileError> {
    let failed = |cause| FileError::from_read(path, cause);
    let max_bytes = kind.max_bytes().min(MAX_STREAM_BYTES);
    let bytes = read_up_to(stream, 0, max_bytes).map_err(failed)?;
    bytes.ok_or_else(|| {
        let max_size = text::format_bytes(max_bytes);
        let problem = format!("this is no regular file, and has no end within {max_size}");
        failed(io::Error::other(problem))
    })
}

fn read_up_to(stream: impl Read, expected: u64, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes =
        fallible_allocation::with_capacity(usize::try_from(expected).unwrap_or(usize::MAX))
            .ok_or(io::ErrorKind::OutOfMemory)?;
    stream.take(max_bytes + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max_bytes).then_some(bytes))
}

/// Reads UTF-8 text; CR LF becomes LF.
///
/// # Errors
/// As [`read`], and for other encodings.
pub fn read_text(path: &Path, kind: FileKind) -> Result<String, FileError> {
    text::from_utf8(&read(path, kind)?).map_err(|problem| {
        let cause = io::Error::new(io::ErrorKind::InvalidData, problem);
        FileError::from_read(path, cause)
    })
}

/// Opens a file, or one in the [data directory](shipped_files::set_data_directory) if missing.
pub fn open(path: &Path) -> Result<File, FileError> {
    File::open(shipped_files::or_in_data_directory(path))
        .map_err(|cause| FileError::from_read(path, cause))
}

/// Whether `path` is a regular file: on disk, in the data directory or shipped.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    shipped_files::or_in_data_directory(path).is_file() || shipped_files::content(path).is_some()
}

/// Checksum (xxh3).
pub fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// Paths of a directory's entries, unordered; of [shipped files](shipped_files) if it is missing.
pub fn list(directory: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |cause| FileError::from_read(directory, cause);
    let shipped = shipped_files::paths_in(directory);
    let located = shipped_files::or_in_data_directory(directory);
    if !located.is_dir() && !shipped.is_empty() {
        return Ok(shipped);
    }
    fs::read_dir(located)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect()
}

fn make_directory(directory: &Path) -> Result<(), FileError> {
    fs::create_dir_all(directory).map_err(|cause| FileError::from_write(directory, cause))
}

/// Creates a directory with its parents, and removes temporary files left by killed programs.
pub fn prepare_directory(directory: &Path) -> Result<(), FileError> {
    make_directory(directory)?;
    remove_abandoned_files(directory)
}

fn remove_abandoned_files(directory: &Path) -> Result<(), FileError> {
    for path in list(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(TEMPORARY_PREFIX)
            && name.ends_with(TEMPORARY_SUFFIX)
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
    Ok(())
}

/// [Prepares](prepare_directory) and [locks](lock_directory) a directory, while the returned file
/// lives.
pub fn claim_directory(directory: &Path) -> Result<Option<File>, FileError> {
    claim_directory_for_slice(directory, TaskSlice::All)
}

/// As [`claim_directory`], but tasks of a job array share the lock and remove no files.
pub fn claim_directory_for_slice(
    directory: &Path,
    slice: TaskSlice,
) -> Result<Option<File>, FileError> {
    if slice.is_task() {
        keep_abandoned_files();
        make_directory(directory)?;
    } else {
        prepare_directory(directory)?;
    }
    let lock = lock_directory(directory, slice)?;
    shutdown_cleanup::register_output(directory);
    Ok(lock)
}

/// Whether [`write_atomically`] removes temporary files left by killed programs.
static REMOVES_ABANDONED_FILES: AtomicBool = AtomicBool::new(true);

/// From now on this process, a task of a job array, removes no files of others: tasks on other
/// machines may not see its locks.
pub(crate) fn keep_abandoned_files() {
    REMOVES_ABANDONED_FILES.store(false, Relaxed);
}

/// [Removes](remove_abandoned_files) temporary files before the first write into a directory.
fn remove_abandoned_files_once(directory: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if REMOVES_ABANDONED_FILES.load(Relaxed) && done.insert(directory.to_owned()) {
        let _ = remove_abandoned_files(directory);
    }
}

/// Locks a directory while the returned file lives; tasks of a job array share the lock. `None` if
/// locks are not supported.
///
/// # Errors
/// [`FileError::Busy`] if another process has locked it.
pub fn lock_directory(directory: &Path, slice: TaskSlice) -> Result<Option<File>, FileError> {
    #[cfg(unix)]
    let file = File::open(directory);
    #[cfg(not(unix))]
    let file = File::create(directory.join(".alea-lock"));
    let Ok(file) = file else {
        return Ok(None);
    };
    let lock_result = match slice {
        TaskSlice::Task { .. } => file.try_lock_shared(),
        _ => file.try_lock(),
    };
    match lock_result {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(FileError::Busy(directory.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Locks a file; `false` if another process has. Retries for 0.1 s: a forked child holds the lock
/// until it starts its program.
pub(crate) fn lock_file(file: &File) -> bool {
    (0..20).any(|attempt| {
        if attempt > 0 {
            thread::sleep(Duration::from_millis(5));
        }
        !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    })
}

/// Free bytes in the directory's file system; `None` if unknown.
pub fn free_space(directory: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(directory).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
    #[cfg(windows)]
    {
        fs4::available_space(directory).ok()
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = directory;
        None
    }
}

/// Replaces or creates a file; on failure the old content stays. Links are followed; pipes and
/// devices are written to directly.
///
/// # Errors
/// [`FileError::NoDirectory`] or [`FileError::Write`].
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut write = Some(write);
    write_atomically_dyn(path, &mut |writer| {
        write.take().map_or(Ok(()), |write| write(writer))
    })
}

type WriteCallback<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

fn write_atomically_dyn(path: &Path, write: WriteCallback<'_>) -> Result<(), FileError> {
    let failed = |cause| FileError::from_write(path, cause);
    if is_stream(path) {
        let opened = File::options().write(true).open(path);
        let mut writer = BufWriter::new(opened.map_err(failed)?);
        return write(&mut writer)
            .and_then(|()| writer.flush())
            .map_err(failed);
    }
    let target = resolve_links(path);
    let directory = parent(&target);
    if !directory.is_dir() {
        return Err(FileError::NoDirectory(
            path.to_owned(),
            directory.to_owned(),
        ));
    }
    remove_abandoned_files_once(directory);
    replace_file(&target, directory, write).map_err(failed)
}

/// Whether `path` is a pipe, device or open descriptor.
pub fn is_stream(path: &Path) -> bool {
    let descriptors = ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"];
    fs::metadata(path).is_ok_and(|found| {
        let is_replaceable = found.is_file() || found.is_dir();
        !is_replaceable || descriptors.iter().any(|begin| path.starts_with(begin))
    })
}

fn resolve_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
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

/// Builder of temporary files with permissions `mode`, less the umask.
pub fn temporary_builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

fn create_temporary(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    loop {
        let file = temporary_builder(0o666).tempfile_in(directory)?;
        // Else a `prepare_directory` locked the file first and removed it.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

fn replace_file(path: &Path, directory: &Path, write: WriteCallback<'_>) -> io::Result<()> {
    let (file, temporary_file) = TemporaryFile::create(|| create_temporary(directory))?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    temporary_file
        .commit(|| file.persist(path))
        .map_err(|error| error.error)?;
    sync_directory(directory)
}

/// Makes renames in a directory durable, where the file system can.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(directory)?.sync_all() {
        // Some network file systems and FUSE refuse to sync directories.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) => {}
        synced => synced?,
    }
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num_entries(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn what_is_written_is_read_and_replaces_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        write_atomically(&path, |file| file.write_all(b"first, and longer")).unwrap();
        write_atomically(&path, |file| file.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(num_entries(directory.path()), 1);
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
        assert_eq!(num_entries(directory.path()), 1);
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
        assert_eq!(num_entries(directory.path()), 1);
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
        write_atomically(&path, |file| {
            fs::write(&left, b"half").unwrap();
            prepare_directory(directory.path()).unwrap();
            assert!(!left.exists());
            file.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(num_entries(directory.path()), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_first_write_into_a_directory_removes_temporary_files_of_the_killed() {
        let directory = tempfile::tempdir().unwrap();
        let living = temporary_builder(0o666)
            .tempfile_in(directory.path())
            .unwrap();
        living.as_file().lock().unwrap();
        fs::write(directory.path().join(".alea-killed.tmp"), b"half").unwrap();
        fs::create_dir(directory.path().join(".alea-set.tmp")).unwrap();
        fs::write(directory.path().join("other.tmp"), b"of another program").unwrap();
        write_atomically(&directory.path().join("a.bin"), |file| file.write_all(b"x")).unwrap();
        let mut names: Vec<_> = list(directory.path()).unwrap();
        names.retain(|path| path != living.path());
        names.sort_unstable();
        let expected = ["a.bin", "other.tmp"].map(|name| directory.path().join(name));
        assert_eq!(names, expected);
        assert!(living.path().exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn directories_that_cannot_be_synced_are_no_error() {
        // `/proc` refuses with EINVAL, as some network file systems do.
        let refused = File::open("/proc").unwrap().sync_all().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        sync_directory(Path::new("/proc")).unwrap();
        assert!(sync_directory(Path::new("/proc/missing")).is_err());
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
        assert_eq!(num_entries(directory.path()), 3);
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
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("open")).unwrap();
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
        written(&format!("/proc/self/fd/{descriptor}")).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn free_space_needs_an_existing_directory() {
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
