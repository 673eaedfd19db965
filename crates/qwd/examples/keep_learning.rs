//! A model goes on learning as preferences arrive, and is the same to the last bit as if they had come at once.
//!
//! `cargo run -p qwd --example keep_learning`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::prelude::*;

fn main() -> Result<()> {
    let texts = ["a fast red car", "a slow green boat", "fresh bread and butter", "rain over the hills"];
    let questions = ["automobile", "ship", "breakfast", "weather"];
    let threads = Threads::new(0)?;
    let words =
        VectorizerParams::default().fit(&VocabularyParams::default(), texts.into_iter().chain(questions), &threads)?;
    let (queries, documents) = (words.matrix(&questions, &threads), words.matrix(&texts, &threads));
    let preferences: Vec<Preference> = (0..200u32)
        .map(|i| Preference { query: i % 4, better: i % 4, worse: (i % 4 + 1 + i / 4 % 3) % 4, weight: 1.0 })
        .collect();
    let (first, later) = preferences.split_at(70);

    let sgd = SparseSgdParams { learning_rate: 0.5, ..SparseSgdParams::default() }.build()?;
    let train = |preferences: &[Preference], start: Start<'_>| {
        let problem = Problem::try_new(&queries, &documents, preferences)?;
        sgd.train(&problem, start, &Constraints::default(), &mut Session::quiet(&threads))
    };
    let at_once = train(&preferences, Start::Identity)?;
    let begun = train(first, Start::Identity)?;
    let state = begun.state.as_ref().ok_or_else(|| Error::bad_data("no state", "train without early stopping"))?;
    let resumed = train(later, Start::Resume(&begun.matrix, state))?;
    assert_eq!(resumed, at_once);
    println!("{} steps in two runs give the W of one run, to the last bit", resumed.steps);
    Ok(())
}
