//! Speed and memory of the word features paper's forms; `experiments/semantic/run.sh` sets them beside their peers.
//!
//! `cargo run --release -p qwd-lab --example semantic_speed -- COMMAND ...`
//!
//! | command | question it answers |
//! |---|---|
//! | `export DATA OUT.vw OUT.svm TUPLES` | what do tuples and documents look like to Vowpal Wabbit and scikit-learn? |
//! | `low-rank DATA TUPLES` | how many tuples does low-rank training take in a second, on one thread? |
//! | `svd DATA ITERATIONS` | how long does LSI at rank 200 take on one thread, and what does it miss? |
//! | `words N RANK TUPLES` | what does training on so many words cost in memory? |
//! | `dice TEXTS WORDS BINS` | what does counting which words go together cost? |
#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]

use qwd_core::{Csr, Error, Result, Rng, Silent, SparseVec, SparseView, Threads};
use qwd_data::{Opened, Preference, Split, SplitRule};
use qwd_train::{
    Constraints, CorrelatedHashingParams, LowRankParams, Method, Negatives, Plan, Prepared, Problem, Session, Start,
    SvdSettings, Units, truncated_svd,
};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const RANK: usize = 100;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = match words.as_slice() {
        ["export", data, vw, svm, tuples] => export(data, vw, svm, number(tuples)?)?,
        ["low-rank", data, tuples] => low_rank(data, number(tuples)?)?,
        ["svd", data, iterations] => svd(data, number(iterations)?)?,
        ["words", n, rank, tuples] => many_words(number(n)?, number(rank)?, number(tuples)?)?,
        ["dice", texts, n, bins] => dice(number(texts)?, number(n)?, number(bins)?)?,
        _ => return Err(Error::param("command", words.join(" "), "export, low-rank, svd, words or dice")),
    };
    println!("{report}");
    Ok(())
}

fn number(text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::param("argument", text, "a whole number"))
}

/// The plan of the paper's table 1.
fn plan(tuples: usize) -> Result<Plan> {
    let text = json!({
        "vocabulary": { "n_words": 30_000 },
        "document": { "tf": "raw", "idf": "plain", "norm": "l2" },
        "query": { "tf": "raw", "idf": "plain", "norm": "l2" },
    });
    serde_json::from_value(json!({ "text": text, "tuples": tuples })).map_err(|e| Error::internal(e.to_string()))
}

/// Calls `work` with the vectors and tuples of a data set.
fn with_tuples<T>(data: &str, n: usize, work: impl FnOnce(&Problem<'_>, &[u32]) -> Result<T>) -> Result<T> {
    let path = Path::new(data);
    let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default().to_string_lossy());
    let data: Opened = qwd_lab::collection::open(folder, &name)?;
    let plan = plan(n)?;
    let prepared = Prepared::fit(&data, &plan.text, SplitRule::default(), &Threads::default())?;
    let (task, vectors) = prepared.task(Split::Train)?;
    let tuples = plan.tuples_of(&task)?;
    let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?;
    work(&problem.with_candidates(&task.documents)?, &task.documents)
}

fn export(data: &str, vw: &str, svm: &str, n: usize) -> Result<Value> {
    with_tuples(data, n, |problem, documents| {
        let mut out = create(vw)?;
        let mut difference = SparseVec::default();
        for tuple in problem.preferences() {
            problem.difference(tuple, &mut difference);
            line(&mut out, "1 |q", problem.query(tuple), 0)
                .and_then(|()| line(&mut out, " |d", difference.view(), 0))
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|e| Error::io(vw, "write", e))?;
        }
        let mut out = create(svm)?;
        for &row in documents {
            line(&mut out, "0", problem.documents().row(row as usize), 1)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|e| Error::io(svm, "write", e))?;
        }
        Ok(json!({ "tuples": problem.preferences().len(), "documents": documents.len() }))
    })
}

fn create(path: &str) -> Result<BufWriter<File>> {
    File::create(path).map(BufWriter::new).map_err(|e| Error::io(path, "create", e))
}

fn line(out: &mut impl Write, head: &str, x: SparseView<'_>, first: u32) -> std::io::Result<()> {
    out.write_all(head.as_bytes())?;
    x.iter().try_for_each(|(word, value)| write!(out, " {}:{value}", word + first))
}

fn low_rank(data: &str, n: usize) -> Result<Value> {
    with_tuples(data, n, |problem, _| {
        let rate = |params: LowRankParams| -> Result<f64> {
            let method = Method::LowRank(params);
            let (threads, none) = (Threads::new(1)?, Constraints::default());
            let started = Instant::now();
            method.train(problem, Start::Identity, &none, None, &mut Session::new(&threads, &Silent))?;
            Ok(problem.preferences().len() as f64 / started.elapsed().as_secs_f64())
        };
        let given = LowRankParams { rank: RANK, negatives: Negatives::Given, ..LowRankParams::default() };
        let batch = LowRankParams { rank: RANK, negatives: Negatives::Batch, batch: 256, ..LowRankParams::default() };
        Ok(json!({
            "tuples": problem.preferences().len(),
            "rank": RANK,
            "tuples_per_second": rate(given)?,
            "tuples_per_second_in_batches": rate(batch)?,
        }))
    })
}

fn svd(data: &str, iterations: usize) -> Result<Value> {
    with_tuples(data, 1, |problem, documents| {
        let mut rows = Csr::empty(problem.documents().n_cols());
        documents.iter().try_for_each(|&row| rows.push(problem.documents().row(row as usize)))?;
        let settings = SvdSettings { rank: 200, oversampling: 10, iterations, seed: 1 };
        let threads = Threads::new(1)?;
        let started = Instant::now();
        let found = truncated_svd(&rows, &settings, &threads)?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(json!({ "rank": 200, "iterations": iterations, "seconds": seconds, "residual": found.residual(&rows) }))
    })
}

/// A word number with frequencies as in texts: the n-th word about 1/n as often as the first.
fn zipf(rng: &mut Rng, n_words: usize) -> u32 {
    ((n_words as f64).powf(rng.unit()) as usize - 1).min(n_words - 1) as u32
}

fn text(rng: &mut Rng, length: usize, n_words: usize) -> Result<SparseVec> {
    let mut vector = SparseVec::from_pairs((0..length).map(|_| (zipf(rng, n_words), 1.0)).collect())?;
    vector.normalize();
    Ok(vector)
}

fn many_words(n_words: usize, rank: usize, n_tuples: usize) -> Result<Value> {
    let mut rng = Rng::new(1);
    let n_documents = 100_000;
    let mut documents = Csr::empty(n_words as u32);
    for _ in 0..n_documents {
        documents.push(text(&mut rng, 100, n_words)?.view())?;
    }
    let row = |rng: &mut Rng| rng.below(n_documents) as u32;
    let tuples: Vec<Preference> = (0..n_tuples)
        .map(|_| Preference { query: row(&mut rng), better: row(&mut rng), worse: row(&mut rng), weight: 1.0 })
        .collect();
    let problem = Problem::try_new(&documents, &documents, &tuples)?;
    let params = LowRankParams { rank, negatives: Negatives::Batch, batch: 256, ..LowRankParams::default() };
    let threads = Threads::default();
    let started = Instant::now();
    let trained = Method::LowRank(params).train(
        &problem,
        Start::Identity,
        &Constraints::default(),
        None,
        &mut Session::new(&threads, &Silent),
    )?;
    let seconds = started.elapsed().as_secs_f64();
    let parameters = trained.matrix.n_parameters();
    Ok(json!({ "words": n_words, "rank": rank, "parameters": parameters, "tuples": n_tuples, "seconds": seconds,
        "peak_megabytes": peak_megabytes() }))
}

fn dice(n_texts: usize, n_words: usize, bins: usize) -> Result<Value> {
    let mut rng = Rng::new(1);
    let mut units = Units::default();
    for _ in 0..n_texts {
        units.push((0..200).map(|_| zipf(&mut rng, n_words)).collect::<Vec<u32>>());
    }
    let hashing = CorrelatedHashingParams { bins, ..CorrelatedHashingParams::default() }.build()?;
    let started = Instant::now();
    let partners = hashing.partners(&units, n_words, |_| true, &Threads::default())?;
    let found = partners.of_word.iter().filter(|partners| !partners.is_empty()).count();
    Ok(json!({ "texts": n_texts, "words": n_words, "bins": bins, "words_with_partners": found,
        "seconds": started.elapsed().as_secs_f64(), "peak_megabytes": peak_megabytes() }))
}

/// The most memory that the process has had.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().split(' ').next()?.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
