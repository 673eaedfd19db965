//! A sample of a Chinese web search log: 8,809 lists of ten results, with the clicks and their times.
//!
//! There are no texts of documents, so a document's text is its address. Sessions of `train_data` come first, then those of
//! `test_data`; clicks stand in the order of their times. Texts are GB18030.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file, not_empty};
use crate::corpus::{Document, Query, write_documents, write_queries};
use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::reading::Reading;
use crate::sessions::{self, SessionRecord};
use qwd_core::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "sogou-sample",
    folder: "clicklog_sogou_sample",
    description: "A sample of a Chinese search log: lists of ten results and their clicks, without texts",
    files: &[
        file("query_id", "3cef3bc8a70dc17ea96ed450cc27ded9f672602d7edf5a93a86867946a491b69"),
        file("url_id", "eff177c5de857b383ab2eb0a31d2b341ca861462c4ea3ab4c6ee9052693166b8"),
        file("train_data", "dccfe43477b05bad32d098c6c1bb6183b6492df149b482e59ffc59a54ae017d5"),
        file("test_data", "15fcd99470f851d00331bf8c402178c2cc76f1b975106953cedad79b628a939b"),
    ],
    homes: &["https://github.com/kurakimai/clickmodel_wc"],
    licence: "none stated",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let queries = read_texts(open_original(from, &["query_id"])?, reading)?;
    let addresses = read_texts(open_original(from, &["url_id"])?, reading)?;
    let documents: Vec<Document> = addresses
        .iter()
        .map(|(id, text)| Document { id: id.to_string(), text: text.clone(), ..Document::default() })
        .collect();
    not_empty(&documents, from)?;
    let known: IdMap = ids(addresses.keys())?;
    let known_queries: IdMap = ids(queries.keys())?;
    let mut all = Vec::new();
    for name in ["train_data", "test_data"] {
        reading.each_line(open_original(from, &[name])?, |line| {
            let session = parse(line)?;
            let unknown = session.shown.iter().find(|id| known.get(id).is_none());
            if let Some(id) = unknown.or(Some(&session.query).filter(|id| known_queries.get(id).is_none())) {
                return Err(line.error(1, format!("unknown query or document {}", quote(id)), CORRECT_OR_SKIP));
            }
            all.push(session);
            Ok(())
        })?;
    }
    let queries: Vec<Query> =
        queries.into_iter().map(|(id, text)| Query { id: id.to_string(), text, ..Query::default() }).collect();
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    folder.write("corpus.jsonl", |out| write_documents(out, &documents))?;
    folder.write("queries.jsonl", |out| write_queries(out, &queries))?;
    folder.write("sessions.jsonl", |out| all.iter().try_for_each(|session| sessions::write(out, session)))?;
    folder.publish()?;
    Ok(vec![
        count("documents", documents.len()),
        count("queries", queries.len()),
        count("sessions", all.len()),
        count("clicks", all.iter().map(|session| session.clicked.len()).sum()),
    ])
}

fn ids<'a>(numbers: impl Iterator<Item = &'a u64>) -> Result<IdMap> {
    let mut ids = IdMap::new();
    for number in numbers {
        ids.insert(&number.to_string())?;
    }
    Ok(ids)
}

/// Reads `text<TAB>number[<TAB>…]`; bytes that are not GB18030 become the replacement character.
fn read_texts(mut input: Input, reading: &mut Reading) -> Result<BTreeMap<u64, String>> {
    let path = input.path().to_path_buf();
    let mut bytes = Vec::new();
    input.read_up_to(64 << 20, &mut bytes)?;
    let text = encoding_rs::GB18030.decode_without_bom_handling(&bytes).0.into_owned();
    let mut texts = BTreeMap::new();
    reading.each_line(Input::from_bytes(path, text)?, |line| {
        let [Some(text), Some(number), ..] = line.columns::<4>(2, "text<TAB>number[<TAB>…]")? else {
            return Err(Error::internal("two columns were promised"));
        };
        texts.insert(whole(number, line)?, text.text.to_string());
        Ok(())
    })?;
    Ok(texts)
}

/// A session: query, documents, click flags and click times, then mouse features that are passed over.
fn parse(line: &Line<'_>) -> Result<SessionRecord> {
    let columns = line.columns::<10>(4, "query<TAB>documents<TAB>flags<TAB>times[<TAB>…]")?;
    let [Some(query), Some(documents), Some(flags), Some(times), ..] = columns else {
        return Err(Error::internal("four columns were promised"));
    };
    let shown: Vec<String> = documents.text.split(' ').map(str::to_string).collect();
    let flags: Vec<&str> = flags.text.split(' ').collect();
    let times: Vec<f64> = times.text.split(' ').map(|time| time.parse().unwrap_or(f64::NAN)).collect();
    if flags.len() != shown.len() || times.len() != shown.len() || times.iter().any(|time| time.is_nan()) {
        let what = format!("{} documents, {} flags and {} times", shown.len(), flags.len(), times.len());
        return Err(line.error(documents.column, what, CORRECT_OR_SKIP));
    }
    let mut clicked: Vec<usize> = (0..shown.len()).filter(|&i| flags[i] == "1").collect();
    clicked.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    let time = clicked.first().map(|&first| times[first]);
    let clicked = clicked.into_iter().map(|i| shown[i].clone()).collect();
    Ok(SessionRecord { query: query.text.to_string(), shown, clicked, user: None, time })
}

fn whole(field: Field<'_>, line: &Line<'_>) -> Result<u64> {
    field
        .text
        .parse()
        .map_err(|_| line.error(field.column, format!("{} is not a whole number", quote(field.text)), CORRECT_OR_SKIP))
}
