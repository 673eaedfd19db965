//! The tables and figures of the FenchelRank paper, on whichever of its five data sets are at hand.
//!
//! `3-table5-mq2008` runs a table on one data set, `3-table5` on all whose folders are there: `letor4_mq2008`,
//! `letor3_ohsumed`, `letor3_td2004`, `letor3_hp2004`, `letor3_np2004`, each with `Fold1` … `Fold5`.

mod cross_validation;
mod definition;
mod significance;
mod single_features;
mod training_time;

use super::{Row, Setting};
use definition::{Definition, Kind};
use qwd_core::{Error, Result};
use qwd_data::Reading;
use qwd_rank::reader::ReadParams;
use qwd_rank::{Fold, MetricFamily, folds};

experiments!(
    "3-figure1",
    "3-figure2",
    "3-figure3",
    "3-figure4",
    "3-table2",
    "3-table3",
    "3-table4",
    "3-table5",
    "3-table6",
    "3-table7",
    "3-table8",
    "3-table9",
);

/// A data set of the paper.
#[derive(Debug, Clone, Copy)]
struct Collection {
    /// Its name in rows, and behind the hyphen of an experiment.
    name: &'static str,
    folder: &'static str,
    metrics: MetricFamily,
}

const COLLECTIONS: &[Collection] = &[
    Collection { name: "mq2008", folder: "letor4_mq2008", metrics: MetricFamily::Letor4 },
    Collection { name: "ohsumed", folder: "letor3_ohsumed", metrics: MetricFamily::Letor3 },
    Collection { name: "td2004", folder: "letor3_td2004", metrics: MetricFamily::Letor3 },
    Collection { name: "hp2004", folder: "letor3_hp2004", metrics: MetricFamily::Letor3 },
    Collection { name: "np2004", folder: "letor3_np2004", metrics: MetricFamily::Letor3 },
];

/// One data set with its folds.
struct Opened {
    collection: Collection,
    folds: Vec<Fold>,
}

/// The names of all experiments, each with what may stand behind it.
pub(super) fn names() -> Vec<String> {
    let endings: Vec<String> = COLLECTIONS.iter().map(|c| format!("-{}", c.name)).collect();
    EXPERIMENTS.iter().map(|(name, _)| format!("{name}[{}]", endings.join("|"))).collect()
}

/// Runs an experiment of this name, if there is one.
pub(super) fn run(name: &str, setting: Setting<'_>) -> Result<Option<Vec<Row>>> {
    let find = |wanted: &str| EXPERIMENTS.iter().find(|(known, _)| *known == wanted);
    let of_one = COLLECTIONS
        .iter()
        .find_map(|c| Some((find(name.strip_suffix(c.name)?.strip_suffix('-')?)?, std::slice::from_ref(c))));
    let Some(((name, text), collections)) = of_one.or_else(|| Some((find(name)?, COLLECTIONS))) else {
        return Ok(None);
    };
    let definition = Definition::parse(name, text)?;
    let at_hand: Vec<&Collection> = collections.iter().filter(|c| setting.data.join(c.folder).is_dir()).collect();
    if at_hand.is_empty() {
        let wanted: Vec<&str> = collections.iter().map(|c| c.folder).collect();
        let what = format!("{} has no folder {}", setting.data.display(), wanted.join(" or "));
        return Err(Error::bad_data(what, "put the LETOR collection there, with Fold1 to Fold5 inside"));
    }
    let mut rows = Vec::new();
    for &collection in at_hand {
        rows.extend(definition.run(&Opened::open(collection, setting)?, setting)?);
    }
    if let Some(only) = setting.only {
        let known: Vec<String> = rows.iter().map(|row| row.method.clone()).collect();
        rows.retain(|row| row.method == only);
        if rows.is_empty() {
            let known = if known.is_empty() { definition.row_names() } else { known };
            return Err(Error::param("--only", only, format!("one of {}", known.join(", "))));
        }
    }
    Ok(Some(rows))
}

impl Opened {
    /// Opens a collection; LETOR 3.0 keeps its folds one folder deeper.
    fn open(collection: Collection, setting: Setting<'_>) -> Result<Self> {
        let folder = setting.data.join(collection.folder);
        let deeper = folder.join("QueryLevelNorm");
        let folder = if deeper.is_dir() { deeper } else { folder };
        let folds = folds::open_letor(&folder, ReadParams::default(), &mut Reading::default())?;
        Ok(Self { collection, folds })
    }
}

impl Definition {
    fn run(&self, opened: &Opened, setting: Setting<'_>) -> Result<Vec<Row>> {
        match self.kind {
            Kind::CrossValidation => cross_validation::run(self, opened, setting),
            Kind::Significance => significance::run(self, opened, setting),
            Kind::SingleFeatures => single_features::run(opened, setting),
            Kind::TrainingTime => training_time::run(self, opened, setting),
        }
    }
}
