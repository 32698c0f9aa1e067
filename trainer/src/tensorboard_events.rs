//! Event files of TensorBoard: the columns of a training curve as scalars.
//!
//! A file is a sequence of TFRecords (length, its masked CRC-32C, content, its masked CRC-32C), each
//! an `Event` in Protocol Buffers: the version of the format, then one for each row. Sources:
//! `tensorboard/summary/writer/record_writer.py` and `tensorboard/compat/proto/event.proto`.
//!
//! Invariant: the bytes depend on the curve alone, and those of a longer curve begin with those of
//! a shorter one. So columns of times are left out, and an event's time is its step in seconds.

use crate::Error;
use alea_core::files::{FileKind, read, write_atomically};
use std::{fs::OpenOptions, io::Write, path::Path};

/// Name of the event file in a run's directory; TensorBoard reads files with `tfevents` in it.
pub(crate) const EVENT_FILE: &str = "events.out.tfevents.0.alea";

const FORMAT_VERSION: &str = "brain.Event:2";

/// Constant added to the rotated checksum, so that records can hold checksums of records.
const MASK_DELTA: u32 = 0xa282_ead8;

/// Wire types of Protocol Buffers.
const VARINT: u8 = 0;
const FIXED_64: u8 = 1;
const LENGTH_DELIMITED: u8 = 2;
const FIXED_32: u8 = 5;

/// Writes the curve of a CSV table as an event file. A file of a shorter curve is continued, so that
/// a running TensorBoard reads on.
pub(crate) fn write_event_file(path: &Path, table: &str) -> Result<(), Error> {
    let events = encode_table(table);
    let found = match path.exists() {
        true => read(path, FileKind::Data)?,
        false => Vec::new(),
    };
    match events.strip_prefix(&found[..]) {
        Some([]) => Ok(()),
        Some(rest) if !found.is_empty() => OpenOptions::new()
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(rest))
            .map_err(|error| Error::at_path(path, error)),
        _ => Ok(write_atomically(path, |file| file.write_all(&events))?),
    }
}

/// Encodes a CSV table whose first column is the step; empty cells and times are left out.
fn encode_table(table: &str) -> Vec<u8> {
    let mut records = Vec::new();
    let mut version = Vec::new();
    put_bytes(&mut version, 3, FORMAT_VERSION.as_bytes());
    put_record(&mut records, &version);
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let Some(step) = cells.first().and_then(|cell| cell.parse::<u64>().ok()) else {
            continue;
        };
        let mut summary = Vec::new();
        for (column, cell) in columns.iter().zip(cells).skip(1) {
            let is_time = column.ends_with("seconds") || column.ends_with("per_second");
            if let (false, Ok(value)) = (is_time, cell.parse::<f32>()) {
                put_bytes(&mut summary, 1, &encode_scalar(column, value));
            }
        }
        let mut event = Vec::new();
        put_key(&mut event, 1, FIXED_64);
        event.extend_from_slice(&(step as f64).to_le_bytes());
        put_key(&mut event, 2, VARINT);
        put_varint(&mut event, step);
        put_bytes(&mut event, 5, &summary);
        put_record(&mut records, &event);
    }
    records
}

fn encode_scalar(tag: &str, value: f32) -> Vec<u8> {
    let mut scalar = Vec::new();
    put_bytes(&mut scalar, 1, tag.as_bytes());
    put_key(&mut scalar, 2, FIXED_32);
    scalar.extend_from_slice(&value.to_le_bytes());
    scalar
}

fn put_key(message: &mut Vec<u8>, field: u8, wire_type: u8) {
    message.push((field << 3) | wire_type);
}

fn put_varint(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

fn put_bytes(message: &mut Vec<u8>, field: u8, content: &[u8]) {
    put_key(message, field, LENGTH_DELIMITED);
    put_varint(message, content.len() as u64);
    message.extend_from_slice(content);
}

fn put_record(records: &mut Vec<u8>, content: &[u8]) {
    let length = (content.len() as u64).to_le_bytes();
    for part in [&length[..], content] {
        records.extend_from_slice(part);
        let masked = crc32c(part).rotate_right(15).wrapping_add(MASK_DELTA);
        records.extend_from_slice(&masked.to_le_bytes());
    }
}

/// CRC-32C (Castagnoli), RFC 3720.
fn crc32c(bytes: &[u8]) -> u32 {
    const REVERSED_POLYNOMIAL: u32 = 0x82f6_3b78;
    let add_byte = |crc: u32, &byte: &u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| match crc & 1 {
            1 => (crc >> 1) ^ REVERSED_POLYNOMIAL,
            _ => crc >> 1,
        })
    };
    !bytes.iter().fold(u32::MAX, add_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "epoch,loss,learning_rate,samples_per_second,seconds,loss_2\n1,0.6,0.001,5000,2.5,\n300,0.5,,5001,2.5,\n";

    /// What `RecordWriter` of TensorBoard 2.21 writes for the events of [`TABLE`].
    const BYTES_OF_TABLE: &str = "0f000000000000006d532b091a0d627261696e2e4576656e743a32fc985129300000000000000095f5d05f09000000000000f03f10012a230a0b0a046c6f7373159a99193f0a140a0d6c6561726e696e675f72617465156f12833ab5f8e81c1b000000000000001a0d9e13090000000000c0724010ac022a0d0a0b0a046c6f7373150000003f27554a2e";

    fn to_hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&ascending), 0x46dd_794e);
    }

    #[test]
    fn a_curve_has_the_bytes_that_tensorboard_writes() {
        assert_eq!(to_hex(&encode_table(TABLE)), BYTES_OF_TABLE);
    }

    #[test]
    fn a_cut_off_or_foreign_file_becomes_that_of_the_curve() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(EVENT_FILE);
        let events = encode_table(TABLE);
        for length in 0..=events.len() {
            std::fs::write(&path, &events[..length]).unwrap();
            write_event_file(&path, TABLE).unwrap();
            assert!(
                std::fs::read(&path).unwrap() == events,
                "cut off at {length}"
            );
        }
        let longer = [&events[..], b"of another run"].concat();
        for found in [&longer[..], b"another"] {
            std::fs::write(&path, found).unwrap();
            write_event_file(&path, TABLE).unwrap();
            assert!(std::fs::read(&path).unwrap() == events);
        }
    }

    #[test]
    fn a_longer_curve_only_adds_events() {
        let (shorter, _) = TABLE.split_at(TABLE.find("300").unwrap());
        let (shorter, longer) = (encode_table(shorter), encode_table(TABLE));
        assert!(longer.starts_with(&shorter) && longer.len() > shorter.len());
    }
}
