//! Test of work that resumes from a journal after failed appends and cut lines.

use alea_core::journal::INJECTED_FAULT;
use std::{
    collections::BTreeMap,
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// Faults by file: bytes until an append fails, once, and whether truncating then fails, too.
static BYTES_UNTIL_FAULT: Mutex<BTreeMap<PathBuf, (usize, bool)>> = Mutex::new(BTreeMap::new());

fn fault(path: &Path, length: usize) -> Option<(usize, bool)> {
    let mut files = BYTES_UNTIL_FAULT.lock().unwrap();
    let (remaining, _) = files.get_mut(path)?;
    if *remaining >= length {
        *remaining -= length;
        return None;
    }
    files.remove(path)
}

fn fail_after(path: &Path, bytes: usize, is_stuck: bool) {
    INJECTED_FAULT.get_or_init(|| fault);
    let mut files = BYTES_UNTIL_FAULT.lock().unwrap();
    files.insert(path.to_owned(), (bytes, is_stuck));
}

fn for_each_in_threads(numbers: impl IntoIterator<Item = usize>, act: impl Fn(usize) + Sync) {
    let numbers = Vec::from_iter(numbers);
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(number) = numbers.get(next.fetch_add(1, Relaxed)) {
            act(*number);
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(worker))));
}

pub(crate) fn assert_resumes<T: PartialEq + Debug + Sync, E: Debug>(
    journal: &str,
    work: impl Fn(&Path) -> Result<T, E> + Sync,
) {
    let take = |path: &Path| BYTES_UNTIL_FAULT.lock().unwrap().remove(path);
    let folder = || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(journal);
        (folder, path)
    };
    let (whole, path) = folder();
    fail_after(&path, usize::MAX, false);
    let expected = work(whole.path()).unwrap();
    let length = usize::MAX - take(&path).unwrap().0;
    let again = |folder: &Path, offset: usize| {
        let result = work(folder).unwrap();
        assert!(result == expected, "{journal}, {offset}: {result:?}");
    };
    let failed = |offset, is_stuck| {
        let (folder, path) = folder();
        fail_after(&path, offset, is_stuck);
        let failed = work(folder.path());
        assert_eq!(
            failed.is_ok(),
            take(&path).is_some(),
            "{journal}: {failed:?}"
        );
        (folder, path)
    };
    let lines = |path: &Path| -> Vec<Vec<u8>> {
        let text = fs::read(path).unwrap();
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    };
    let late = length - 60;
    let kept = lines(&failed(late, false).1);
    let [first, second] = [0, 1].map(|line| kept[line].len());
    let offsets = (0..first).step_by(40).chain(first..first + second);
    for_each_in_threads(offsets, |offset| {
        again(failed(offset, false).0.path(), offset);
        if offset % 8 == 0 {
            again(failed(offset, true).0.path(), offset);
        }
    });
    for_each_in_threads((0..second).step_by(4), |offset| {
        let (folder, path) = failed(late, false);
        let mut torn = lines(&path);
        torn[1].truncate(offset);
        fs::write(&path, torn.concat()).unwrap();
        again(folder.path(), offset);
    });
}
