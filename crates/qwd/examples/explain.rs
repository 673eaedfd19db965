//! Why does this document match this query? Every score is a sum over pairs of words.
//!
//! `cargo run -p qwd --example explain`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::prelude::*;

fn main() -> Result<()> {
    let articles = ["Paying your invoice by card", "Ending the contract early", "Restarting the router"];
    let questions = ["how do I settle a bill", "cancel everything", "internet is down"];
    let threads = Threads::new(0)?;
    let words = VectorizerParams::default().fit(
        &VocabularyParams::default(),
        articles.into_iter().chain(questions),
        &threads,
    )?;
    let (queries, documents) = (words.matrix(&questions, &threads), words.matrix(&articles, &threads));
    let preferences: Vec<Preference> = (0..60u32)
        .map(|i| Preference { query: i % 3, better: i % 3, worse: (i + 1 + i / 3 % 2) % 3, weight: 1.0 })
        .collect();
    let problem = Problem::try_new(&queries, &documents, &preferences)?;
    let sgd = SparseSgdParams { learning_rate: 1.0, ..SparseSgdParams::default() }.build()?;
    let trained = sgd.train(&problem, Start::Identity, &Constraints::default(), &mut Session::quiet(&threads))?;
    let model =
        Model::new(trained.matrix, Provenance::new("sparse-sgd")).with_vectorizers(Some(words.clone()), Some(words))?;

    let (question, article) = ("can I settle the bill", articles[0]);
    println!("{:.3} for {question:?} and {article:?}, of which", model.score_text(question, article)?);
    for reason in model.explain_text(question, article)?.iter().take(5) {
        println!("  {:+.3}  {} - {}", reason.value, reason.query, reason.document);
    }
    Ok(())
}
