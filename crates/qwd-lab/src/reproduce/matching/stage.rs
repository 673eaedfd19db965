//! Where an experiment's queries, documents, clicks, preferences and judgments come from.
//!
//! | source | clicks to learn from | judged |
//! |---|---|---|
//! | simulated | all of the log | the judged queries of the log, half to tune and half to test |
//! | ZZQueryLog | those of the training queries | other queries' clicks: share ≥ 75 % is grade 3, ≥ 50 % 2, ≥ 25 % 1 |
//! | Wikispeedia | choices on the training paths | choices on other paths among the links of the page, grade 1 |

use crate::collection;
use crate::judged::{JudgedList, JudgedSet};
use crate::reproduce::Setting;
use crate::simulate_clicks::{SimulatorParams, simulate};
use qwd_core::{Error, Result, Rng};
use qwd_data::click_rules::{self, ClickRule};
use qwd_data::convert::Original;
use qwd_data::steps::{self, Step};
use qwd_data::{
    Click, Dataset, Input, Opened, Preference, Reading, SampleParams, Sampler, Shares, Signal, Split, SplitRule,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Preferences drawn where no sessions give them.
const DRAWN: usize = 200_000;

/// The source of an experiment's data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Source {
    /// A simulated log, or a share of it.
    Simulated { world: String, share: f64 },
    /// The log of a sports site.
    Zzquerylog {},
    /// Navigation paths.
    Wikispeedia {
        /// The most choices that are measured, of each half.
        choices: usize,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::Simulated { world: "one-week".to_string(), share: 1.0 }
    }
}

/// The data of an experiment.
pub(super) struct Stage {
    pub(super) dataset: Dataset,
    /// The clicks to learn from.
    pub(super) clicks: Vec<Click>,
    /// What those clicks prefer.
    pub(super) preferences: Vec<Preference>,
    /// What parameters are chosen on.
    pub(super) tune: JudgedSet,
    /// What is reported.
    pub(super) test: JudgedSet,
    /// The clicks of each query, by its name.
    pub(super) totals: BTreeMap<String, u64>,
}

impl Source {
    pub(super) fn open(&self, setting: Setting<'_>) -> Result<Stage> {
        match self {
            Self::Simulated { world, share } => simulated(world, *share, setting),
            Self::Zzquerylog {} => zzquerylog(setting),
            Self::Wikispeedia { choices } => wikispeedia(*choices, setting),
        }
    }
}

/// The log in the folder `simulated-WORLD`, if it is there and whole, else one that is made now.
fn simulated(world: &str, share: f64, setting: Setting<'_>) -> Result<Stage> {
    let params = SimulatorParams::named(world).ok_or_else(|| Error::internal(format!("no world {world}")))?;
    let params = params.scaled(share)?;
    let made = setting.data.join(format!("simulated-{world}"));
    let is_same = share == 1.0 && SimulatorParams::read(&made.join("simulator.toml")).is_ok_and(|own| own == params);
    let scratch = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), "create a folder in", e))?;
    let folder = if is_same {
        made
    } else {
        simulate(&params, &scratch.path().join("log"), setting.threads, setting.observer)?.folder
    };
    let dataset = Dataset::open(&folder, &mut Reading::default())?;
    let name = |row: u32| dataset.query_ids.name(row).to_string();
    let judged = |split| {
        let task = dataset.task_of(Signal::Judgments, split, &SplitRule::default())?;
        JudgedSet::of_task(&task.ok_or_else(|| Error::bad_data("the log has no judgments", "make it anew"))?, name)
    };
    let (tune, test) = (judged(Split::Dev)?, judged(Split::Test)?);
    let preferences = click_rules::preferences(&dataset.sessions, &[ClickRule::ClickSkipAbove]);
    let totals = totals(&dataset.clicks, name);
    Ok(Stage { clicks: dataset.clicks.clone(), preferences, tune, test, totals, dataset })
}

fn zzquerylog(setting: Setting<'_>) -> Result<Stage> {
    let Opened::Texts(dataset) = collection::open(setting.data, "zzquerylog")? else {
        return Err(Error::internal("a log without texts"));
    };
    let rule = SplitRule { shares: Shares::try_new(6.0, 2.0, 2.0)?, ..SplitRule::default() };
    let split_of = |click: &Click| rule.of_id(dataset.query_ids.name(click.query));
    let clicks: Vec<Click> = dataset.clicks.iter().filter(|click| split_of(click) == Split::Train).copied().collect();
    let lists = |split| graded_by_share(&dataset, |click| split_of(click) == split);
    let (tune, test) = (lists(Split::Dev)?, lists(Split::Test)?);
    let task = dataset.task_of(Signal::Clicks, Split::Train, &rule)?;
    let task = task.ok_or_else(|| Error::bad_data("the log has no clicks to train on", "get it anew"))?;
    let preferences = Sampler::of_task(&task, &SampleParams::default())?.sample(DRAWN)?;
    let totals = totals(&dataset.clicks, |row| dataset.query_ids.name(row).to_string());
    Ok(Stage { dataset: *dataset, clicks, preferences, tune, test, totals })
}

/// All documents for every query of some clicks, graded as the makers of ZZQueryLog do; a query none of whose documents has
/// a quarter of its clicks is left out.
fn graded_by_share(dataset: &Dataset, is_own: impl Fn(&Click) -> bool) -> Result<JudgedSet> {
    let mut of_query: BTreeMap<u32, Vec<&Click>> = BTreeMap::new();
    for click in dataset.clicks.iter().filter(|click| is_own(click)) {
        of_query.entry(click.query).or_default().push(click);
    }
    let mut lists = Vec::new();
    for (query, clicks) in of_query {
        let total: u64 = clicks.iter().map(|click| click.clicks).sum();
        let mut grades = vec![0; dataset.documents.len()];
        for click in clicks {
            let share = click.clicks as f64 / total as f64;
            grades[click.document as usize] = [0.25, 0.5, 0.75].iter().filter(|&&least| share >= least).count() as i32;
        }
        if grades.iter().any(|&grade| grade > 0) {
            let documents = (0..dataset.documents.len() as u32).collect();
            lists.push(JudgedList { query, name: dataset.query_ids.name(query).to_string(), documents, grades });
        }
    }
    JudgedSet::new(lists)
}

fn wikispeedia(choices: usize, setting: Setting<'_>) -> Result<Stage> {
    let original = Original::named("wikispeedia")?;
    let scratch = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), "create a folder in", e))?;
    let made = setting.data.join("wikispeedia");
    let folder = if made.join("steps.tsv").is_file() {
        made
    } else {
        original
            .convert(&original.find_in(setting.data), &scratch.path().join("paths"), &mut Reading::default())?
            .folder
    };
    let dataset = Dataset::open(&folder, &mut Reading::default())?;
    let input = Input::open(folder.join("steps.tsv"))?;
    let steps = steps::read(input, &dataset.document_ids, &mut Reading::default())?;
    let rule = SplitRule::default();
    let of = |split: Split| -> Vec<Step> {
        steps.iter().filter(|step| rule.of_id(&step.path.to_string()) == split).copied().collect()
    };
    let links = Links::of(&dataset);
    let train = of(Split::Train);
    let mut clicks: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for step in &train {
        *clicks.entry((step.page, step.article)).or_default() += 1;
    }
    let clicks: Vec<Click> = clicks
        .into_iter()
        .map(|((query, document), clicks)| Click { query, document, clicks, ..Click::default() })
        .collect();
    let name = |row: u32| dataset.document_ids.name(row).to_string();
    let mut rng = Rng::new(1);
    let preferences = train.iter().filter_map(|step| links.preference(step, &mut rng)).collect();
    let [tune, test] = [Split::Dev, Split::Test].map(|split| links.choices(&of(split), choices));
    let totals = totals(&clicks, name);
    Ok(Stage { clicks, preferences, tune: tune?, test: test?, totals, dataset })
}

/// The links of pages.
struct Links {
    of_page: BTreeMap<u32, Vec<u32>>,
}

impl Links {
    fn of(dataset: &Dataset) -> Self {
        let mut of_page: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(page, article) in &dataset.links {
            of_page.entry(page).or_default().push(article);
        }
        Self { of_page }
    }

    /// The links among which a choice was made.
    fn around(&self, step: &Step) -> Option<&[u32]> {
        self.of_page.get(&step.page).filter(|links| links.len() > 1 && links.contains(&step.article)).map(Vec::as_slice)
    }

    /// The chosen link rather than another one of the page.
    fn preference(&self, step: &Step, rng: &mut Rng) -> Option<Preference> {
        let links = self.around(step)?;
        let worse = links[rng.below(links.len())];
        let preference = Preference { query: step.page, better: step.article, worse, weight: 1.0 };
        (worse != step.article).then_some(preference)
    }

    /// Choices as judged lists, at most so many, drawn by chance.
    fn choices(&self, steps: &[Step], most: usize) -> Result<JudgedSet> {
        let mut chosen: Vec<&Step> = steps.iter().filter(|step| self.around(step).is_some()).collect();
        Rng::new(2).shuffle(&mut chosen);
        chosen.truncate(most);
        let list = |(i, step): (usize, &&Step)| {
            let documents = self.around(step).unwrap_or_default().to_vec();
            let grades = documents.iter().map(|&article| i32::from(article == step.article)).collect();
            JudgedList { query: step.page, name: format!("{i:06}"), documents, grades }
        };
        JudgedSet::new(chosen.iter().enumerate().map(list).collect())
    }
}

fn totals(clicks: &[Click], name: impl Fn(u32) -> String) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for click in clicks {
        *totals.entry(name(click.query)).or_default() += click.clicks;
    }
    totals
}
