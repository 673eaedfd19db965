//! The command line: a command, then `--name value` pairs and flags.

use qwd_core::{Error, Result};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::str::FromStr;

/// Names that stand alone.
const FLAGS: &[&str] = &["json", "traffic", "figures"];

pub(crate) struct Arguments {
    pub(crate) command: String,
    pairs: Vec<(String, String)>,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let command = words.next().unwrap_or_default();
        let mut pairs = Vec::new();
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix("--") else {
                return Err(Error::param("argument", word, "--name value"));
            };
            let value = if FLAGS.contains(&name) { Some(String::new()) } else { words.next() };
            let value = value.ok_or_else(|| Error::param(name, "nothing", "a value"))?;
            pairs.push((name.to_string(), value));
        }
        Ok(Self { command, pairs })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self, name: &str) -> Result<PathBuf> {
        self.text(name).map(PathBuf::from).ok_or_else(|| Error::param(name, "nothing", "a path"))
    }

    /// A number, or its default.
    pub(crate) fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().map_err(|_| Error::param(name, text, "a number"))
    }

    /// The parameters of the training method: every `--set key=value`, the value as JSON.
    pub(crate) fn settings(&self) -> Result<Map<String, Value>> {
        let mut settings = Map::new();
        for (_, setting) in self.pairs.iter().filter(|(name, _)| name == "set") {
            let pair = setting.split_once('=');
            let (key, value) = pair.ok_or_else(|| Error::param("set", setting, "key=value"))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            settings.insert(key.to_string(), value);
        }
        Ok(settings)
    }
}
