//! Judgments: which document suits which query, and how well.
//!
//! Two layouts are in use. BEIR's begins with the header `query-id<TAB>corpus-id<TAB>score`; TREC's has no header and
//! four columns, `query iteration document grade`. The header alone tells them apart, no value is ever guessed at.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::output::Output;
use crate::pairs::PairLines;
use crate::preference::Judgment;
use crate::reading::Reading;
use crate::trec;
use qwd_core::Result;

const HEADER: [&str; 3] = ["query-id", "corpus-id", "score"];

/// How a file of judgments is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// BEIR's if the file begins with BEIR's header, else TREC's.
    #[default]
    ByHeader,
    /// Three columns between tabs, under a header.
    Beir,
    /// Four columns between spaces or tabs, without a header.
    Trec,
}

/// Judgments with the ids of their own file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Qrels {
    /// The ids of the queries.
    pub queries: IdMap,
    /// The ids of the documents.
    pub documents: IdMap,
    /// The judgments in the order of the file; their rows are numbers in the two maps.
    pub judgments: Vec<Judgment>,
}

/// One judgment as it stands in a line.
#[derive(Debug, Clone, Copy)]
pub struct JudgmentFields<'a> {
    /// The query's id.
    pub query: Field<'a>,
    /// The document's id.
    pub document: Field<'a>,
    /// The grade.
    pub grade: i32,
}

/// Hands every judgment to `record`.
pub fn each_judgment(
    input: Input,
    layout: Layout,
    reading: &mut Reading,
    mut record: impl FnMut(JudgmentFields<'_>, &Line<'_>) -> Result<()>,
) -> Result<()> {
    let mut layout = layout;
    let mut is_first = true;
    reading.each_line(input, |line| {
        if std::mem::take(&mut is_first) {
            let has_header = is_header(line);
            match layout {
                Layout::ByHeader => layout = if has_header { Layout::Beir } else { Layout::Trec },
                Layout::Beir if !has_header => return Err(header_missing(line)),
                Layout::Beir | Layout::Trec => {}
            }
            if has_header && layout == Layout::Beir {
                return Ok(());
            }
        }
        let fields = if layout == Layout::Beir { beir_fields(line)? } else { trec_fields(line)? };
        record(fields, line)
    })
}

/// Reads all judgments; a repeated pair of query and document is an error.
pub fn read(input: Input, layout: Layout, reading: &mut Reading) -> Result<Qrels> {
    let mut qrels = Qrels::default();
    let mut seen = PairLines::default();
    each_judgment(input, layout, reading, |fields, line| {
        let (query, _) = qrels.queries.insert(fields.query.text)?;
        let (document, _) = qrels.documents.insert(fields.document.text)?;
        seen.insert((query, document), line, || fields.describe())?;
        qrels.judgments.push(Judgment { query, document, grade: fields.grade });
        Ok(())
    })?;
    Ok(qrels)
}

/// Writes judgments in BEIR's layout.
pub fn write_beir<'a>(out: &mut Output, judgments: impl IntoIterator<Item = (&'a str, &'a str, i32)>) -> Result<()> {
    out.line(format_args!("{}", HEADER.join("\t")))?;
    judgments
        .into_iter()
        .try_for_each(|(query, document, grade)| out.line(format_args!("{query}\t{document}\t{grade}")))
}

/// Writes judgments in TREC's layout, whose ids cannot hold white space.
pub fn write_trec<'a>(out: &mut Output, judgments: impl IntoIterator<Item = (&'a str, &'a str, i32)>) -> Result<()> {
    judgments.into_iter().try_for_each(|(query, document, grade)| {
        out.line(format_args!("{} 0 {} {grade}", trec::id(query)?, trec::id(document)?))
    })
}

impl JudgmentFields<'_> {
    pub(crate) fn describe(&self) -> String {
        format!("the judgment of document {} for query {}", quote(self.document.text), quote(self.query.text))
    }
}

fn is_header(line: &Line<'_>) -> bool {
    line.text.split('\t').map(str::trim).eq(HEADER)
}

fn header_missing(line: &Line<'_>) -> qwd_core::Error {
    line.error(1, "the header query-id<TAB>corpus-id<TAB>score is missing", "add it as the first line")
}

fn beir_fields<'a>(line: &Line<'a>) -> Result<JudgmentFields<'a>> {
    let columns = line.columns::<3>(3, "query-id<TAB>corpus-id<TAB>score")?;
    let [Some(query), Some(document), Some(score)] = columns else {
        return Err(qwd_core::Error::internal("three columns were promised"));
    };
    fields(line, query, document, score)
}

fn trec_fields<'a>(line: &Line<'a>) -> Result<JudgmentFields<'a>> {
    let layout = "query, iteration, document and grade";
    let remedy = "write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout";
    let [query, _, document, grade] = trec::columns(line, layout, remedy)?;
    fields(line, query, document, grade)
}

fn fields<'a>(line: &Line<'a>, query: Field<'a>, document: Field<'a>, grade: Field<'a>) -> Result<JudgmentFields<'a>> {
    for (name, field) in [("query", query), ("document", document)] {
        if field.text.is_empty() {
            return Err(line.error(field.column, format!("empty {name} id"), CORRECT_OR_SKIP));
        }
    }
    let grade = grade.text.parse().map_err(|_| {
        let what = format!("grade {} is not a whole number of 32 bits", quote(grade.text));
        line.error(grade.column, what, CORRECT_OR_SKIP)
    })?;
    Ok(JudgmentFields { query, document, grade })
}
