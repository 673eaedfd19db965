//! MDN Web Docs: pages about the web in English with their links, and the Japanese and French ones with their mates.
//!
//! Three data sets are made of the same originals. `mdn_docs` has the English pages and the links between them. In
//! `mdn_docs_ja` and `mdn_docs_fr` the English pages are the documents, with their links, and the pages of the other
//! language are the queries; `mates.tsv` says which query is the translation of which document. A query's text begins
//! with its title. Pages without a counterpart stay in, without a mate.

use super::folder::{NewFolder, open_original};
use super::pages::{PageLinks, each_row, read_pages};
use super::{Count, Options, Original, OriginalFile, count, file, not_empty};
use crate::corpus::{Document, Query, write_documents, write_queries};
use crate::id_map::IdMap;
use crate::links;
use crate::mates;
use crate::reading::Reading;
use qwd_core::Result;
use std::path::Path;

const DOCS_EN: OriginalFile =
    file("docs_en.jsonl.zst", "e1e1abd28c0e2471d8dbe94888d01267cc6937f4d481a1b27d9f290a4b7f712c");
const LINKS_EN: OriginalFile =
    file("links_en.tsv.zst", "c603d5d390f61f21bb02672e559a700114c6b39c8d864f706855333cc0eeea66");

/// The English pages and their links.
pub const ENGLISH: Original = Original {
    name: "mdn_docs",
    folder: "mdn_docs",
    description: "MDN Web Docs: English pages about the web with the links between them",
    files: &[DOCS_EN, LINKS_EN],
    homes: &["https://github.com/mdn/content"],
    licence: "CC BY-SA 2.5, Mozilla and contributors",
    convert: |from, to, options, reading| convert(&ENGLISH, None, (from, to), options, reading),
};

/// The Japanese pages as queries for the English ones.
pub const JAPANESE: Original = Original {
    name: "mdn_docs_ja",
    description: "MDN Web Docs: Japanese pages with their English mates, English pages with their links",
    files: &[
        DOCS_EN,
        LINKS_EN,
        file("docs_ja.jsonl.zst", "83ce2e20339b159a8dd2c9f527f900f144d2d54fbc417e33cb38d430c93ff5f6"),
    ],
    homes: &["https://github.com/mdn/content", "https://github.com/mdn/translated-content"],
    convert: |from, to, options, reading| convert(&JAPANESE, Some("docs_ja.jsonl"), (from, to), options, reading),
    ..ENGLISH
};

/// The French pages as queries for the English ones.
pub const FRENCH: Original = Original {
    name: "mdn_docs_fr",
    description: "MDN Web Docs: French pages with their English mates, English pages with their links",
    files: &[
        DOCS_EN,
        LINKS_EN,
        file("docs_fr.jsonl.zst", "00dcbc35c69ef72381a401e19232d99454a947b6d2a2263088b6387f42e32f2e"),
    ],
    homes: &["https://github.com/mdn/content", "https://github.com/mdn/translated-content"],
    convert: |from, to, options, reading| convert(&FRENCH, Some("docs_fr.jsonl"), (from, to), options, reading),
    ..ENGLISH
};

fn convert(
    original: &Original,
    translated: Option<&str>,
    (from, to): (&Path, &Path),
    options: Options,
    reading: &mut Reading,
) -> Result<Vec<Count>> {
    let (documents, ids) = read_pages(open_original(from, &["docs_en.jsonl"])?, reading)?;
    not_empty(&documents, from)?;
    let mut links = PageLinks::default();
    each_row(open_original(from, &["links_en.tsv"])?, "from<TAB>to<TAB>count", reading, |[from, to, _], _| {
        links.add(from.text, to.text, &ids, options);
        Ok(())
    })?;
    let mut folder = NewFolder::create(to, original)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("links.tsv", |out| links::write(out, links.names(&ids)))?;
    let mut counts = vec![count("documents", documents.len())];
    counts.extend(links.counts());
    if let Some(name) = translated {
        let (pages, query_ids) = read_pages(open_original(from, &[name])?, reading)?;
        not_empty(&pages, from)?;
        let queries: Vec<Query> = pages.into_iter().map(query).collect();
        folder.write("queries.jsonl", |out| write_queries(out, &queries))?;
        let mates = translated_ids(&query_ids, &ids);
        folder.write("mates.tsv", |out| mates::write(out, mates.iter().map(|&id| (id, id))))?;
        counts.extend([count("queries", queries.len()), count("mates", mates.len())]);
    }
    folder.publish()?;
    Ok(counts)
}

/// Translations have the id of the page they translate.
fn translated_ids<'a>(queries: &'a IdMap, documents: &IdMap) -> Vec<&'a str> {
    queries.names().filter(|id| documents.get(id).is_some()).collect()
}

fn query(page: Document) -> Query {
    let text = if page.title.is_empty() { page.text } else { format!("{}\n{}", page.title, page.text) };
    Query { id: page.id, text, extra: page.extra }
}
