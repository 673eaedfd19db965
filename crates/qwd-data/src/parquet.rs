//! Parquet files as JSON Lines: row n of the table is line n, an object of the columns that are not null.
//!
//! So whatever is read from JSON Lines is read from Parquet, with the same checks, and errors name the row. Behind the
//! feature `parquet`; without it such a file is an error that says so.

use qwd_core::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The rows of a table as bytes of JSON Lines.
#[cfg(feature = "parquet")]
pub(crate) struct JsonLines {
    rows: parquet::record::reader::RowIter<'static>,
    line: Vec<u8>,
    at: usize,
}

#[cfg(feature = "parquet")]
impl JsonLines {
    pub(crate) fn open(path: &Path, file: File) -> Result<Self> {
        use parquet::file::serialized_reader::SerializedFileReader;
        let damaged = |e: parquet::errors::ParquetError| {
            let place = qwd_core::error::Place::new(path, 0, 0);
            qwd_core::Error::parse(place, format!("not a usable Parquet file: {e}"), "write the file again")
        };
        let reader = SerializedFileReader::new(file).map_err(damaged)?;
        Ok(Self { rows: reader.into_iter(), line: Vec::new(), at: 0 })
    }

    /// Puts the next row in `line`; leaves it empty at the end.
    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.at = 0;
        let Some(row) = self.rows.next() else { return Ok(()) };
        let row = row.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        let known = row.get_column_iter().filter(|(_, field)| !matches!(field, parquet::record::Field::Null));
        let object: serde_json::Map<_, _> = known.map(|(name, field)| (name.clone(), field.to_json_value())).collect();
        serde_json::to_writer(&mut self.line, &object)?;
        self.line.push(b'\n');
        Ok(())
    }
}

#[cfg(feature = "parquet")]
impl Read for JsonLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            self.next_line()?;
        }
        let n = buffer.len().min(self.line.len() - self.at);
        buffer[..n].copy_from_slice(&self.line[self.at..][..n]);
        self.at += n;
        Ok(n)
    }
}

/// This build reads no Parquet.
#[cfg(not(feature = "parquet"))]
pub(crate) enum JsonLines {}

#[cfg(not(feature = "parquet"))]
impl JsonLines {
    pub(crate) fn open(path: &Path, _: File) -> Result<Self> {
        let what = format!("{} is a Parquet file, which this build does not read", path.display());
        Err(qwd_core::Error::bad_data(what, "build with the feature `parquet`, or write JSON Lines"))
    }
}

#[cfg(not(feature = "parquet"))]
impl Read for JsonLines {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use crate::dataset::Dataset;
    use crate::reading::Reading;
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::fs::{self, File};
    use std::path::Path;
    use std::sync::Arc;

    /// A table of clicks; impressions may be unknown.
    fn write_clicks(path: &Path, rows: &[(&str, &str, i64, Option<i64>)]) {
        let schema = "message clicks { REQUIRED BYTE_ARRAY query (UTF8); REQUIRED BYTE_ARRAY document (UTF8);
            REQUIRED INT64 clicks; OPTIONAL INT64 impressions; }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
        let mut writer =
            SerializedFileWriter::new(File::create(path).expect("a file"), schema, properties).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        for texts in [rows.iter().map(|r| r.0).collect::<Vec<_>>(), rows.iter().map(|r| r.1).collect()] {
            let values: Vec<ByteArray> = texts.into_iter().map(ByteArray::from).collect();
            let mut column = group.next_column().expect("readable").expect("a column");
            column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
            column.close().expect("closed");
        }
        let clicks: Vec<i64> = rows.iter().map(|r| r.2).collect();
        let mut column = group.next_column().expect("readable").expect("a column");
        column.typed::<Int64Type>().write_batch(&clicks, None, None).expect("written");
        column.close().expect("closed");
        let shown: Vec<i64> = rows.iter().filter_map(|r| r.3).collect();
        let levels: Vec<i16> = rows.iter().map(|r| i16::from(r.3.is_some())).collect();
        let mut column = group.next_column().expect("readable").expect("a column");
        column.typed::<Int64Type>().write_batch(&shown, Some(&levels), None).expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
        writer.close().expect("closed");
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(
            folder.path().join("corpus.jsonl"),
            "{\"_id\":\"a\",\"text\":\"x\"}\n{\"_id\":\"b\",\"text\":\"y\"}\n",
        )
        .expect("written");
        fs::write(folder.path().join("queries.jsonl"), "{\"_id\":\"q\",\"text\":\"x\"}\n").expect("written");
        folder
    }

    #[test]
    fn a_table_of_clicks_is_what_its_lines_would_be() {
        let (columns, table) = (folder(), folder());
        fs::write(columns.path().join("clicks.tsv"), "q\ta\t3\t9\nq\tb\t1\n").expect("written");
        write_clicks(&table.path().join("clicks.parquet"), &[("q", "a", 3, Some(9)), ("q", "b", 1, None)]);
        let [columns, table] = [columns.path(), table.path()]
            .map(|path| Dataset::open(path, &mut Reading::default()).expect("a data set").clicks);
        assert_eq!(columns, table);
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn a_wrong_row_and_a_damaged_file_are_named() {
        let folder = folder();
        let file = folder.path().join("clicks.parquet");
        let open = || Dataset::open(folder.path(), &mut Reading::default()).expect_err("wrong").to_string();
        write_clicks(&file, &[("q", "a", 3, None), ("q", "b", 5, Some(4))]);
        let message = open();
        assert!(message.contains("clicks.parquet:2") && message.contains("5 clicks in 4 impressions"), "{message}");
        let bytes = fs::read(&file).expect("readable");
        fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
        let message = open();
        assert!(message.contains("not a usable Parquet file"), "{message}");
    }
}
