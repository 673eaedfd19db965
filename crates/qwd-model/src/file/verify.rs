//! Whether a model file is sound, section by section.

use super::decode;
use super::decoder::Decoder;
use qwd_core::error::{Error, Family, Result};
use qwd_store::open_regular;
use serde::Serialize;
use std::io::{Read, Seek};
use std::path::Path;

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The sections in the order of the file; after a damaged header nothing else can be found.
    pub sections: Vec<Section>,
}

/// A part of a file, by its name in FORMAT.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// `header`, a tensor's name, or `contents` for what the tensors say together.
    pub name: String,
    /// What is wrong with it, if anything is.
    pub problem: Option<String>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.sections.iter().all(|s| s.problem.is_none())
    }

    fn add(&mut self, name: &str, result: Result<()>) -> Result<()> {
        let problem = match result {
            Ok(()) => None,
            Err(e) if e.family() == Family::Damaged => Some(told(e)),
            Err(e) => return Err(e),
        };
        self.sections.push(Section { name: name.to_string(), problem });
        Ok(())
    }
}

/// Checks a model file to its last bit; an error means that it could not be read, not that it is damaged.
pub fn verify(path: impl AsRef<Path>) -> Result<Verification> {
    let (file, n_bytes) = open_regular(path.as_ref())?;
    verify_input(file, n_bytes, path.as_ref())
}

fn verify_input<R: Read + Seek>(input: R, n_bytes: u64, path: &Path) -> Result<Verification> {
    let mut found = Verification { sections: Vec::new() };
    let mut decoder = match Decoder::new(input, n_bytes, path) {
        Ok(decoder) => decoder,
        Err(e) => {
            found.add("header", Err(e))?;
            return Ok(found);
        }
    };
    found.add("header", Ok(()))?;
    for name in decoder.header().tensors.offset_keys() {
        let result = decoder.check(&name);
        found.add(&name, result)?;
    }
    if found.is_sound() {
        decoder.forget();
        found.add("contents", decode(decoder, true).map(|_| ()))?;
    }
    Ok(found)
}

/// What an error says, without the file that was asked for.
fn told(error: Error) -> String {
    match error {
        Error::Corrupt { section, what, .. } => format!("{section}: {what}"),
        Error::Unsupported { what, .. } => what,
        other => other.to_string(),
    }
}
