//! What a user says about words: pairs with a given weight, forbidden pairs, the pairs that may have a weight at all, and
//! a hierarchy.
//!
//! | file | a line |
//! |---|---|
//! | pinned | `query word<TAB>document word<TAB>weight` |
//! | forbidden, support | `query word<TAB>document word` |
//! | hierarchy | `query word<TAB>group/subgroup/…`: the groups of the word, from the root |

use crate::support;
use qwd_core::{Csr, Error, Result, SparseVec, Threads};
use qwd_data::{Input, Line, Reading};
use qwd_text::Vectorizer;
use qwd_train::{Constraints, Hierarchy, Prepared};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The files that a user gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordFiles {
    /// Word pairs with given weights.
    pub pinned: Option<PathBuf>,
    /// Word pairs without weight.
    pub forbidden: Option<PathBuf>,
    /// The word pairs that may have a weight.
    pub support: Option<Support>,
    /// The groups of words.
    pub hierarchy: Option<PathBuf>,
}

/// Which word pairs may have a weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// Those that occur together in at least so many texts: `cooccur` or `cooccur:3`.
    Cooccurring(u32),
    /// Those of a file.
    File(PathBuf),
}

impl FromStr for Support {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':').unwrap_or((text, "1")) {
            ("cooccur", times) => match times.parse() {
                Ok(times) if times > 0 => Ok(Self::Cooccurring(times)),
                _ => Err(Error::param("support", text, "cooccur, cooccur:TIMES or a file")),
            },
            _ => Ok(Self::File(text.into())),
        }
    }
}

impl WordFiles {
    /// Reads the files with the words of the prepared data.
    pub fn read(
        &self,
        prepared: &Prepared<'_>,
        reading: &mut Reading,
        threads: &Threads,
    ) -> Result<(Constraints, Option<Hierarchy>)> {
        if *self == Self::default() {
            return Ok((Constraints::default(), None));
        }
        let words = Words::of(prepared)?;
        let mut constraints = Constraints::default();
        if let Some(path) = &self.pinned {
            constraints.pinned = words.pinned(path, reading)?;
        }
        if let Some(path) = &self.forbidden {
            constraints.forbidden = words.pairs(path, reading)?;
        }
        constraints.support = match &self.support {
            None => None,
            Some(Support::Cooccurring(times)) => Some(support::cooccurring(prepared, *times, threads)?),
            Some(Support::File(path)) => Some(words.support(path, reading)?),
        };
        let hierarchy = self.hierarchy.as_ref().map(|path| words.hierarchy(path, reading)).transpose()?;
        Ok((constraints, hierarchy))
    }
}

/// The words of both sides.
struct Words {
    query: Vectorizer,
    document: Vectorizer,
}

impl Words {
    fn of(prepared: &Prepared<'_>) -> Result<Self> {
        match prepared.vectorizers() {
            (Some(query), Some(document)) => Ok(Self { query, document }),
            _ => Err(Error::bad_data("the data are vectors, which have no words", "leave the word files out")),
        }
    }

    fn pinned(&self, path: &Path, reading: &mut Reading) -> Result<Vec<(u32, u32, f32)>> {
        let mut pinned = Vec::new();
        reading.each_line(Input::open(path)?, |line| {
            let [query, document, weight] = columns(line, "query word<TAB>document word<TAB>weight")?;
            let weight = weight.1.parse().ok().filter(|w: &f32| w.is_finite()).ok_or_else(|| {
                line.error(weight.0, format!("weight {:?} is not a finite number", weight.1), CORRECT_OR_SKIP)
            })?;
            pinned.push((
                term(&self.query, "query", query, line)?,
                term(&self.document, "document", document, line)?,
                weight,
            ));
            Ok(())
        })?;
        Ok(pinned)
    }

    fn pairs(&self, path: &Path, reading: &mut Reading) -> Result<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        reading.each_line(Input::open(path)?, |line| {
            let [query, document] = columns(line, "query word<TAB>document word")?;
            pairs.push((term(&self.query, "query", query, line)?, term(&self.document, "document", document, line)?));
            Ok(())
        })?;
        Ok(pairs)
    }

    fn support(&self, path: &Path, reading: &mut Reading) -> Result<Csr> {
        let pairs: BTreeSet<(u32, u32)> = self.pairs(path, reading)?.into_iter().collect();
        let mut support = Csr::empty(self.document.vocabulary().len() as u32);
        for row in 0..self.query.vocabulary().len() as u32 {
            let columns: Vec<u32> = pairs.range((row, 0)..=(row, u32::MAX)).map(|&(_, t)| t).collect();
            let ones = vec![1.0; columns.len()];
            support.push(SparseVec::try_new(columns, ones)?.view())?;
        }
        Ok(support)
    }

    fn hierarchy(&self, path: &Path, reading: &mut Reading) -> Result<Hierarchy> {
        let mut group_of = vec![None; self.query.vocabulary().len()];
        let mut parent_of = Vec::new();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        reading.each_line(Input::open(path)?, |line| {
            let [word, groups] = columns(line, "query word<TAB>group/subgroup")?;
            let place = &mut group_of[term(&self.query, "query", word, line)? as usize];
            if place.is_some() {
                return Err(line.error(word.0, format!("word {:?} appears twice", word.1), CORRECT_OR_SKIP));
            }
            let (mut parent, mut walked) = (None, String::new());
            for name in groups.1.split('/') {
                if name.trim().is_empty() {
                    return Err(line.error(groups.0, "a group without a name", CORRECT_OR_SKIP));
                }
                walked = format!("{walked}/{name}");
                let number = *numbers.entry(walked.clone()).or_insert_with(|| {
                    parent_of.push(parent);
                    parent_of.len() as u32 - 1
                });
                parent = Some(number);
            }
            *place = parent;
            Ok(())
        })?;
        Hierarchy::try_new(group_of, parent_of)
    }
}

const CORRECT_OR_SKIP: &str = "correct the line or pass --on-error skip";

/// The columns of a line, each with its place in bytes from 1.
fn columns<'a, const N: usize>(line: &Line<'a>, layout: &str) -> Result<[(u64, &'a str); N]> {
    let mut at = 1;
    let mut found = Vec::with_capacity(N);
    for text in line.text.split('\t') {
        found.push((at, text));
        at += text.len() as u64 + 1;
    }
    let n = found.len();
    found.try_into().map_err(|_| line.error(1, format!("expected {layout}, found {n} columns"), CORRECT_OR_SKIP))
}

/// The number of a word: as it stands, or as the analyzer makes it.
fn term(words: &Vectorizer, side: &str, (column, word): (u64, &str), line: &Line<'_>) -> Result<u32> {
    let analyzed = || match words.analyzer().terms(word).as_slice() {
        [term] => words.vocabulary().get(term),
        _ => None,
    };
    words.vocabulary().get(word).or_else(analyzed).ok_or_else(|| {
        let what = format!("{word:?} is no {side} word of the vocabulary");
        line.error(column, what, "give a word of the training texts or pass --on-error skip")
    })
}
