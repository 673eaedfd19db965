//! 20 Newsgroups, the `bydate` split: 11,314 posts to train on, 7,532 to test on, 20 groups.
//!
//! A document is a whole post, headers and all, as in paper 1; its label is the group, its id `group/number`. The
//! subject stands among the headers already, so the title stays empty; it is kept aside as the field `subject`.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file, latin1, not_empty, tar};
use crate::corpus::{Document, write_documents};
use crate::reading::Reading;
use crate::split::Split;
use qwd_core::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "20newsgroups",
    folder: "20newsgroups",
    description: "20 Newsgroups, bydate split: Usenet posts with their group as label",
    files: &[file("20news-bydate.tar.zst", "90a40910cb9209c44646e6a29e091812d4b973ddea97f6ed671eed3bd632d42a")],
    homes: &["http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz"],
    licence: "none stated: Usenet posts, distributed by J. Rennie for research",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let archive = open_original(from, &["20news-bydate.tar"])?;
    let mut documents = Vec::new();
    tar::each_file(archive, reading, |path, bytes| {
        documents.extend(document(path, &bytes));
        Ok(())
    })?;
    documents.sort_unstable_by(|a, b| (a.split, &a.id).cmp(&(b.split, &b.id)));
    not_empty(&documents, from)?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.publish()?;
    let n_in = |split| documents.iter().filter(|document| document.split == Some(split)).count();
    let classes: BTreeSet<_> = documents.iter().map(|document| &document.label).collect();
    Ok(vec![
        count("train documents", n_in(Split::Train)),
        count("test documents", n_in(Split::Test)),
        count("classes", classes.len()),
    ])
}

/// The post of a path `20news-bydate-train/group/number`; other files are none.
fn document(path: &str, bytes: &[u8]) -> Option<Document> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let (folder, id) = path.split_once('/')?;
    let split = match folder {
        "20news-bydate-train" => Split::Train,
        "20news-bydate-test" => Split::Test,
        _ => return None,
    };
    let (group, _) = id.split_once('/')?;
    let text = latin1(bytes);
    let headers = text.lines().take_while(|line| !line.is_empty());
    let subject = headers.filter_map(|line| line.strip_prefix("Subject:")).next();
    let extra = subject.map(|subject| ("subject".to_string(), subject.trim().into())).into_iter().collect();
    let label = Some(group.to_string());
    Some(Document { id: id.to_string(), label, split: Some(split), extra, text, ..Document::default() })
}
