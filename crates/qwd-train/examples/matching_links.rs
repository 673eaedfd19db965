//! Matching methods on links: mean average precision on held-out links of Wikispeedia's articles.
//!
//!     matching_links DATA validation|test [START:METHOD:PARAMS ...]
//!
//! DATA is the folder that holds `wikispeedia`; START is `identity` or `zero`; PARAMS is a JSON object. With `validation`, a
//! part of the training links is held out and measured on; with `test`, training has all of them and the test links are.
#![allow(clippy::print_stdout, reason = "a program")]

use qwd_core::{Error, Result, Threads};
use qwd_data::convert::Original;
use qwd_data::{Opened, Reading, SampleParams, Sampler, Shares, Split, SplitRule};
use qwd_metrics::Metric;
use qwd_text::{VocabularyParams, WeightingParams};
use qwd_train::click_problem::response_of_task;
use qwd_train::{Constraints, Method, Prepared, Problem, Session, Start, TextParams, evaluate};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (folder, split) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let original = Original::named("wikispeedia")?;
    let to = std::env::temp_dir().join(format!("matching-links-{}", std::process::id()));
    original.convert(&Path::new(&folder).join(original.folder), &to, &mut Reading::default())?;
    let data = Opened::open(&to, &mut Reading::default())?;
    let weighting = WeightingParams::preset("tfidf")?;
    let text = TextParams {
        vocabulary: VocabularyParams { n_words: 30_000, ..VocabularyParams::default() },
        document: weighting.clone(),
        query: weighting,
        ..TextParams::default()
    };
    let threads = Threads::new(2)?;
    let rule = SplitRule { shares: Shares::SEVENTY_THIRTY, ..SplitRule::default() };
    let prepared = Prepared::fit(&data, &text, rule, &threads)?;
    let (train, held_out, vectors) = match split.as_str() {
        "validation" => prepared.train_and_validation()?,
        _ => {
            let (train, vectors) = prepared.task(Split::Train)?;
            (train, prepared.task(Split::Test)?.0, vectors)
        }
    };
    let response = response_of_task(&train, vectors.queries.n_rows(), vectors.documents.n_rows())?;
    let response = response.ok_or_else(|| Error::internal("links are grades"))?;
    let tuples = Sampler::of_task(&train, &SampleParams::default())?.sample(20_000)?;
    let problem = Problem::try_new(&vectors.queries, &vectors.documents, &tuples)?
        .with_candidates(&train.documents)?
        .with_response(&response)?;
    for specification in arguments {
        let parts: Vec<&str> = specification.splitn(3, ':').collect();
        let [start, name, params] = parts[..] else {
            return Err(Error::param("method", &specification, "START:METHOD:PARAMS"));
        };
        let params = serde_json::from_str(params).map_err(|e| Error::param("PARAMS", params, e.to_string()))?;
        let method = Method::from_json(name, params)?;
        let start = if start == "identity" { Start::Identity } else { Start::Zero };
        let began = Instant::now();
        let trained = method.train(&problem, start, &Constraints::default(), None, &mut Session::quiet(&threads));
        let matrix = match trained {
            Ok(trained) => trained.matrix,
            Err(error) => {
                println!("{specification}: {error}");
                continue;
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        let map = Metric::AveragePrecision(qwd_metrics::Depth::WHOLE);
        let summary = evaluate(&matrix, &held_out, vectors, &prepared, &[map], &threads)?.summary();
        let mean = summary.metrics.get(map).unwrap_or(f64::NAN);
        println!("{specification}: MAP {mean:.4}, {seconds:.1} s, {}", matrix.name());
    }
    std::fs::remove_dir_all(&to).map_err(|e| Error::io(&to, "remove", e))
}
