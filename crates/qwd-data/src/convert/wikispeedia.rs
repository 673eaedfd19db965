//! Wikispeedia: 4,604 Wikipedia articles for schools, the links between them, and the paths of people who played at
//! finding one article from another by links alone.
//!
//! Documents are articles, with their categories as a field; their ids are the names as the makers write them (URL
//! encoding). `clicks.tsv` says how often a link was chosen on a page: `page<TAB>article<TAB>clicks`. `steps.tsv` has every
//! choice with its path and target, so that whole paths can be held out. A step back is no choice: the next one is made on
//! the page before. A path ends where it was given up, and one through unknown articles loses only those. Finished paths are
//! read where their file is there.

use super::folder::{NewFolder, open_original};
use super::pages::{PageLinks, each_row, read_pages};
use super::{Count, Options, Original, count, file, not_empty};
use crate::clicks::{self, Click};
use crate::corpus::{Document, write_documents};
use crate::id_map::IdMap;
use crate::input::{Input, find};
use crate::links;
use crate::reading::Reading;
use crate::steps::{self, Step};
use qwd_core::Result;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "wikispeedia",
    folder: "wikispeedia",
    description: "Wikispeedia: Wikipedia articles with the links between them, and the links that players chose",
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
    let paths = Paths::read(from, &ids, reading)?;
    let clicks = paths.clicks();
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("links.tsv", |out| links::write(out, links.names(&ids)))?;
    folder.write("clicks.tsv", |out| {
        clicks.iter().try_for_each(|(&(page, article), &clicks)| {
            clicks::write(out, ids.name(page), ids.name(article), &Click { clicks, ..Click::default() })
        })
    })?;
    folder.write("steps.tsv", |out| {
        paths.steps.iter().try_for_each(|&Step { path, page, article, target }| {
            let target = target.map_or(steps::UNKNOWN, |target| ids.name(target));
            steps::write(out, path, ids.name(page), ids.name(article), target)
        })
    })?;
    folder.publish()?;
    let mut counts = vec![count("documents", documents.len())];
    counts.extend(links.counts());
    counts.push(count("paths", paths.n_paths as usize));
    counts.push(count("clicks", paths.steps.len()));
    counts.push(count("clicked pairs", clicks.len()));
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

/// The choices of all players.
#[derive(Default)]
struct Paths {
    n_paths: u32,
    steps: Vec<Step>,
}

impl Paths {
    fn read(from: &Path, ids: &IdMap, reading: &mut Reading) -> Result<Self> {
        let mut paths = Self::default();
        let layout = "address<TAB>time<TAB>seconds<TAB>path<TAB>target<TAB>type";
        let unfinished = open_original(from, &["paths_unfinished.tsv"])?;
        each_row(unfinished, layout, reading, |[_, _, _, path, target, _], _| {
            paths.add(path.text, target.text, ids);
            Ok(())
        })?;
        if let Some(finished) = find(from, "paths_finished.tsv")? {
            let layout = "address<TAB>time<TAB>seconds<TAB>path<TAB>rating";
            each_row(Input::open(finished)?, layout, reading, |[_, _, _, path, _], _| {
                paths.add(path.text, path.text.rsplit(';').next().unwrap_or_default(), ids);
                Ok(())
            })?;
        }
        Ok(paths)
    }

    /// Follows a path, `a;b;<;c`: b was chosen on a, and after the step back so was c.
    fn add(&mut self, path: &str, target: &str, ids: &IdMap) {
        let (number, target) = (self.n_paths, ids.get(target));
        self.n_paths += 1;
        let mut way: Vec<Option<u32>> = Vec::new();
        for name in path.split(';') {
            if name == "<" {
                way.pop();
                continue;
            }
            let article = ids.get(name);
            if let (Some(&Some(page)), Some(article)) = (way.last(), article) {
                self.steps.push(Step { path: number, page, article, target });
            }
            way.push(article);
        }
    }

    fn clicks(&self) -> BTreeMap<(u32, u32), u64> {
        let mut clicks = BTreeMap::new();
        for step in &self.steps {
            *clicks.entry((step.page, step.article)).or_default() += 1;
        }
        clicks
    }
}
