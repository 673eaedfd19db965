//! Which documents may be found: conditions on stored fields.

use crate::segment::{Segment, fields};
use qwd_core::{Error, Result};
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A condition on a document's fields: its label, its split, and whatever fields came with it. Of a field that is a list,
/// one element must meet the condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// A field has a value: a text, a number or a truth value.
    Is(String, Value),
    /// A field is a number within bounds, both included.
    Within(String, f64, f64),
    /// A field is there.
    Has(String),
    /// All conditions hold.
    All(Vec<Filter>),
    /// One of them holds.
    Any(Vec<Filter>),
    /// The condition does not hold.
    Not(Box<Filter>),
}

impl Filter {
    /// Reads `field=value`, `field!=value`, `field>=number`, `field<=number` or `field`.
    pub fn parse(text: &str) -> Result<Self> {
        let bound = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|x| x.is_finite())
                .ok_or_else(|| Error::param("filter", text, "a number after >= or <="))
        };
        let field = |text: &str| match text.trim() {
            "" => Err(Error::param("filter", text, "field=value, field!=value, field>=number, field<=number or field")),
            field => Ok(field.to_string()),
        };
        if let Some((name, value)) = text.split_once("!=") {
            return Ok(Self::Not(Box::new(Self::is(field(name)?, value))));
        }
        if let Some((name, value)) = text.split_once(">=") {
            return Ok(Self::Within(field(name)?, bound(value)?, f64::MAX));
        }
        if let Some((name, value)) = text.split_once("<=") {
            return Ok(Self::Within(field(name)?, f64::MIN, bound(value)?));
        }
        match text.split_once('=') {
            Some((name, value)) => Ok(Self::is(field(name)?, value)),
            None => Ok(Self::Has(field(text)?)),
        }
    }

    /// A value as typed: a number or truth value may also have been stored as a text.
    fn is(field: String, value: &str) -> Self {
        let as_text = Self::Is(field.clone(), Value::from(value));
        match serde_json::from_str::<Value>(value) {
            Ok(other @ (Value::Number(_) | Value::Bool(_))) => Self::Any(vec![as_text, Self::Is(field, other)]),
            _ => as_text,
        }
    }

    /// The documents of a segment that meet the condition, deleted ones too.
    pub(crate) fn documents(&self, segment: &Segment) -> Result<RoaringBitmap> {
        let container = segment.container();
        let prefix = |field: &str| [field.as_bytes(), &[0]].concat();
        match self {
            Self::Is(field, value) => match fields::key(field, value) {
                Some(key) => fields::find(container, &key, <[u8]>::is_empty),
                None => Err(Error::param("filter", value, "a text of at most 256 bytes, a number or a truth value")),
            },
            Self::Within(field, least, most) => fields::find(container, &prefix(field), |value| {
                let number = std::str::from_utf8(value).ok().and_then(|text| text.parse::<f64>().ok());
                number.is_some_and(|x| (*least..=*most).contains(&x))
            }),
            Self::Has(field) => fields::find(container, &prefix(field), |_| true),
            Self::All(filters) => {
                let mut all = everything(segment);
                for filter in filters {
                    all &= filter.documents(segment)?;
                }
                Ok(all)
            }
            Self::Any(filters) => {
                let mut any = RoaringBitmap::new();
                for filter in filters {
                    any |= filter.documents(segment)?;
                }
                Ok(any)
            }
            Self::Not(filter) => Ok(everything(segment) - filter.documents(segment)?),
        }
    }
}

fn everything(segment: &Segment) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    all.insert_range(0..segment.n_docs() as u32);
    all
}
