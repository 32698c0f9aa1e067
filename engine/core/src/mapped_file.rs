//! Memory-mapped files, and their names by address for `SIGBUS` handlers.

#![allow(unsafe_code, reason = "a file is lent as bytes")]

use crate::text::printable;
use memmap2::Mmap;
use std::{
    fs::File,
    io,
    ops::Deref,
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

/// A file mapped for reading.
#[derive(Debug)]
pub struct MappedFile {
    bytes: Mmap,
    entry: &'static Entry,
}

#[derive(Debug)]
struct Entry {
    name: String,
    start: AtomicUsize,
    end: AtomicUsize,
    next: RangeList,
}

type RangeList = OnceLock<Box<Entry>>;

static MAPPED_RANGES: RangeList = OnceLock::new();

impl MappedFile {
    /// Maps an open file; [`mapped_file_at`] names it by `path`.
    pub fn new(file: &File, path: &Path) -> io::Result<Self> {
        // SAFETY: the mapping is only read, and mapped files are replaced by renaming, never
        // changed in place; overwriting one by hand breaks this, as with every mapping.
        let bytes = unsafe { Mmap::map(file) }?;
        let name = path.display().to_string();
        let entry = Entry::claim(&printable(&name), bytes.as_ptr().addr());
        entry
            .end
            .store(entry.start.load(SeqCst) + bytes.len(), SeqCst);
        Ok(Self { bytes, entry })
    }

    /// Starts to read bytes from disk, without waiting.
    #[cfg(unix)]
    pub fn will_need(&self, offset: usize, length: usize) {
        let _ = (self.bytes).advise_range(memmap2::Advice::WillNeed, offset, length);
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        self.entry.end.store(0, SeqCst);
        self.entry.start.store(0, SeqCst);
    }
}

impl Entry {
    fn claim(name: &str, start: usize) -> &'static Self {
        let mut list = &MAPPED_RANGES;
        loop {
            let entry = list.get_or_init(|| {
                Box::new(Self {
                    name: name.to_owned(),
                    start: AtomicUsize::new(0),
                    end: AtomicUsize::new(0),
                    next: OnceLock::new(),
                })
            });
            let claimed = || (entry.start).compare_exchange(0, start, SeqCst, SeqCst);
            if entry.name == name && claimed().is_ok() {
                return entry;
            }
            list = &entry.next;
        }
    }
}

/// Printable path of the file mapped at `address`; neither allocates nor blocks.
pub fn mapped_file_at(address: usize) -> Option<&'static str> {
    let mut list = &MAPPED_RANGES;
    while let Some(entry) = list.get() {
        if (entry.start.load(SeqCst)..entry.end.load(SeqCst)).contains(&address) {
            return Some(&entry.name);
        }
        list = &entry.next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "maps files")]
    fn a_mapped_file_is_found_by_its_addresses() {
        let directory = tempfile::tempdir().unwrap();
        let map = |name: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, name).unwrap();
            MappedFile::new(&File::open(&path).unwrap(), &path).unwrap()
        };
        let found = |mapping: &MappedFile, offset: usize| {
            mapped_file_at(mapping.as_ptr().addr() + offset)
                .map(|name| name.rsplit('/').next().unwrap())
        };
        let (one, other, again) = (map("one"), map("other\n"), map("one"));
        assert_eq!(&*one, b"one");
        for mapping in [&one, &again] {
            assert_eq!([0, 2].map(|byte| found(mapping, byte)), [Some("one"); 2]);
            assert_eq!(found(mapping, 3), None);
        }
        assert_eq!(found(&other, 5), Some("other\u{fffd}"));
        let address = one.as_ptr().addr();
        drop(one);
        assert_eq!(mapped_file_at(address), None);
        let count = || std::iter::successors(MAPPED_RANGES.get(), |entry| entry.next.get()).count();
        let before = count();
        (0..10).for_each(|_| drop(map("one")));
        assert_eq!(count(), before);
    }
}
