//! Links between documents: `from<TAB>to`, a pair of document ids on each line.

use crate::id_map::IdMap;
use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::output::Output;
use crate::pairs::PairLines;
use crate::reading::Reading;
use qwd_core::{Error, Result};

/// Links with the ids of their own file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// The ids of the documents.
    pub documents: IdMap,
    /// The links in the order of the file, as numbers in the map.
    pub pairs: Vec<(u32, u32)>,
}

/// Hands both ends of every link to `record`; a link to itself is an error.
pub fn each_link(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut([Field<'_>; 2], &Line<'_>) -> Result<()>,
) -> Result<()> {
    reading.each_line(input, |line| {
        let [Some(from), Some(to)] = line.columns::<2>(2, "from<TAB>to")? else {
            return Err(Error::internal("two columns were promised"));
        };
        if let Some(empty) = [from, to].iter().find(|field| field.text.is_empty()) {
            return Err(line.error(empty.column, "empty document id", CORRECT_OR_SKIP));
        }
        if from.text == to.text {
            let what = format!("document {} links to itself", quote(from.text));
            return Err(line.error(1, what, "remove the line or pass --on-error skip"));
        }
        record([from, to], line)
    })
}

/// Reads all links; a repeated one is an error.
pub fn read(input: Input, reading: &mut Reading) -> Result<Links> {
    let mut links = Links::default();
    let mut seen = PairLines::default();
    each_link(input, reading, |[from, to], line| {
        let pair = (links.documents.insert(from.text)?.0, links.documents.insert(to.text)?.0);
        seen.insert(pair, line, || describe(from, to))?;
        links.pairs.push(pair);
        Ok(())
    })?;
    Ok(links)
}

/// Writes links, one on each line.
pub fn write<'a>(out: &mut Output, links: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    links.into_iter().try_for_each(|(from, to)| out.line(format_args!("{from}\t{to}")))
}

/// Tells whether a page's name is that of a calendar year: `1994`, `44_BC`, `AD 79`.
pub fn is_calendar_year(name: &str) -> bool {
    let mut parts = name.split([' ', '_']).filter(|part| !["AD", "BC"].contains(part));
    let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(is_number) && parts.next().is_none()
}

pub(crate) fn describe(from: Field<'_>, to: Field<'_>) -> String {
    format!("the link from {} to {}", quote(from.text), quote(to.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar_years_are_told_from_other_names_with_numbers() {
        for year in ["1994", "79", "44_BC", "44 BC", "AD_79"] {
            assert!(is_calendar_year(year), "{year}");
        }
        for other in
            ["", "BC", "19th_century", "1973_oil_crisis", "12345", "4-6-0", "47_Ursae_Majoris", "1_2", "１９９４"]
        {
            assert!(!is_calendar_year(other), "{other}");
        }
    }
}
