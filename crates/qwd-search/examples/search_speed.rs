//! Measures an index: building, opening, keyword queries, expanded queries. One thread.
//!
//!     search_speed CORPUS QUERIES MODEL INDEX OUT [keep]
//!
//! MODEL is a model file, or `bm25` for W = I with BM25's weights fitted to the corpus. OUT gets one JSON object;
//! OUT.expanded gets the expanded queries, one list of [word, weight] on each line, for peers to answer.

use qwd_core::{Error, Result, SparseVec, Threads};
use qwd_data::{Document, Input, Query as Asked, Reading, corpus};
use qwd_model::{Matrix, Model, Provenance, Side};
use qwd_search::{Index, IndexParams, Query, Strategy, Writer, describe};
use qwd_text::{VectorizerParams, VocabularyParams, WeightingParams};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Instant;

/// Every query is asked so often, and the fastest time counts: other work on the machine does not.
const PASSES: usize = 3;

/// So many queries are asked with all of their terms, which are thousands; fewer of a large index.
const WHOLE: [usize; 2] = [100, 5];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, documents, queries, model, index, out, rest @ ..] = arguments.as_slice() else {
        return Err(Error::param("arguments", arguments.len(), "CORPUS QUERIES MODEL INDEX OUT [keep]"));
    };
    let mut answer = Map::new();
    let folder = Path::new(index);
    if rest.is_empty() || !Index::is_at(folder) {
        build(documents, model, folder, &mut answer)?;
    }
    let start = Instant::now();
    let opened = Index::open(folder)?;
    answer.insert("open_seconds".into(), json!(start.elapsed().as_secs_f64()));
    let snapshot = opened.snapshot();
    let (queries, _) = corpus::read_queries(Input::open(queries)?, &mut Reading::default())?;
    let is_identity = matches!(snapshot.model().matrix(), Matrix::Identity(_));
    let n_whole = WHOLE[usize::from(snapshot.n_documents() > 100_000)];
    let n_keywords = if is_identity { queries.len() } else { n_whole };
    answer.insert(
        "keywords".into(),
        times(&queries[..n_keywords.min(queries.len())], |q| {
            snapshot.search(&Query::new(q.text.clone())).map(|a| a.hits.len())
        })?,
    );
    if !is_identity {
        let expanded = expansions(snapshot.model(), &queries)?;
        write_expansions(snapshot.model(), &expanded, out)?;
        for n in [30, 100, 200, usize::MAX] {
            let n_asked = if n == usize::MAX { n_whole } else { expanded.len() };
            let pruned: Vec<SparseVec> = expanded.iter().take(n_asked).map(|e| strongest(e, n)).collect();
            let name = if n == usize::MAX { "whole".to_string() } else { n.to_string() };
            for (path, strategy) in [("", Strategy::Auto), ("-scan", Strategy::Scan)] {
                let query = Query { strategy, ..Query::new("") };
                let ask = |terms: &SparseVec| snapshot.search_expanded(terms.clone(), &query).map(|hits| hits.len());
                answer.insert(format!("expanded-{name}{path}"), times(&pruned, ask)?);
            }
        }
    }
    answer.insert("index".into(), json!(describe(folder)?));
    let text = serde_json::to_string_pretty(&Value::Object(answer)).map_err(|e| Error::internal(e.to_string()))?;
    std::fs::write(out, text).map_err(|e| Error::io(out, "write", e))
}

fn build(documents: &str, model: &str, folder: &Path, answer: &mut Map<String, Value>) -> Result<()> {
    let mut reading = Reading::default();
    let model = match model {
        "bm25" => bm25(&corpus::read_documents(Input::open(documents)?, &mut reading)?.0)?,
        path => Model::open_without_state(path)?,
    };
    let start = Instant::now();
    let mut writer = Writer::create(folder, &model, &IndexParams::default())?;
    corpus::each_document(Input::open(documents)?, &mut reading, |document, _| writer.add(document))?;
    writer.commit()?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = writer.changes().added as f64 / seconds;
    answer.insert("build".into(), json!({"seconds": seconds, "documents_per_second": rate}));
    Ok(())
}

/// W = I over all words of the documents, with BM25's weights.
fn bm25(documents: &[Document]) -> Result<Model> {
    let texts: Vec<_> = documents.iter().map(qwd_data::Document::full_text).collect();
    let side = |preset| Ok(VectorizerParams { weighting: WeightingParams::preset(preset)?, ..Default::default() });
    let vocabulary = VocabularyParams { n_words: 1 << 24, ..VocabularyParams::default() };
    let texts = texts.iter().map(AsRef::as_ref);
    let document =
        Result::<VectorizerParams>::Ok(side("bm25-document")?)?.fit(&vocabulary, texts, &Threads::default())?;
    let params: Result<VectorizerParams> = side("bm25-query");
    let query = qwd_text::Vectorizer::from_parts(params?, document.vocabulary().clone())?;
    let identity = Matrix::identity(document.vocabulary().len())?;
    Model::new(identity, Provenance::new("identity")).with_vectorizers(Some(query), Some(document))
}

fn expansions(model: &Model, queries: &[Asked]) -> Result<Vec<SparseVec>> {
    queries.iter().map(|q| model.matrix().expand(model.vector(Side::Query, &q.text)?.view())).collect()
}

fn strongest(terms: &SparseVec, n: usize) -> SparseVec {
    let mut pairs: Vec<(u32, f32)> = terms.view().iter().collect();
    pairs.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    pairs.truncate(n);
    SparseVec::from_pairs(pairs).expect("finite")
}

fn write_expansions(model: &Model, expanded: &[SparseVec], out: &str) -> Result<()> {
    let words = model.vectorizer(Side::Document).expect("words").vocabulary();
    let line = |terms: &SparseVec| {
        let pairs = strongest(terms, 400);
        json!(pairs.view().iter().map(|(t, w)| json!([words.word(t), w])).collect::<Vec<_>>()).to_string()
    };
    let text: Vec<String> = expanded.iter().map(line).collect();
    let path = format!("{out}.expanded");
    std::fs::write(&path, text.join("\n")).map_err(|e| Error::io(&path, "write", e))
}

/// Asks every query and tells its times in microseconds.
fn times<Q>(queries: &[Q], mut ask: impl FnMut(&Q) -> Result<usize>) -> Result<Value> {
    let mut micros = vec![f64::INFINITY; queries.len()];
    let mut n_hits = 0;
    for _ in 0..PASSES {
        n_hits = 0;
        for (query, best) in queries.iter().zip(&mut micros) {
            let start = Instant::now();
            n_hits += ask(query)?;
            *best = best.min(start.elapsed().as_nanos() as f64 / 1e3);
        }
    }
    let mean = micros.iter().sum::<f64>() / micros.len() as f64;
    micros.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    let round = |x: f64| (x * 10.0).round() / 10.0;
    Ok(json!({"queries_per_second": (1e6 / mean).round(), "mean_micros": round(mean), "median_micros": round(at(0.5)),
        "p99_micros": round(at(0.99)), "n_queries": queries.len(), "n_hits": n_hits}))
}
