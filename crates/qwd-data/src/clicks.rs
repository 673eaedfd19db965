//! Clicks, added up: `query<TAB>document<TAB>clicks[<TAB>impressions[<TAB>position]]`, a pair of ids on each line, or the same
//! as JSON, `{"query", "document", "clicks", "impressions", "position"}`.
//!
//! Clicks and impressions are whole numbers. A pair without clicks may stand here if its impressions do: it was shown and
//! passed over, which position bias is estimated from. A position is the mean over a pair's impressions, counted from 1, so
//! it may have decimals; `-` stands for impressions that are not known.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::json;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::output::Output;
use crate::pairs::PairLines;
use crate::reading::Reading;
use qwd_core::{Error, Result};
use serde::Deserialize;
use std::borrow::Cow;

const LAYOUT: &str = "query<TAB>document<TAB>clicks[<TAB>impressions[<TAB>position]]";

/// Sums of clicks stay exact in f64 far beyond any log, as long as no single count is absurd.
const HIGHEST: u64 = 1 << 40;

/// How often a document was clicked for a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Click {
    /// The row of the query.
    pub query: u32,
    /// The row of the document.
    pub document: u32,
    /// How often it was clicked.
    pub clicks: u64,
    /// How often it was shown, at least as often.
    pub impressions: Option<u64>,
    /// Its mean position, from 1.
    pub position: Option<f32>,
}

/// How pairs lie in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClickLayout {
    /// Columns between tabs.
    Columns,
    /// A JSON object.
    Json,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "clicks as a JSON object", deny_unknown_fields)]
struct ClickRecord<'a> {
    #[serde(borrow)]
    query: Cow<'a, str>,
    #[serde(borrow)]
    document: Cow<'a, str>,
    clicks: u64,
    impressions: Option<u64>,
    position: Option<f32>,
}

/// One pair as it stands in a line.
#[derive(Debug, Clone, Copy)]
pub struct ClickFields<'a> {
    /// The query's id.
    pub query: Field<'a>,
    /// The document's id.
    pub document: Field<'a>,
    /// What is known of the pair; its rows are 0.
    pub click: Click,
}

/// Clicks with the ids of their own file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clicks {
    /// The ids of the queries.
    pub queries: IdMap,
    /// The ids of the documents.
    pub documents: IdMap,
    /// The pairs in the order of the file; their rows are numbers in the two maps.
    pub clicks: Vec<Click>,
}

/// Hands every pair to `record`. Positions that all begin later than 1 are an error: they are counted otherwise.
pub fn each_click(
    input: Input,
    layout: ClickLayout,
    reading: &mut Reading,
    mut record: impl FnMut(ClickFields<'_>, &Line<'_>) -> Result<()>,
) -> Result<()> {
    let place = input.place();
    let mut first = f32::INFINITY;
    reading.each_line(input, |line| {
        let mut take = |fields: ClickFields<'_>| {
            first = first.min(fields.click.position.unwrap_or(f32::INFINITY));
            record(fields, line)
        };
        match layout {
            ClickLayout::Columns => take(parse(line)?),
            ClickLayout::Json => take(json::parse::<ClickRecord<'_>>(line)?.fields(line)?),
        }
    })?;
    if first.is_finite() && first >= 2.0 {
        let what = format!("positions begin at {first}, not at 1");
        return Err(Error::parse(place, what, "count positions from 1, or leave the column out"));
    }
    Ok(())
}

/// Reads all pairs; a repeated one is an error.
pub fn read(input: Input, layout: ClickLayout, reading: &mut Reading) -> Result<Clicks> {
    let mut clicks = Clicks::default();
    let mut seen = PairLines::default();
    each_click(input, layout, reading, |fields, line| {
        let query = clicks.queries.insert(fields.query.text)?.0;
        let document = clicks.documents.insert(fields.document.text)?.0;
        seen.insert((query, document), line, || fields.describe())?;
        clicks.clicks.push(Click { query, document, ..fields.click });
        Ok(())
    })?;
    Ok(clicks)
}

/// Writes one pair; what is not known is left out.
pub fn write(out: &mut Output, query: &str, document: &str, click: &Click) -> Result<()> {
    let Click { clicks, impressions, position, .. } = *click;
    match (impressions, position) {
        (None, None) => out.line(format_args!("{query}\t{document}\t{clicks}")),
        (Some(shown), None) => out.line(format_args!("{query}\t{document}\t{clicks}\t{shown}")),
        (None, Some(position)) => out.line(format_args!("{query}\t{document}\t{clicks}\t-\t{position}")),
        (Some(shown), Some(position)) => out.line(format_args!("{query}\t{document}\t{clicks}\t{shown}\t{position}")),
    }
}

impl ClickFields<'_> {
    /// Refuses what cannot be; `column` is where the numbers begin.
    fn checked(self, column: u64, line: &Line<'_>) -> Result<Self> {
        for (name, field) in [("query", self.query), ("document", self.document)] {
            if field.text.is_empty() {
                return Err(line.error(field.column, format!("empty {name} id"), CORRECT_OR_SKIP));
            }
        }
        check(&self.click).map_err(|what| line.error(column, what, CORRECT_OR_SKIP))?;
        Ok(self)
    }

    pub(crate) fn describe(&self) -> String {
        format!("the clicks on document {} for query {}", quote(self.document.text), quote(self.query.text))
    }
}

impl ClickRecord<'_> {
    fn fields(&self, line: &Line<'_>) -> Result<ClickFields<'_>> {
        let Self { query, document, clicks, impressions, position } = self;
        let id = |text| Field { text, column: 1 };
        let click = Click { clicks: *clicks, impressions: *impressions, position: *position, ..Click::default() };
        ClickFields { query: id(query), document: id(document), click }.checked(1, line)
    }
}

fn parse<'a>(line: &Line<'a>) -> Result<ClickFields<'a>> {
    let [Some(query), Some(document), Some(clicks), impressions, position] = line.columns::<5>(3, LAYOUT)? else {
        return Err(Error::internal("three columns were promised"));
    };
    let n_clicks = whole(clicks, "clicks", line)?;
    let shown = impressions.filter(|field| field.text != "-").map(|field| whole(field, "impressions", line));
    let click = Click {
        clicks: n_clicks,
        impressions: shown.transpose()?,
        position: position.map(|field| parse_position(field, line)).transpose()?,
        ..Click::default()
    };
    ClickFields { query, document, click }.checked(clicks.column, line)
}

/// What is wrong with a pair's numbers, whatever file they come from.
pub(crate) fn check(click: &Click) -> Result<(), String> {
    match (click.clicks, click.impressions) {
        (0, None) => return Err("no clicks, and no impressions that would say it was shown".into()),
        (0, Some(0)) => return Err("neither clicks nor impressions".into()),
        (clicks, shown) if clicks.max(shown.unwrap_or(0)) > HIGHEST => {
            return Err("a number above 2^40".into());
        }
        (clicks, Some(shown)) if clicks > shown => return Err(format!("{clicks} clicks in {shown} impressions")),
        _ => {}
    }
    match click.position {
        Some(position) if !(1.0..=1e6).contains(&position) => {
            Err(format!("position {position} is not a number from 1 to 1,000,000"))
        }
        _ => Ok(()),
    }
}

fn whole(field: Field<'_>, name: &str, line: &Line<'_>) -> Result<u64> {
    field.text.parse().ok().filter(|&n| n <= HIGHEST).ok_or_else(|| {
        let what = format!("{name} {} is not a whole number from 0 to 2^40", quote(field.text));
        line.error(field.column, what, CORRECT_OR_SKIP)
    })
}

fn parse_position(field: Field<'_>, line: &Line<'_>) -> Result<f32> {
    field.text.parse().map_err(|_| {
        let what = format!("position {} is not a number", quote(field.text));
        line.error(field.column, what, CORRECT_OR_SKIP)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Clicks> {
        read(Input::from_bytes("clicks.tsv", text)?, ClickLayout::Columns, &mut Reading::default())
    }

    #[test]
    fn columns_may_be_left_out_from_the_end() {
        let clicks = read_text("q\ta\t3\nq\tb\t2\t9\nr\ta\t1\t4\t1.5\nr\tb\t1\t-\t2\nr\tc\t0\t4\t3\n").expect("clicks");
        let numbers: Vec<_> = clicks.clicks.iter().map(|c| (c.clicks, c.impressions, c.position)).collect();
        let expected = [
            (3, None, None),
            (2, Some(9), None),
            (1, Some(4), Some(1.5)),
            (1, None, Some(2.0)),
            (0, Some(4), Some(3.0)),
        ];
        assert_eq!(numbers, expected);
        let path = tempfile::tempdir().expect("a folder");
        let file = path.path().join("clicks.tsv");
        let mut out = crate::output::create(&file).expect("a file");
        for click in &clicks.clicks {
            let (query, document) = (clicks.queries.name(click.query), clicks.documents.name(click.document));
            write(&mut out, query, document, click).expect("written");
        }
        out.finish().expect("whole");
        let again =
            read(Input::open(&file).expect("there"), ClickLayout::Columns, &mut Reading::default()).expect("read");
        assert_eq!(again, clicks);
    }

    #[test]
    fn json_says_the_same() {
        let read_json =
            |text: &str| read(Input::from_bytes("clicks.jsonl", text)?, ClickLayout::Json, &mut Reading::default());
        let text = "{\"query\":\"q\",\"document\":\"a\",\"clicks\":3}\n\
            {\"query\":\"q\",\"document\":\"\\u0062\",\"clicks\":0,\"impressions\":4,\"position\":1.5}\n";
        assert_eq!(read_json(text).expect("clicks"), read_text("q\ta\t3\nq\tb\t0\t4\t1.5\n").expect("clicks"));
        for (text, problem) in [
            ("{\"query\":\"q\",\"document\":\"a\"}\n", "missing field `clicks`"),
            ("{\"query\":\"q\",\"document\":\"a\",\"clicks\":-1}\n", "clicks.jsonl:1"),
            ("{\"query\":\"q\",\"document\":\"a\",\"clicks\":0}\n", "no clicks"),
            ("{\"query\":\"\",\"document\":\"a\",\"clicks\":1}\n", "empty query id"),
            ("{\"query\":\"q\",\"document\":\"a\",\"clicks\":9999999999999}\n", "above 2^40"),
        ] {
            let message = read_json(text).expect_err(text).to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }

    #[test]
    fn impossible_numbers_name_their_line() {
        for (text, problem) in [
            ("q\ta\t1\nq\tb\t0\n", "clicks.tsv:2:5: no clicks"),
            ("q\ta\t0\t0\n", "neither clicks nor impressions"),
            ("q\ta\t-3\n", "clicks \"-3\" is not a whole number"),
            ("q\ta\t2.5\n", "clicks \"2.5\" is not a whole number"),
            ("q\ta\t5\t4\n", "5 clicks in 4 impressions"),
            ("q\ta\t1\t4\t0\n", "position 0 is not a number from 1"),
            ("q\ta\t1\t4\tNaN\n", "position NaN is not"),
            ("q\ta\t1\t4\tfirst\n", "position \"first\" is not a number"),
            ("q\ta\t1\t4\t2\nq\tb\t1\t4\t3\n", "positions begin at 2, not at 1"),
            ("q\ta\t1\nq\ta\t2\n", "appears twice, first on line 1"),
            ("q\t\t1\n", "empty document id"),
            ("q\ta\n", "expected query<TAB>document<TAB>clicks"),
        ] {
            let message = read_text(text).expect_err(text).to_string();
            assert!(message.contains(problem), "{text:?}: {message}");
        }
    }
}
