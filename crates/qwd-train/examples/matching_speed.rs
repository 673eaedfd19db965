//! How fast matching learns on a made click graph of the size of table 1 of the RMLS paper.
//!
//!     matching_speed rmls|pls [share=1] [weeks=1] [rank=1000] [threads=2] [iterations=…] [form=penalised] [out=DIR]
//!
//! `share` is the part of the queries and documents, `weeks=26` the paper's half year in place of one week; `out` writes
//! the cross-product matrix and the singular values for `svds.py`. Nothing here measures quality: the graph has topics,
//! Zipf's law in words and clicks, and the paper's numbers of features, and that is all.
#![allow(clippy::print_stdout, reason = "a program")]

use qwd_core::{Csr, Error, Result, Rng, SparseVec, Threads};
use qwd_train::cross_product::{CrossProduct, Kept};
use qwd_train::rmls::Form;
use qwd_train::{ClickProblem, PlsParams, RmlsParams, Session};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

/// The sizes of a click graph.
struct Size {
    n_queries: usize,
    n_documents: usize,
    n_words: usize,
    n_topics: usize,
    /// Documents that a query is clicked for beyond the first, on average.
    more_documents: f64,
    query_words: f64,
    document_words: f64,
}

impl Size {
    fn of(weeks: u32, share: f64) -> Self {
        let part = |n: f64| (n * share).max(10.0) as usize;
        // Words grow slowly with the number of texts.
        let words = |n: f64| (n * share.sqrt()).max(100.0) as usize;
        if weeks == 1 {
            Self {
                n_queries: part(94_022.0),
                n_documents: part(111_631.0),
                n_words: words(101_904.0),
                n_topics: 2_000,
                more_documents: 0.74,
                query_words: 2.26,
                document_words: 4.44,
            }
        } else {
            Self {
                n_queries: part(6_372_254.0),
                n_documents: part(4_599_849.0),
                n_words: words(271_561.0),
                n_topics: 20_000,
                more_documents: 1.92,
                query_words: 2.58,
                document_words: 4.56,
            }
        }
    }
}

/// A whole number above 0 with this mean.
fn count(mean: f64, rng: &mut Rng) -> usize {
    let go_on = 1.0 - 1.0 / mean;
    1 + (0..20).take_while(|_| rng.unit() < go_on).count()
}

/// A number below n, small ones more often (Zipf's law, roughly).
fn zipf(n: usize, rng: &mut Rng) -> usize {
    (((n as f64 + 1.0).powf(rng.unit()) - 1.0) as usize).min(n - 1)
}

/// Words of a topic: half from the topic's own, half from all.
fn words(topic: usize, n: usize, size: &Size, rng: &mut Rng) -> Vec<(u32, f32)> {
    let of_topic = 200.min(size.n_words);
    let word = |rng: &mut Rng| match rng.below(2) {
        0 => zipf(size.n_words, rng),
        _ => (topic * 7919 + zipf(of_topic, rng)) % size.n_words,
    };
    (0..n).map(|_| (word(rng) as u32, 1.0)).collect()
}

/// Query features, document features and clicks.
fn click_graph(size: &Size, seed: u64) -> Result<[Csr; 3]> {
    let mut rng = Rng::new(seed);
    let mut clicks = Csr::empty(size.n_documents as u32);
    let topic_of = |document: usize| document % size.n_topics;
    for query in 0..size.n_queries {
        let topic = topic_of(query);
        let n = count(1.0 + size.more_documents, &mut rng);
        let per_topic = (size.n_documents / size.n_topics).max(1);
        let documents = (0..n).map(|_| {
            let document = (zipf(per_topic, &mut rng) * size.n_topics + topic) % size.n_documents;
            (document as u32, (1.0 / (1.0 - rng.unit())).min(10_000.0) as f32)
        });
        clicks.push(SparseVec::from_pairs(documents.collect())?.view())?;
    }
    let of_documents = clicks.transpose();
    let features = |n: usize, mean: f64, links: &Csr, salt: u64| -> Result<Csr> {
        let mut out = Csr::empty((size.n_words + links.n_cols() as usize) as u32);
        for i in 0..n {
            let mut rng = Rng::part(seed ^ salt, i as u64);
            let mut pairs = words(topic_of(i), count(mean, &mut rng), size, &mut rng);
            pairs.extend(links.row(i).iter().map(|(j, r)| (size.n_words as u32 + j, (1.0 + r).ln())));
            let mut row = SparseVec::from_pairs(pairs)?;
            row.normalize();
            out.push(row.view())?;
        }
        Ok(out)
    };
    let queries = features(size.n_queries, size.query_words, &clicks, 1)?;
    let documents = features(size.n_documents, size.document_words, &of_documents, 2)?;
    Ok([queries, documents, clicks])
}

fn peak_memory_gb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e6
}

fn write_matrix(folder: &str, matrix: &Csr, values: &[f64]) -> Result<()> {
    let write = |name: &str, bytes: Vec<u8>| {
        let path = format!("{folder}/{name}");
        let mut file = std::fs::File::create(&path).map_err(|e| Error::io(&path, "create", e))?;
        file.write_all(&bytes).map_err(|e| Error::io(&path, "write", e))
    };
    let (indptr, indices, entries) = matrix.parts();
    write("indptr", indptr.iter().flat_map(|x| x.to_le_bytes()).collect())?;
    write("indices", indices.iter().flat_map(|x| x.to_le_bytes()).collect())?;
    write("data", entries.iter().flat_map(|x| x.to_le_bytes()).collect())?;
    write("n_cols", matrix.n_cols().to_string().into_bytes())?;
    write("singular_values", values.iter().flat_map(|x| x.to_le_bytes()).collect())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let method = arguments.next().unwrap_or_default();
    let given: BTreeMap<String, String> =
        arguments.filter_map(|text| text.split_once('=').map(|(key, value)| (key.into(), value.into()))).collect();
    let number = |key: &str, default: f64| given.get(key).map_or(default, |text| text.parse().unwrap_or(default));
    let threads = Threads::new(number("threads", 2.0) as usize)?;
    let size = Size::of(number("weeks", 1.0) as u32, number("share", 1.0));
    let [queries, documents, clicks] = click_graph(&size, 1)?;
    println!(
        "{} queries, {} documents, {} and {} features, {:.2} and {:.2} each, {:.2} documents a query",
        queries.n_rows(),
        documents.n_rows(),
        queries.n_cols(),
        documents.n_cols(),
        queries.nnz() as f64 / queries.n_rows() as f64,
        documents.nnz() as f64 / documents.n_rows() as f64,
        clicks.nnz() as f64 / clicks.n_rows() as f64,
    );
    let problem = ClickProblem::try_new(&queries, &documents, &clicks)?;
    let rank = number("rank", 1000.0) as usize;
    let start = Instant::now();
    let product = match given.get("kept").map(String::as_str) {
        Some("whole") => CrossProduct::kept_as(Kept::Whole, &problem, &threads)?,
        Some("two") => CrossProduct::kept_as(Kept::TwoFactors, &problem, &threads)?,
        Some("three") => CrossProduct::kept_as(Kept::ThreeFactors, &problem, &threads)?,
        _ => CrossProduct::new(&problem, &threads)?,
    };
    let made = start.elapsed().as_secs_f64();
    let objective = if method == "pls" {
        let iterations = number("iterations", PlsParams::default().iterations as f64) as usize;
        let oversampling = number("oversampling", PlsParams::default().oversampling as f64) as usize;
        let pls = PlsParams { rank, iterations, oversampling, ..PlsParams::default() }.build()?;
        let found = pls.fit_product(&product, &threads)?;
        if let Some(folder) = given.get("out") {
            let whole = CrossProduct::kept_as(Kept::Whole, &problem, &threads)?;
            write_matrix(folder, whole.whole().ok_or_else(|| Error::internal("kept whole"))?, &found.singular_values)?;
        }
        found.singular_values.iter().sum::<f64>()
    } else {
        let defaults = RmlsParams::default();
        let form =
            if given.get("form").is_some_and(|form| form == "penalised") { Form::Penalised } else { defaults.form };
        let iterations = number("iterations", defaults.iterations as f64) as usize;
        let bound = number("bound", defaults.bound_query);
        let rmls = RmlsParams {
            rank,
            form,
            iterations,
            bound_query: bound,
            bound_document: bound,
            tolerance: 0.0,
            ..defaults
        };
        let mapping = rmls.build()?.fit_product(&product, &mut Session::quiet(&threads))?;
        for seen in &mapping.course {
            println!("  objective {:.6e}, collapse {:.3}", seen.after_documents, seen.collapse);
        }
        let per_row = |rows: &qwd_train::latent_rows::LatentRows| rows.n_nonzero() as f64 / rows.n_rows() as f64;
        println!("  {:.1} and {:.1} numbers a row", per_row(&mapping.queries), per_row(&mapping.documents));
        mapping.course.last().map_or(f64::NAN, |seen| -seen.after_documents)
    };
    println!(
        "{method} rank {rank}, {} threads: {:.1} s ({made:.1} s for M, {} entries), objective {objective:.6e}, peak {:.2} GB",
        threads.count(),
        start.elapsed().as_secs_f64(),
        product.entries(),
        peak_memory_gb(),
    );
    Ok(())
}
