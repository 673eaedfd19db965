//! The kinds of figure, by name.

use super::{ApScatter, Bars, DensityPath, Draw, HeatMap, LearningCurve, Lines};
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Defines the kinds once: their names, their figures, and the ways between them.
macro_rules! kinds {
    ($($kind:ident, $name:literal, $doc:literal;)*) => {
        /// A kind of figure.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[doc = $doc] $kind,)*
        }

        /// A figure of any kind, not yet checked.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Figure {
            $(#[doc = $doc] $kind($kind),)*
        }

        $(impl From<$kind> for Figure {
            fn from(figure: $kind) -> Self {
                Self::$kind(figure)
            }
        })*

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Returns the kind's name, as the program's user writes it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }
        }

        impl Figure {
            /// Returns the figure's kind.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind),* }
            }

            pub(super) fn drawing(&self) -> &dyn Draw {
                match self { $(Self::$kind(figure) => figure),* }
            }

            pub(super) fn from_json(kind: Kind, json: &[u8], path: &Path) -> Result<Self> {
                match kind { $(Kind::$kind => Ok(Self::$kind(read(kind, json, path)?))),* }
            }
        }
    };
}

kinds! {
    LearningCurve, "learning_curve", "Test error and density of W during training.";
    ApScatter, "ap_scatter", "Average precision of two models, query by query.";
    HeatMap, "heat_map", "Weights of W between words.";
    DensityPath, "density_path", "MAP against density along L1 paths.";
    Bars, "bars", "Groups of bars.";
    Lines, "lines", "Lines between two axes.";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = || Self::ALL.iter().map(|k| k.name()).collect::<Vec<_>>().join(", ");
        let found = Self::ALL.iter().find(|k| k.name() == name);
        found.copied().ok_or_else(|| Error::param("kind", name, format!("one of {}", known())))
    }
}

/// Reads a figure, or says where its JSON goes wrong.
fn read<T: DeserializeOwned>(kind: Kind, json: &[u8], path: &Path) -> Result<T> {
    serde_json::from_slice(json).map_err(|e| {
        let place = Place::new(path, e.line() as u64, e.column() as u64);
        let message = e.to_string();
        // The place says where already.
        let what = message.split_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        Error::parse(place, what, format!("give the fields of a {kind} figure"))
    })
}
