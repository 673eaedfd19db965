//! Blocks to files, one after the other.
//!
//! Queries are numbered as they come, up to the number that is wanted; documents that none of them led to are not in the log
//! and get no number. A list of results is written without such documents. Judged queries are drawn as the others pass by
//! (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).

use super::SimulatorParams;
use super::behaviour::{Asked, Block};
use super::world::{Document, spelled};
use qwd_core::{Error, Result, Rng};
use qwd_data::clicks::{self, Click};
use qwd_data::qrels::write_beir;
use qwd_data::sessions::{self, SessionRecord};
use qwd_data::{Fingerprint, Manifest, Output, Split, create};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

/// What was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulated {
    /// The folder.
    pub folder: PathBuf,
    /// Queries.
    pub n_queries: u64,
    /// Documents.
    pub n_documents: u64,
    /// Pairs of a query and a document with clicks.
    pub n_pairs: u64,
    /// Clicks.
    pub n_clicks: u64,
    /// Sessions that were written one by one.
    pub n_sessions: u64,
    /// Judged queries.
    pub n_judged: u64,
    /// Judgments.
    pub n_judgments: u64,
}

/// Writes a log.
pub(super) struct Writer<'a> {
    params: &'a SimulatorParams,
    corpus: Output,
    queries: Output,
    clicks: Output,
    sessions: Option<Output>,
    judged: BinaryHeap<Judged>,
    made: Simulated,
}

/// A judged query; the heap has the one on top that leaves first.
struct Judged {
    key: f64,
    query: u64,
    grades: Vec<(u64, i32)>,
}

impl Ord for Judged {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.query.cmp(&self.query))
    }
}

impl PartialOrd for Judged {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Judged {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Judged {}

impl<'a> Writer<'a> {
    pub(super) fn create(params: &'a SimulatorParams, folder: &Path) -> Result<Self> {
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let what = format!("{} is not empty", folder.display());
            return Err(Error::bad_data(what, "remove it or choose another folder"));
        }
        let qrels = folder.join("qrels");
        std::fs::create_dir_all(&qrels).map_err(|e| Error::io(&qrels, "create", e))?;
        let file = |name: &str| create(folder.join(name));
        Ok(Self {
            params,
            corpus: file("corpus.jsonl")?,
            queries: file("queries.jsonl")?,
            clicks: file("clicks.tsv")?,
            sessions: (params.sessions_of_query > 0).then(|| file("sessions.jsonl")).transpose()?,
            judged: BinaryHeap::new(),
            made: Simulated {
                folder: folder.to_path_buf(),
                n_queries: 0,
                n_documents: 0,
                n_pairs: 0,
                n_clicks: 0,
                n_sessions: 0,
                n_judged: 0,
                n_judgments: 0,
            },
        })
    }

    pub(super) fn is_full(&self) -> bool {
        self.made.n_queries >= self.params.n_queries
    }

    pub(super) fn n_queries(&self) -> u64 {
        self.made.n_queries
    }

    /// Writes a block, or as much of it as is wanted.
    pub(super) fn write(&mut self, block: Block) -> Result<()> {
        let wanted = (self.params.n_queries - self.made.n_queries).min(block.queries.len() as u64) as usize;
        let queries = &block.queries[..wanted];
        let mut numbers: Vec<Option<u64>> = vec![None; block.documents.len()];
        for clicked in queries.iter().flat_map(|query| &query.clicked) {
            numbers[clicked.document] = Some(0);
        }
        for (number, document) in numbers.iter_mut().zip(&block.documents) {
            if let Some(number) = number {
                *number = self.made.n_documents;
                self.made.n_documents += 1;
                write_document(&mut self.corpus, *number, document)?;
            }
        }
        queries.iter().try_for_each(|query| self.write_query(query, &numbers))
    }

    fn write_query(&mut self, query: &Asked, numbers: &[Option<u64>]) -> Result<()> {
        let number = self.made.n_queries;
        self.made.n_queries += 1;
        let id = format!("q{number}");
        let words: Vec<String> = query.words.iter().map(|&word| spelled(word)).collect();
        self.queries.line(format_args!("{{\"_id\":\"{id}\",\"text\":\"{}\"}}", words.join(" ")))?;
        let mut total = 0;
        for clicked in &query.clicked {
            let Some(document) = numbers[clicked.document] else { continue };
            let click = Click {
                clicks: clicked.clicks,
                impressions: Some(clicked.impressions),
                position: Some((clicked.position() * 100.0).round() / 100.0),
                ..Click::default()
            };
            clicks::write(&mut self.clicks, &id, &format!("d{document}"), &click)?;
            self.made.n_pairs += 1;
            total += clicked.clicks;
        }
        self.made.n_clicks += total;
        self.write_sessions(&id, query, numbers)?;
        self.draw(number, total, query, numbers);
        Ok(())
    }

    fn write_sessions(&mut self, id: &str, query: &Asked, numbers: &[Option<u64>]) -> Result<()> {
        let Some(out) = &mut self.sessions else { return Ok(()) };
        for session in &query.sessions {
            let ids = |documents: &[usize]| -> Vec<String> {
                documents.iter().filter_map(|&d| numbers[d]).map(|number| format!("d{number}")).collect()
            };
            let shown = ids(&session.documents);
            if !shown.is_empty() {
                let clicked = ids(&session.clicked);
                sessions::write(
                    out,
                    &SessionRecord { query: id.to_string(), shown, clicked, ..SessionRecord::default() },
                )?;
                self.made.n_sessions += 1;
            }
        }
        Ok(())
    }

    /// Lets a query take its chance of being judged.
    fn draw(&mut self, query: u64, total: u64, asked: &Asked, numbers: &[Option<u64>]) {
        let mut rng = Rng::part(!self.params.seed, query);
        let weight = (total as f64).powf(self.params.judged_exponent);
        let key = (1.0 - rng.unit()).ln() / weight;
        let is_full = self.judged.len() as u64 >= self.params.n_judged;
        if is_full && self.judged.peek().is_none_or(|least| key <= least.key) {
            return;
        }
        let n = (self.params.judged_documents + 8.0 * (rng.unit() - 0.5)).round().max(2.0) as usize;
        let known = asked.judged.iter().filter_map(|&(document, grade)| Some((numbers[document]?, grade)));
        let mut grades: Vec<(u64, i32)> = known.take(n).collect();
        if grades.len() < 2 {
            return;
        }
        grades.sort_unstable();
        self.judged.push(Judged { key, query, grades });
        if self.judged.len() as u64 > self.params.n_judged {
            self.judged.pop();
        }
    }

    pub(super) fn finish(mut self) -> Result<Simulated> {
        let folder = self.made.folder.clone();
        let mut files = Vec::new();
        let mut judged = std::mem::take(&mut self.judged).into_vec();
        judged.sort_by_key(|judged| judged.query);
        Rng::new(self.params.seed).shuffle(&mut judged);
        self.made.n_judged = judged.len() as u64;
        self.made.n_judgments = judged.iter().map(|judged| judged.grades.len() as u64).sum();
        let (tune, test) = judged.split_at_mut(self.params.n_judged as usize / 2);
        for (split, part) in [(Split::Dev, tune), (Split::Test, test)] {
            part.sort_by_key(|judged| judged.query);
            files.push(write_judgments(&folder.join(format!("qrels/{split}.tsv")), part)?);
        }
        let outputs = [Some(self.corpus), Some(self.queries), Some(self.clicks), self.sessions];
        for out in outputs.into_iter().flatten() {
            files.push(out.finish()?);
        }
        let text = toml::to_string(self.params).map_err(|e| Error::internal(format!("parameters as TOML: {e}")))?;
        let mut out = create(folder.join("simulator.toml"))?;
        out.bytes(text.as_bytes())?;
        files.push(out.finish()?);
        let mut manifest = Manifest {
            name: self.params.name.clone(),
            description: "a simulated click log; simulator.toml has its parameters".to_string(),
            ..Manifest::default()
        };
        files.iter().for_each(|file| manifest.note(&folder, file));
        manifest.write(&folder)?;
        Ok(self.made)
    }
}

fn write_document(out: &mut Output, number: u64, document: &Document) -> Result<()> {
    let words: Vec<String> = document.words.iter().map(|&word| spelled(word)).collect();
    let in_address = words.len().min(2);
    let (address, title) = if words.len() > 2 { words.split_at(in_address) } else { (&words[..], &words[..]) };
    out.line(format_args!(
        "{{\"_id\":\"d{number}\",\"title\":\"{}\",\"text\":\"{}\"}}",
        title.join(" "),
        address.join("/")
    ))
}

fn write_judgments(path: &Path, judged: &[Judged]) -> Result<Fingerprint> {
    let mut out = create(path)?;
    let names: Vec<(String, String, i32)> = judged
        .iter()
        .flat_map(|judged| {
            judged.grades.iter().map(|(document, grade)| (format!("q{}", judged.query), format!("d{document}"), *grade))
        })
        .collect();
    write_beir(&mut out, names.iter().map(|(query, document, grade)| (query.as_str(), document.as_str(), *grade)))?;
    out.finish()
}
