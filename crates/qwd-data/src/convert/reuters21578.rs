//! Reuters-21578 by the ModApte split, documents of a single topic: 6,532 to train on, 2,568 to test on, 52 topics.
//!
//! ModApte takes the documents with `TOPICS="YES"` and `LEWISSPLIT` TRAIN or TEST (9,603 and 3,299). Of these stay the
//! ones with exactly one topic (6,552 and 2,581), and of the topics those that both splits know; the literature calls
//! the result R52. A topic named twice counts as two. The text is the body, or, where a story was not cut into title
//! and body, all of it.

use super::folder::{NewFolder, open_original};
use super::sgml::{Element, element, elements, plain};
use super::{Count, Options, Original, count, file, latin1, not_empty, tar};
use crate::corpus::{Document, write_documents};
use crate::reading::Reading;
use crate::split::Split;
use qwd_core::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "reuters21578",
    folder: "reuters21578",
    description: "Reuters-21578, ModApte split: news of a single topic, with the topic as label (R52)",
    files: &[file("reuters21578_sgm.tar.zst", "d8a49a966059a8fb8143370ceeec60cc326270a89ed3eaa56b533836ac7ceacf")],
    homes: &[
        "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
        "http://www.daviddlewis.com/resources/testcollections/reuters21578/",
    ],
    licence: "free for research with attribution (Reuters Ltd. and Carnegie Group)",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let archive = open_original(from, &["reuters21578_sgm.tar", "reuters21578.tar"])?;
    let mut stories = Vec::new();
    let mut n_stories = 0;
    tar::each_file(archive, reading, |path, bytes| {
        if path.ends_with(".sgm") {
            let text = latin1(&bytes);
            let all = elements(&text, "REUTERS");
            stories.extend(all.inspect(|_| n_stories += 1).filter_map(modapte));
        }
        Ok(())
    })?;
    let n_modapte = stories.len();
    let mut documents: Vec<Document> = stories.into_iter().filter(|d| d.label.is_some()).collect();
    let labels_of = |split| -> BTreeSet<Option<String>> {
        documents.iter().filter(|d| d.split == Some(split)).map(|d| d.label.clone()).collect()
    };
    let classes: BTreeSet<_> = labels_of(Split::Train).intersection(&labels_of(Split::Test)).cloned().collect();
    documents.retain(|document| classes.contains(&document.label));
    documents.sort_unstable_by_key(|d| (d.split, d.id.parse::<u64>().ok(), d.id.clone()));
    not_empty(&documents, from)?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.publish()?;
    let n_in = |split| documents.iter().filter(|document| document.split == Some(split)).count();
    Ok(vec![
        count("stories", n_stories),
        count("stories of the ModApte split", n_modapte),
        count("train documents", n_in(Split::Train)),
        count("test documents", n_in(Split::Test)),
        count("classes", classes.len()),
    ])
}

/// A story of the ModApte split; it has a label if it has exactly one topic.
fn modapte(story: Element<'_>) -> Option<Document> {
    let split = match (story.attribute("TOPICS")?, story.attribute("LEWISSPLIT")?) {
        ("YES", "TRAIN") => Split::Train,
        ("YES", "TEST") => Split::Test,
        _ => return None,
    };
    let topics = element(story.content, "TOPICS").map_or("", |topics| topics.content);
    let mut topics = elements(topics, "D").map(|topic| plain(topic.content));
    let label = topics.next().filter(|_| topics.next().is_none());
    let text = element(story.content, "TEXT").map_or("", |text| text.content);
    let title = element(text, "TITLE").map(|title| plain(title.content)).unwrap_or_default();
    let body = match element(text, "BODY") {
        Some(body) => plain(body.content),
        None if title.is_empty() => plain(text),
        None => String::new(),
    };
    let (title, text) = (title.trim().to_string(), body.trim().to_string());
    let id = story.attribute("NEWID")?.to_string();
    Some(Document { id, title, text, label, split: Some(split), ..Document::default() })
}
