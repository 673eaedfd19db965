//! Files written whole or not at all, compressed if their name says so.

use crate::fingerprint::{Fingerprint, Hashing};
use flate2::write::GzEncoder;
use qwd_core::{Error, Result};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Begins a file that appears under its name only when [`Output::finish`] is called; `-` is standard output. A name that
/// ends in `.gz` or `.zst` is compressed.
pub fn create(path: impl AsRef<Path>) -> Result<Output> {
    let path = path.as_ref();
    if path == Path::new("-") {
        return Ok(Output::from_writer(path, io::stdout()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = path.with_file_name(format!(".{name}.partial-{}", std::process::id()));
    let file = File::create(&partial).map_err(|e| Error::io(path, "create", e))?;
    let file = BufWriter::new(file);
    let sink = match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => Sink::Gzip(GzEncoder::new(file, flate2::Compression::default())),
        Some("zst") => Sink::Zstd(zstd::Encoder::new(file, 3).map_err(|e| Error::io(path, "compress", e))?),
        _ => Sink::Plain(file),
    };
    Ok(Output { path: path.to_path_buf(), partial: Some(partial), sink: Some(Hashing::new(sink)) })
}

/// A file being written.
pub struct Output {
    path: PathBuf,
    partial: Option<PathBuf>,
    sink: Option<Hashing<Sink>>,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Other(Box<dyn Write + Send>),
}

impl Output {
    /// Writes to anything, under a name for its errors.
    pub fn from_writer(path: impl AsRef<Path>, writer: impl Write + Send + 'static) -> Self {
        let sink = Hashing::new(Sink::Other(Box::new(BufWriter::new(writer))));
        Self { path: path.as_ref().to_path_buf(), partial: None, sink: Some(sink) }
    }

    /// Returns the name of the file to be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.with_sink(|sink| sink.write_all(bytes))
    }

    /// Writes one line and its end.
    pub fn line(&mut self, line: fmt::Arguments<'_>) -> Result<()> {
        self.with_sink(|sink| writeln!(sink, "{line}"))
    }

    /// Writes one value as a line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl serde::Serialize) -> Result<()> {
        let text = serde_json::to_string(value)
            .map_err(|e| Error::internal(format!("a record cannot be written as JSON: {e}")))?;
        self.line(format_args!("{text}"))
    }

    /// Completes the file, gives it its name and returns its fingerprint.
    pub fn finish(mut self) -> Result<Fingerprint> {
        let sink = self.sink.take().ok_or_else(|| Error::internal("an output was finished twice"))?;
        let fingerprint = sink.fingerprint(self.path.clone());
        sink.into_inner().complete().map_err(|e| Error::io(&self.path, "write", e))?;
        if let Some(partial) = self.partial.take() {
            std::fs::rename(&partial, &self.path).map_err(|e| {
                self.partial = Some(partial);
                Error::io(&self.path, "write", e)
            })?;
        }
        Ok(fingerprint)
    }

    fn with_sink(&mut self, write: impl FnOnce(&mut Hashing<Sink>) -> io::Result<()>) -> Result<()> {
        let sink = self.sink.as_mut().ok_or_else(|| Error::internal("an output was used after its end"))?;
        write(sink).map_err(|e| Error::io(&self.path, "write", e))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.sink = None;
        if let Some(partial) = &self.partial {
            // Nobody is left to hear of a failure here, and the file keeps its telling name.
            let _ = std::fs::remove_file(partial);
        }
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Sink {
    fn complete(self) -> io::Result<()> {
        match self {
            Self::Plain(mut file) => file.flush(),
            Self::Gzip(encoder) => encoder.finish()?.flush(),
            Self::Zstd(encoder) => encoder.finish()?.flush(),
            Self::Other(mut writer) => writer.flush(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
            Self::Other(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
            Self::Other(writer) => writer.flush(),
        }
    }
}
