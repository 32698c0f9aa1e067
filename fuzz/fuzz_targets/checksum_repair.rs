//! Repairs checksums of fuzzed files, so that the code behind their checks is reached.

use engine::core::files::checksum;
use engine::learned::safetensors_container::Container;
use trainer::codec;

fn checksum_bytes(bytes: &[u8]) -> [u8; 8] {
    checksum(bytes).to_le_bytes()
}

/// Repairs a file of games; the last game gets all remaining bytes.
pub(crate) fn shard(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = |at| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let (head, rest) = bytes.split_at_checked(20 + length(12)?)?;
    let (index, rest) = rest.split_at_checked(length(16)?)?;
    let (mut lengths, _) = codec::decode::<Vec<u32>>(index).ok()?;
    let mut body = rest.get(8..rest.len().checked_sub(8)?)?;
    if let Some((last, before)) = lengths.split_last_mut() {
        let before: u64 = before.iter().map(|&length| u64::from(length)).sum();
        *last = (body.len() as u64).checked_sub(before)?.try_into().ok()?;
    }
    let mut index = Vec::new();
    codec::encode(&lengths, &mut index).ok()?;
    let mut repaired = [head, &index].concat();
    repaired[16..20].copy_from_slice(&(index.len() as u32).to_le_bytes());
    repaired.extend(checksum_bytes(&repaired));
    for length in lengths {
        let (game, rest) = body.split_at_checked(length as usize)?;
        let (game, _) = game.split_last_chunk::<4>()?;
        repaired.extend([game, &checksum_bytes(game)[..4]].concat());
        body = rest;
    }
    repaired.extend(checksum_bytes(&repaired));
    Some(repaired)
}

/// Repairs a model file, whose tensors get the length in its header.
pub(crate) fn model(bytes: &[u8]) -> Option<Vec<u8>> {
    let end = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
    let (head, data) = bytes.split_at_checked(end.checked_add(8)?)?;
    let header = str::from_utf8(&head[8..]).ok()?;
    let ends = header.split("\"data_offsets\":[").skip(1);
    let ends = ends.filter_map(|rest| rest.split([',', ']']).nth(1)?.parse().ok());
    let filled = fill(data, ends.max().unwrap_or(0))?;
    let container = Container::parse(&[head, &filled].concat()).ok()?;
    Some(container.to_bytes())
}

/// Repairs an endgame table, which gets as many cells as its header states.
pub(crate) fn table(bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, cells) = bytes.split_at_checked(64)?;
    let count = u64::from_le_bytes(*head[16..].first_chunk()?);
    let cells = fill(cells, usize::try_from(count).ok()?.checked_mul(2)?)?;
    let sums = checksum_bytes(&cells);
    let end = checksum_bytes(&[head, &sums].concat());
    Some([head, &cells, &sums, &end].concat())
}

fn fill(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let bytes = bytes.iter().chain(bytes.is_empty().then_some(&0));
    (length <= 1 << 20).then(|| bytes.cycle().take(length).copied().collect())
}

/// Repairs the checksum of every line after the first.
pub(crate) fn match_state(bytes: &[u8]) -> Option<Vec<u8>> {
    let (heading, lines) = str::from_utf8(bytes).ok()?.split_once('\n')?;
    let mut repaired = format!("{heading}\n");
    for line in lines.lines() {
        let (entry, _) = line.rsplit_once(",\"checksum\"")?;
        let sum = checksum(format!("{entry}}}").as_bytes());
        repaired += &format!("{entry},\"checksum\":\"{sum:016x}\"}}\n");
    }
    Some(repaired.into_bytes())
}
