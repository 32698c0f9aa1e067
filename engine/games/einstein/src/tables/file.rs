//! Memory-mapped table files, one per class and variant, validated completely before use.
//!
//! Format: `docs/reference/formats.md`.

use super::{Run, TablesError, cell_storage::Cells, index::Class};
use crate::Variant;
use alea_core::{
    files::{self, FileError, checksum, write_atomically},
    mapped_file::MappedFile,
};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

const MAGIC: [u8; 8] = *b"ALEAENDS";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
/// Bytes of cells per checksum; the last chunk may be shorter.
const CHUNK_BYTES: usize = 16 << 20;

pub(super) fn table_path(directory: &Path, variant: Variant, class: Class) -> PathBuf {
    directory.join(format!("{}-{class}.ends", variant.name()))
}

pub(super) fn file_size(cells: u64) -> u64 {
    HEADER_BYTES as u64 + 2 * cells + 8 * (2 * cells).div_ceil(CHUNK_BYTES as u64) + 8
}

fn header(variant: Variant, class: Class, cells: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12] = u8::from(variant == Variant::NearestOnly);
    header[13] = class.mover as u8;
    header[14] = class.other as u8;
    header[16..24].copy_from_slice(&cells.to_le_bytes());
    header[24..32].copy_from_slice(&(CHUNK_BYTES as u64).to_le_bytes());
    header
}

pub(super) struct CellWriter<'a> {
    file: &'a mut dyn Write,
    chunk: Vec<u8>,
    sums: Vec<u8>,
}

impl CellWriter<'_> {
    pub(super) fn write(&mut self, cells: &[u16]) -> io::Result<()> {
        let mut rest = cells;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min((CHUNK_BYTES - self.chunk.len()) / 2));
            self.chunk
                .extend(now.iter().flat_map(|cell| cell.to_le_bytes()));
            rest = later;
            if self.chunk.len() == CHUNK_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.sums
                .extend_from_slice(&checksum(&self.chunk).to_le_bytes());
            self.file.write_all(&self.chunk)?;
            self.chunk.clear();
        }
        Ok(())
    }
}

pub(super) fn write(
    path: &Path,
    variant: Variant,
    class: Class,
    cells: u64,
    write: impl FnOnce(&mut CellWriter<'_>) -> io::Result<()>,
) -> Result<(), TablesError> {
    write_atomically(path, |file| {
        let header = header(variant, class, cells);
        file.write_all(&header)?;
        let mut writer = CellWriter {
            file,
            chunk: Vec::with_capacity(CHUNK_BYTES),
            sums: Vec::new(),
        };
        write(&mut writer)?;
        writer.flush()?;
        let CellWriter { file, sums, .. } = writer;
        file.write_all(&sums)?;
        file.write_all(&checksum(&[&header[..], &sums].concat()).to_le_bytes())
    })
    .map_err(TablesError::from)
}

pub(super) fn open(
    path: &Path,
    variant: Variant,
    class: Class,
    cells: u64,
    run: Run<'_>,
) -> Result<Cells, TablesError> {
    let failed = |cause| FileError::from_read(path, cause);
    let damaged = |problem: &str| TablesError::file_error(path, problem);
    let mut file = files::open(path)?;
    let length = file.metadata().map_err(failed)?.len();
    if length < HEADER_BYTES as u64 {
        return Err(damaged("it is too short to be an endgame table"));
    }
    let mut found = [0; HEADER_BYTES];
    file.read_exact(&mut found).map_err(failed)?;
    if found[..8] != MAGIC {
        return Err(damaged("it is no endgame table"));
    }
    if found[8..12] != VERSION.to_le_bytes() {
        return Err(damaged(&format!(
            "this program reads version {VERSION} of endgame tables; build it again"
        )));
    }
    if found != header(variant, class, cells) {
        return Err(damaged(&format!(
            "it is not the table of {class} stones, variant {}",
            variant.name()
        )));
    }
    if length != file_size(cells) {
        return Err(damaged(&format!(
            "it has {length} bytes instead of {}",
            file_size(cells)
        )));
    }
    let end_of_cells = HEADER_BYTES as u64 + 2 * cells;
    let mut tail = vec![0; (length - end_of_cells) as usize];
    file.seek(SeekFrom::Start(end_of_cells))
        .and_then(|_| file.read_exact(&mut tail))
        .map_err(failed)?;
    let (sums, sum) = tail.split_at(tail.len() - 8);
    if sum != checksum(&[&found[..], sums].concat()).to_le_bytes() {
        return Err(damaged("the checksum of its header is wrong"));
    }
    let wrong = Mutex::new(Vec::new());
    let idle = Mutex::new(Vec::new());
    let chunks = sums.len() / 8;
    run(chunks, &|chunk| {
        let first = HEADER_BYTES as u64 + (chunk * CHUNK_BYTES) as u64;
        let size = (end_of_cells - first).min(CHUNK_BYTES as u64) as usize;
        let buffer = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer: Vec<u8> = buffer.unwrap_or_else(|| vec![0; CHUNK_BYTES]);
        let bytes = &mut buffer[..size];
        let checked = read_at(&file, first, bytes)
            .map(|()| checksum(bytes).to_le_bytes() == sums[8 * chunk..][..8]);
        idle.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
        if !matches!(checked, Ok(true)) {
            wrong
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((chunk, checked.err()));
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    match wrong.into_iter().min_by_key(|(chunk, _)| *chunk) {
        None => {}
        Some((_, Some(cause))) => return Err(failed(cause).into()),
        Some((chunk, None)) => {
            return Err(damaged(&format!(
                "the checksum of its part {} of {chunks} is wrong",
                chunk + 1
            )));
        }
    }
    Cells::from_file(
        MappedFile::new(&file, path).map_err(failed)?,
        HEADER_BYTES,
        cells as usize,
    )
    .ok_or_else(|| damaged("it is too short"))
}

/// Reads without the mapping, so that validation occupies no memory.
fn read_at(file: &File, first: u64, bytes: &mut [u8]) -> io::Result<()> {
    #[cfg(unix)]
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, first)?;
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < bytes.len() {
            match std::os::windows::fs::FileExt::seek_read(
                file,
                &mut bytes[done..],
                first + done as u64,
            )? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
    }
    #[cfg(not(any(unix, windows)))]
    {
        use std::io::{Read as _, Seek as _};
        let mut file = file;
        file.seek(io::SeekFrom::Start(first))?;
        file.read_exact(bytes)?;
    }
    Ok(())
}
