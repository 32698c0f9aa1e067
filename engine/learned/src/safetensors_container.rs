//! Safetensors files with checksums and sorted metadata, so that equal models give equal files.

use super::ModelError;
use alea_core::text::joined;
use safetensors::{Dtype, SafeTensors};
use std::{collections::BTreeMap, fmt::Write};
use xxhash_rust::xxh3::xxh3_64;

/// A named tensor of little-endian numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// A safetensors file. [`Self::to_bytes`] adds checksums, [`Self::check_checksums`] verifies them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    /// Metadata by key.
    pub metadata: BTreeMap<String, String>,
    /// Tensors in the order of their data.
    pub tensors: Vec<Tensor>,
}

const DATA_CHECKSUM_KEY: &str = "checksum";
const METADATA_CHECKSUM_KEY: &str = "metadata_checksum";

/// A number type of tensors.
pub trait Number: Copy {
    /// Type in files.
    const DTYPE: Dtype;

    /// Appends little-endian bytes.
    fn write(self, bytes: &mut Vec<u8>);

    /// Decodes little-endian bytes, except an incomplete last number.
    fn read(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! impl_number {
    ($($number:ident $dtype:ident),+) => {$(
        impl Number for $number {
            const DTYPE: Dtype = Dtype::$dtype;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Vec<Self> {
                bytes.as_chunks().0.iter().map(|bytes| Self::from_le_bytes(*bytes)).collect()
            }
        }
    )+};
}

impl_number!(f32 F32, i32 I32, i16 I16, i8 I8);

impl Tensor {
    /// A tensor of `values` in row-major order.
    pub fn new<T: Number>(name: &str, shape: Vec<usize>, values: &[T]) -> Self {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        values.iter().for_each(|value| value.write(&mut bytes));
        Self {
            name: name.to_owned(),
            dtype: T::DTYPE,
            shape,
            bytes,
        }
    }
}

impl Container {
    /// Parses a file, without verifying checksums.
    pub fn parse(bytes: &[u8]) -> Result<Self, ModelError> {
        let file = SafeTensors::deserialize(bytes).map_err(|error| wrong_format(bytes, &error))?;
        let (_, header) =
            SafeTensors::read_metadata(bytes).map_err(|error| wrong_format(bytes, &error))?;
        let metadata = header
            .metadata()
            .iter()
            .flatten()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let tensors = file
            .iter()
            .map(|(name, view)| Tensor {
                name: name.to_owned(),
                dtype: view.dtype(),
                shape: view.shape().to_vec(),
                bytes: view.data().to_vec(),
            })
            .collect();
        let mut container = Self { metadata, tensors };
        container
            .tensors
            .sort_by_key(|tensor| header.info(&tensor.name).map(|info| info.data_offsets));
        Ok(container)
    }

    /// Encodes the file, with new checksums.
    pub fn to_bytes(&self) -> Vec<u8> {
        let data = self.data();
        let mut metadata = self.metadata.clone();
        metadata.insert(DATA_CHECKSUM_KEY.to_owned(), self.data_checksum());
        let checksum = metadata_checksum(&metadata);
        metadata.insert(METADATA_CHECKSUM_KEY.to_owned(), format!("{checksum:016x}"));
        let mut header = String::from("{\"__metadata__\":{");
        for (index, (key, value)) in metadata.iter().enumerate() {
            header.push_str(if index > 0 { "," } else { "" });
            push_json_string(&mut header, key);
            header.push(':');
            push_json_string(&mut header, value);
        }
        header.push('}');
        let mut offset = 0;
        for tensor in &self.tensors {
            header.push(',');
            push_json_string(&mut header, &tensor.name);
            let end = offset + tensor.bytes.len();
            let fields = format!(
                ":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{offset},{end}]}}",
                tensor.dtype,
                joined(&tensor.shape, ",")
            );
            header.push_str(&fields);
            offset = end;
        }
        header.push('}');
        // Aligns the data section to eight bytes.
        while header.len() % 8 != 0 {
            header.push(' ');
        }
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(&data);
        bytes
    }

    fn data(&self) -> Vec<u8> {
        let tensors = self.tensors.iter();
        tensors.flat_map(|tensor| &tensor.bytes).copied().collect()
    }

    /// xxh3 of the tensors' bytes, 16 hexadecimal digits.
    pub fn data_checksum(&self) -> String {
        format!("{:016x}", xxh3_64(&self.data()))
    }

    /// Metadata of `key`; an error if missing.
    pub fn metadata_value(&self, key: &'static str) -> Result<&str, ModelError> {
        self.metadata.get(key).map(String::as_str).ok_or_else(|| {
            ModelError(format!(
                "not a model file of this program: its metadata has no '{key}'"
            ))
        })
    }

    /// Verifies the checksums of data and metadata.
    pub fn check_checksums(&self) -> Result<(), ModelError> {
        let metadata = metadata_checksum(&self.metadata);
        for (part, key, actual) in [
            ("metadata", METADATA_CHECKSUM_KEY, metadata),
            ("weights", DATA_CHECKSUM_KEY, xxh3_64(&self.data())),
        ] {
            let expected = self.metadata_value(key)?;
            if expected != format!("{actual:016x}") {
                return Err(ModelError(format!(
                    "damaged: the {part} have checksum {actual:016x}, the file promises {expected}"
                )));
            }
        }
        Ok(())
    }

    /// Removes and returns a tensor; an error if missing or of another type or shape.
    pub fn take_tensor<T: Number>(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Vec<T>, ModelError> {
        let Some(index) = self.tensors.iter().position(|tensor| tensor.name == name) else {
            return Err(ModelError(format!("tensor {name} is missing")));
        };
        let tensor = self.tensors.remove(index);
        if tensor.dtype != T::DTYPE || tensor.shape != shape {
            return Err(ModelError(format!(
                "tensor {name} is {}{:?}, expected {}{shape:?}",
                tensor.dtype,
                tensor.shape,
                T::DTYPE
            )));
        }
        Ok(T::read(&tensor.bytes))
    }

    /// Fails if a tensor has not been taken.
    pub fn check_all_taken(&self) -> Result<(), ModelError> {
        self.tensors.first().map_or(Ok(()), |Tensor { name, .. }| {
            Err(ModelError(format!(
                "tensor {name} does not belong in this model"
            )))
        })
    }
}

/// xxh3 of `key`, byte 0, `value`, byte 0 for all metadata except this checksum, sorted by key.
fn metadata_checksum(metadata: &BTreeMap<String, String>) -> u64 {
    let pairs = metadata
        .iter()
        .filter(|(key, _)| *key != METADATA_CHECKSUM_KEY);
    let text: Vec<u8> = pairs
        .flat_map(|(key, value)| [key.as_bytes(), &[0], value.as_bytes(), &[0]].concat())
        .collect();
    xxh3_64(&text)
}

fn push_json_string(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
    json.push('"');
}

fn wrong_format(bytes: &[u8], error: &safetensors::SafeTensorError) -> ModelError {
    let foreign = ModelError(format!("not a model file: {error}"));
    let found = bytes.len() as u64;
    if let Some(length) = bytes
        .first_chunk::<8>()
        .map(|length| u64::from_le_bytes(*length))
    {
        let is_json_header = bytes
            .get(8..)
            .is_some_and(|rest| rest.first().is_none_or(|first| *first == b'{'));
        // Safetensors headers are below 100 MB; a larger number is another format.
        if is_json_header && length < 100_000_000 {
            let announced = match header_data_length(bytes, length) {
                Some(data) => data.saturating_add(8 + length),
                None if found < 8 + length => 8 + length,
                None => return foreign,
            };
            if announced != found {
                return ModelError(format!(
                    "truncated or overlong: the header announces {announced} bytes, the file has {found}"
                ));
            }
        }
    }
    foreign
}

fn header_data_length(bytes: &[u8], length: u64) -> Option<u64> {
    let end = usize::try_from(length).ok()?.checked_add(8)?;
    let header = bytes.get(8..end)?;
    // For error messages only: the library parses no header without data.
    let text = std::str::from_utf8(header).ok()?;
    let ends = text.split("\"data_offsets\":[").skip(1).filter_map(|rest| {
        let pair = rest.split(']').next()?;
        pair.split(',').nth(1)?.trim().parse::<u64>().ok()
    });
    ends.max()
}
