//! Wikispeedia: 4,604 Wikipedia articles for schools, the links between them, and the paths of people who played at
//! finding one article from another by links alone.
//!
//! Documents are articles, with their categories as a field; their ids are the names as the makers write them (URL
//! encoding). `clicks.tsv` says how often an article was clicked on the way to a target: `target<TAB>article<TAB>clicks`.
//! Steps back are no clicks; a path ends where it was given up, and paths to or through unknown articles lose only those.
//! Finished paths are read where their file is there.

use super::folder::{NewFolder, open_original};
use super::pages::{PageLinks, each_row, read_pages};
use super::{Count, Options, Original, count, file, not_empty};
use crate::corpus::{Document, write_documents};
use crate::id_map::IdMap;
use crate::input::{Input, find};
use crate::links;
use crate::reading::Reading;
use qwd_core::Result;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "wikispeedia",
    folder: "wikispeedia",
    description: "Wikispeedia: Wikipedia articles with the links between them, and clicks on the way to a target",
    files: &[
        file("articles.jsonl.zst", "72954a9d018348b954359ed753d76a84e69a1ff7f288a77aa1c936cbfe39003f"),
        file("categories.tsv.gz", "54f6d6bae0e6ac37256e5fe1998c3dea40edfa9299fea8a193a375dfdc36d2da"),
        file("links.tsv.gz", "8abcc18c60689d66290370333f3ca6a14e7a6ff9638b32663528c9fab8584362"),
        file("paths_unfinished.tsv.gz", "2d09ed6208e496ff5ebf2fb8b1639c903a4f45b265266e465511c6b4747b6c63"),
    ],
    homes: &["https://snap.stanford.edu/data/wikispeedia.html"],
    licence: "texts of Wikipedia: GFDL and CC BY-SA; cite West and Leskovec 2012, West, Pineau and Precup 2009",
    convert,
};

fn convert(from: &Path, to: &Path, options: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let (mut documents, ids) = read_pages(open_original(from, &["articles.jsonl"])?, reading)?;
    not_empty(&documents, from)?;
    add_categories(&mut documents, &ids, open_original(from, &["categories.tsv"])?, reading)?;
    let mut links = PageLinks::default();
    each_row(open_original(from, &["links.tsv"])?, "from<TAB>to", reading, |[from, to], _| {
        links.add(from.text, to.text, &ids, options);
        Ok(())
    })?;
    let clicks = Clicks::read(from, &ids, reading)?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("links.tsv", |out| links::write(out, links.names(&ids)))?;
    folder.write("clicks.tsv", |out| {
        clicks.n_clicks.iter().try_for_each(|(&(target, article), n)| {
            out.line(format_args!("{}\t{}\t{n}", ids.name(target), ids.name(article)))
        })
    })?;
    folder.publish()?;
    let mut counts = vec![count("documents", documents.len())];
    counts.extend(links.counts());
    counts.push(count("paths", clicks.n_paths));
    counts.push(Count { what: "clicks", n: clicks.n_clicks.values().sum() });
    Ok(counts)
}

/// Gives documents the field `categories`, as far as they have any.
fn add_categories(documents: &mut [Document], ids: &IdMap, input: Input, reading: &mut Reading) -> Result<()> {
    each_row(input, "article<TAB>category", reading, |[article, category], _| {
        if let Some(row) = ids.get(article.text) {
            let field = documents[row as usize].extra.entry("categories").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(categories) = field {
                categories.push(category.text.into());
            }
        }
        Ok(())
    })
}

/// How often each article was clicked on the way to each target.
#[derive(Default)]
struct Clicks {
    n_paths: usize,
    n_clicks: BTreeMap<(u32, u32), u64>,
}

impl Clicks {
    fn read(from: &Path, ids: &IdMap, reading: &mut Reading) -> Result<Self> {
        let mut clicks = Self::default();
        let layout = "address<TAB>time<TAB>seconds<TAB>path<TAB>target<TAB>type";
        let unfinished = open_original(from, &["paths_unfinished.tsv"])?;
        each_row(unfinished, layout, reading, |[_, _, _, path, target, _], _| {
            clicks.add(path.text, target.text, ids);
            Ok(())
        })?;
        if let Some(finished) = find(from, "paths_finished.tsv")? {
            let layout = "address<TAB>time<TAB>seconds<TAB>path<TAB>rating";
            each_row(Input::open(finished)?, layout, reading, |[_, _, _, path, _], _| {
                clicks.add(path.text, path.text.rsplit(';').next().unwrap_or_default(), ids);
                Ok(())
            })?;
        }
        Ok(clicks)
    }

    /// Counts what was clicked on a path, `a;b;<;c`: all but the start and the steps back.
    fn add(&mut self, path: &str, target: &str, ids: &IdMap) {
        self.n_paths += 1;
        let Some(target) = ids.get(target) else { return };
        for article in path.split(';').skip(1).filter_map(|name| ids.get(name)) {
            *self.n_clicks.entry((target, article)).or_default() += 1;
        }
    }
}
