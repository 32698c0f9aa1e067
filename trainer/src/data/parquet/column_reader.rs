//! Typed columns of a row group, read in batches from checked pages.

use bytes::Bytes;
use parquet::{
    basic::{Compression, ConvertedType, Type},
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::ColumnReaderImpl,
    },
    data_type::{DataType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        metadata::RowGroupMetaData,
        reader::{ChunkReader, Length},
        serialized_reader::SerializedPageReader,
    },
};
use ruzstd::decoding::StreamingDecoder;
use std::{
    fs::File,
    io::{self, Read},
    sync::Arc,
    vec,
};

pub(super) fn parquet_error(error: ParquetError) -> String {
    error.to_string().replace('\n', " ")
}

pub(super) struct RowGroup<'t> {
    pub(super) file: &'t Arc<EofCheckedFile>,
    pub(super) metadata: &'t RowGroupMetaData,
}

impl RowGroup<'_> {
    pub(super) fn num_rows(&self) -> Result<usize, String> {
        usize::try_from(self.metadata.num_rows()).map_err(|error| error.to_string())
    }

    pub(super) fn find(&self, name: &str) -> Result<usize, String> {
        let mut columns = self.metadata.columns().iter();
        let index = columns.position(|column| column.column_path().string() == name);
        index.ok_or_else(|| format!("there is no column '{name}'"))
    }
}

/// Maximum number of rows read at once, whatever the size of row groups.
const ROWS_PER_BATCH: usize = 1 << 16;

/// File that refuses reads beyond its end, which the crate would otherwise repeat for billions of
/// claimed values.
pub(super) struct EofCheckedFile(pub(super) File);

pub(super) struct BoundedRead {
    part: <File as ChunkReader>::T,
    empty_reads: u32,
}

impl Length for EofCheckedFile {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for EofCheckedFile {
    type T = BoundedRead;

    fn get_read(&self, start: u64) -> Result<BoundedRead, ParquetError> {
        let part = self.0.get_read(start)?;
        Ok(BoundedRead {
            part,
            empty_reads: 0,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.0.get_bytes(start, length)
    }
}

impl Read for BoundedRead {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.part.read(bytes)?;
        self.empty_reads += u32::from(count == 0);
        if self.empty_reads > 1_000 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}

/// Pages of a column; refuses damaged dictionaries, for which the crate would allocate too much.
pub(super) struct CheckedPages {
    pages: SerializedPageReader<EofCheckedFile>,
    zstd: bool,
}

impl CheckedPages {
    pub(super) fn open(group: &RowGroup<'_>, index: usize) -> Result<Self, String> {
        let column = group.metadata.column(index);
        let zstd = match column.compression() {
            Compression::ZSTD(_) => true,
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) => false,
            other => {
                let problem = "write it uncompressed, or by snappy, gzip or zstd";
                return Err(format!("is compressed by {other}: {problem}"));
            }
        };
        let mut plain = column.clone().into_builder();
        if zstd {
            plain = plain.set_compression(Compression::UNCOMPRESSED);
        }
        let plain = plain.build().map_err(parquet_error)?;
        let file = Arc::clone(group.file);
        let pages = SerializedPageReader::new(file, &plain, group.num_rows()?, None)
            .map_err(parquet_error)?;
        Ok(Self { pages, zstd })
    }

    fn decompress(&self, bytes: &Bytes, levels: usize) -> Result<Bytes, ParquetError> {
        let (levels, compressed) = bytes
            .split_at_checked(levels)
            .ok_or_else(|| ParquetError::EOF("a page ends early".to_owned()))?;
        let mut plain = levels.to_vec();
        if !compressed.is_empty() {
            let failed = |error| ParquetError::General(format!("zstd: {error}"));
            let decoder =
                StreamingDecoder::new(compressed).map_err(|error| failed(error.to_string()))?;
            decoder.take(MAX_PAGE_BYTES).read_to_end(&mut plain)?;
            if plain.len() as u64 >= MAX_PAGE_BYTES {
                return Err(failed("a page of more than 256 MiB".to_owned()));
            }
        }
        Ok(plain.into())
    }
}

const MAX_PAGE_BYTES: u64 = 256 << 20;

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let mut page = self.pages.get_next_page()?;
        if let (true, Some(page)) = (self.zstd, &mut page) {
            let (bytes, levels) = match page {
                Page::DataPageV2 {
                    is_compressed: false,
                    ..
                } => (None, 0),
                Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (Some(buf), 0),
                Page::DataPageV2 {
                    buf,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    ..
                } => {
                    let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                    (Some(buf), levels as usize)
                }
            };
            if let Some(bytes) = bytes {
                *bytes = self.decompress(bytes, levels)?;
            }
        }
        if let Some(Page::DictionaryPage {
            buf, num_values, ..
        }) = &page
            && *num_values as usize > buf.len()
        {
            let problem = "a dictionary claims more values than it has bytes";
            return Err(ParquetError::General(problem.to_owned()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

pub(super) struct ColumnCursor<T: DataType> {
    name: String,
    nullable: bool,
    reader: ColumnReaderImpl<T>,
    left: usize,
    rows: vec::IntoIter<Option<T::T>>,
}

impl<T: DataType> ColumnCursor<T> {
    pub(super) fn open(group: &RowGroup<'_>, name: &str) -> Result<Self, String> {
        let index = group.find(name)?;
        let description = group.metadata.column(index).column_descr_ptr();
        if description.physical_type() != T::get_physical_type()
            || description.max_def_level() > 1
            || description.max_rep_level() > 0
        {
            return Err(format!(
                "column '{name}' is not of type {}",
                T::get_physical_type()
            ));
        }
        let pages = CheckedPages::open(group, index);
        let pages = pages.map_err(|problem| format!("column '{name}': {problem}"))?;
        Ok(Self {
            name: name.to_owned(),
            nullable: description.max_def_level() == 1,
            reader: ColumnReaderImpl::new(description, Box::new(pages)),
            left: group.num_rows()?,
            rows: Vec::new().into_iter(),
        })
    }

    fn read_rows(&mut self, rows: usize) -> Result<Vec<Option<T::T>>, String> {
        let (mut values, mut levels, mut read) = (Vec::new(), Vec::new(), 0);
        while read < rows {
            let levels = self.nullable.then_some(&mut levels);
            let records = self
                .reader
                .read_records(rows - read, levels, None, &mut values);
            let (records, ..) = records
                .map_err(|error| format!("column '{}': {}", self.name, parquet_error(error)))?;
            if records == 0 {
                return Err(format!("column '{}' ends early", self.name));
            }
            read += records;
        }
        let mut values = values.into_iter();
        Ok(if self.nullable {
            levels
                .into_iter()
                .map(|level| if level == 1 { values.next() } else { None })
                .collect()
        } else {
            values.map(Some).collect()
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<T::T>, String> {
        if self.rows.as_slice().is_empty() {
            let count = self.left.min(ROWS_PER_BATCH);
            self.left -= count;
            self.rows = self.read_rows(count)?.into_iter();
        }
        Ok(self.rows.next().flatten())
    }

    pub(super) fn next_required(&mut self) -> Result<T::T, String> {
        let value = self.next()?;
        value.ok_or_else(|| format!("column '{}' has gaps", self.name))
    }
}

/// Column of any numeric type, which other programs may have changed.
pub(super) enum NumberColumn {
    Int32(ColumnCursor<Int32Type>),
    Int64(ColumnCursor<Int64Type>),
    Float(ColumnCursor<FloatType>),
    Double(ColumnCursor<DoubleType>),
}

impl NumberColumn {
    pub(super) fn open(group: &RowGroup<'_>, name: &str) -> Result<Self, String> {
        let column = group.metadata.column(group.find(name)?);
        if column.column_descr().converted_type() == ConvertedType::DECIMAL {
            let problem = "has decimals; make them integers or floats";
            return Err(format!("column '{name}' {problem}"));
        }
        Ok(match column.column_type() {
            Type::INT32 => Self::Int32(ColumnCursor::open(group, name)?),
            Type::INT64 => Self::Int64(ColumnCursor::open(group, name)?),
            Type::FLOAT => Self::Float(ColumnCursor::open(group, name)?),
            Type::DOUBLE => Self::Double(ColumnCursor::open(group, name)?),
            other => {
                return Err(format!(
                    "column '{name}' is of type {other}, not of numbers"
                ));
            }
        })
    }

    /// Next number; `None` if missing or NaN.
    pub(super) fn next_float(&mut self) -> Result<Option<f32>, String> {
        let number = match self {
            Self::Int32(column) => column.next()?.map(|number| number as f32),
            Self::Int64(column) => column.next()?.map(|number| number as f32),
            Self::Float(column) => column.next()?,
            Self::Double(column) => column.next()?.map(|number| number as f32),
        };
        Ok(number.filter(|number| !number.is_nan()))
    }

    pub(super) fn next_integer(&mut self) -> Result<Option<i64>, String> {
        let (number, name) = match self {
            Self::Int32(column) => return Ok(column.next()?.map(i64::from)),
            Self::Int64(column) => return column.next(),
            Self::Float(column) => (column.next()?.map(f64::from), &column.name),
            Self::Double(column) => (column.next()?, &column.name),
        };
        let number = number.filter(|number| !number.is_nan());
        let integer = number.map(|number| {
            let integer = number as i64;
            let problem = || format!("column '{name}': {number} is no integer");
            (integer as f64 == number)
                .then_some(integer)
                .ok_or_else(problem)
        });
        integer.transpose()
    }

    pub(super) fn required_integer(&mut self) -> Result<i64, String> {
        let number = self.next_integer()?;
        number.ok_or_else(|| {
            let (Self::Int32(ColumnCursor { name, .. })
            | Self::Int64(ColumnCursor { name, .. })
            | Self::Float(ColumnCursor { name, .. })
            | Self::Double(ColumnCursor { name, .. })) = self;
            format!("column '{name}' has gaps")
        })
    }
}
