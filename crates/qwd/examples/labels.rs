//! Documents with class labels and no queries: the documents of a class suit each other (paper 1).
//!
//! `cargo run -p qwd --example labels`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::data::{Document, IdMap};
use qwd::prelude::*;

fn main() -> Result<()> {
    let data = Opened::Texts(Box::new(dataset()?));
    let plan = Plan {
        train: Method::from_json("sparse-sgd", serde_json::json!({ "learning_rate": 1.0, "density": 0.2 }))?,
        tuples: 2_000,
        ..Plan::default()
    };
    let outcome = plan.run(&data, &Threads::new(0)?, &Silent)?;
    println!("{} steps, {:.1} % of W is not 0", outcome.steps, 100.0 * outcome.model.matrix().density());
    for word in ["puck", "orbit"] {
        let related = outcome.model.related(Side::Query, word, 4)?;
        let related: Vec<String> = related.iter().map(|r| format!("{} {:+.2}", r.word, r.weight)).collect();
        println!("{word}: {}", related.join(", "));
    }
    Ok(())
}

fn dataset() -> Result<Dataset> {
    let texts = [
        ("hockey", "the puck crossed the ice and the goalie fell"),
        ("hockey", "a goalie needs skates and good eyes on the ice"),
        ("hockey", "skates cut the ice as the puck flew"),
        ("space", "the probe reached its orbit around the moon"),
        ("space", "a rocket lifts a probe towards the moon"),
        ("space", "its orbit decays until the rocket fires"),
    ];
    let mut dataset = Dataset { document_ids: IdMap::new(), ..Dataset::default() };
    for (i, (label, text)) in texts.into_iter().enumerate() {
        let id = format!("d{i}");
        dataset.document_ids.insert(&id)?;
        let split = Some(Split::Train);
        let document =
            Document { id, text: text.to_string(), label: Some(label.to_string()), split, ..Document::default() };
        dataset.documents.push(document);
    }
    Ok(dataset)
}
