//! Texts, judgments and models to a file of feature vectors: how a learned match becomes one feature among others.
//!
//! For every query of a split, its judged documents and the best `depth` by BM25 over title and text; a document that is not
//! judged has grade 0. Features, in the order of [`FeatureFile::names`]: those of [`crate::field_features`] for the title, for
//! the text and for both together, then the score of each model and, if wanted, what the data's clicks say (section 6.5.1 of
//! the RMLS paper stacks trees on such a file). The file is LETOR's: `grade qid:N 1:value … # docid = D query = Q`, the names of the features in comments above.

use crate::click_graph::{ClickGraph, ClickGraphParams};
use crate::contender::Entrant;
use crate::field_features::{Field, NAMES};
use crate::protocol::Scorer;
use crate::scorers::{TopicScorer, WalkScorer};
use qwd_core::{Error, Result, Threads};
use qwd_data::{Dataset, Opened, Split, SplitRule, Task, Truth, create};
use qwd_model::Model;
use qwd_model::random_walk::RandomWalkParams;
use qwd_model::rank_all::map_scores;
use qwd_text::AnalyzerParams;
use qwd_train::bltm::{Bltm, BltmParams};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The highest grade that feature files have.
const MAX_GRADE: i32 = qwd_rank::feature_set::MAX_GRADE;

/// What to write.
#[derive(Debug, Clone)]
pub struct FeatureParams {
    /// The split whose queries are taken.
    pub split: Split,
    /// How many documents BM25 finds for each query, beside the judged ones.
    pub depth: usize,
    /// How splits that the data do not bring are made.
    pub rule: SplitRule,
    /// How texts are cut into words.
    pub analyzer: AnalyzerParams,
    /// Whether the random walk on the click graph and the bilingual topic model are features.
    pub clicks: bool,
}

/// Queries with their documents, grades and features.
#[derive(Debug)]
pub struct FeatureFile {
    /// The names of the features, in order.
    pub names: Vec<String>,
    /// The queries, each with its documents.
    pub queries: Vec<QueryFeatures>,
}

/// The documents of one query.
#[derive(Debug)]
pub struct QueryFeatures {
    /// The row of the query in the data set.
    pub row: u32,
    /// The rows of the documents, rising.
    pub documents: Vec<u32>,
    /// Their grades.
    pub grades: Vec<i32>,
    /// Their features.
    pub features: Vec<Vec<f32>>,
}

/// Computes the features of a split.
pub fn collect(data: &Opened, models: &[PathBuf], params: &FeatureParams, threads: &Threads) -> Result<FeatureFile> {
    let Opened::Texts(dataset) = data else {
        return Err(Error::bad_data("the data are vectors, not texts", "give a folder with corpus.jsonl"));
    };
    let task = dataset.task(params.split, &params.rule)?;
    if matches!(task.truth, Truth::Preferences(_)) {
        return Err(Error::bad_data("preferences give documents no grades", "give judgments or labelled documents"));
    }
    let whole: Vec<Cow<'_, str>> = dataset.documents.iter().map(qwd_data::Document::full_text).collect();
    let titles: Vec<&str> = dataset.documents.iter().map(|d| d.title.as_str()).collect();
    let texts: Vec<&str> = dataset.documents.iter().map(|d| d.text.as_str()).collect();
    let analyzer = &params.analyzer;
    let fields = [
        ("title", Field::count(&titles, analyzer, threads)?),
        ("text", Field::count(&texts, analyzer, threads)?),
        ("whole", Field::count(&whole, analyzer, threads)?),
    ];
    let mut queries = threads.map(task.queries.len(), |i| {
        let text = query_text(dataset, &task, i);
        of_query(&task, i, &text, &fields, params.depth)
    });
    let mut names: Vec<String> =
        fields.iter().flat_map(|(field, _)| NAMES.map(|name| format!("{name}({field})"))).collect();
    for path in models {
        add_model(&mut queries, &task, data, path, threads)?;
        names.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    }
    if params.clicks {
        add_clicks(&mut queries, dataset, threads)?;
        names.extend(["random_walk", "bilingual_topics"].map(String::from));
    }
    queries.retain(|query| !query.documents.is_empty());
    Ok(FeatureFile { names, queries })
}

fn query_text<'a>(dataset: &'a Dataset, task: &Task, i: usize) -> Cow<'a, str> {
    let row = task.queries[i] as usize;
    match task.queries_are_documents {
        true => dataset.documents[row].full_text(),
        false => Cow::Borrowed(dataset.queries[row].text.as_str()),
    }
}

fn of_query(task: &Task, i: usize, text: &str, fields: &[(&str, Field); 3], depth: usize) -> QueryFeatures {
    let bags = fields.each_ref().map(|(_, field)| field.query(text));
    let hidden = task.hidden(i);
    let judged = task.grades(i);
    let grade = |row: u32| judged.binary_search_by_key(&row, |&(row, _)| row).map_or(0, |at| judged[at].1);
    let shown = task.documents.iter().copied().filter(|row| hidden.binary_search(row).is_err());
    let (_, whole) = &fields[2];
    let mut found: Vec<(f32, u32)> = shown.map(|row| (whole.bm25(&bags[2], row as usize), row)).collect();
    found.retain(|(score, _)| *score > 0.0);
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut documents: Vec<u32> = found.into_iter().take(depth).map(|(_, row)| row).collect();
    if let Truth::Judgments(_) = &task.truth {
        documents.extend(judged.iter().map(|&(row, _)| row).filter(|row| hidden.binary_search(row).is_err()));
    }
    documents.sort_unstable();
    documents.dedup();
    let features = |&row: &u32| {
        let of_field = |((_, field), bag): (&(&str, Field), _)| field.features(bag, row as usize);
        fields.iter().zip(&bags).flat_map(of_field).collect()
    };
    QueryFeatures {
        row: task.queries[i],
        grades: documents.iter().map(|&row| grade(row).clamp(0, MAX_GRADE)).collect(),
        features: documents.iter().map(features).collect(),
        documents,
    }
}

/// Adds a model's score of every document as its last feature.
fn add_model(queries: &mut [QueryFeatures], task: &Task, data: &Opened, path: &Path, threads: &Threads) -> Result<()> {
    let model = Model::open_without_state(path)?;
    let entrant = Entrant::of_model(&model, data, threads)?;
    let vectors = entrant.prepared().train_vectors();
    let rows = vectors.queries.select(&task.queries)?;
    let wanted: Vec<&[u32]> = queries.iter().map(|query| query.documents.as_slice()).collect();
    let scores = map_scores(entrant.matrix(), &rows, &vectors.documents, threads, |i, scores| {
        wanted[i].iter().map(|&row| scores[row as usize]).collect::<Vec<f32>>()
    })?;
    queries.iter_mut().zip(scores).for_each(|(query, scores)| query.push(scores));
    Ok(())
}

/// Adds the scores of the random walk and of the bilingual topic model, both learned from the data's clicks.
fn add_clicks(queries: &mut [QueryFeatures], dataset: &Dataset, threads: &Threads) -> Result<()> {
    let words = ClickGraphParams { clicks: 0.0, ..ClickGraphParams::default() };
    let graph = ClickGraph::build(dataset, &dataset.clicks, &words, threads)?;
    let walk = WalkScorer::new(&graph.response, RandomWalkParams::default())?;
    let topics = TopicScorer::new(&graph, Bltm::fit(&graph.problem()?, BltmParams::default(), threads)?);
    for scorer in [&walk as &dyn Scorer, &topics] {
        let scores = threads.map(queries.len(), |i| scorer.scores(queries[i].row, &queries[i].documents));
        for (query, scores) in queries.iter_mut().zip(scores) {
            query.push(scores?);
        }
    }
    Ok(())
}

impl QueryFeatures {
    /// Adds a feature.
    fn push(&mut self, values: Vec<f32>) {
        self.features.iter_mut().zip(values).for_each(|(features, value)| features.push(value));
    }
}

impl FeatureFile {
    /// Returns the number of documents, over all queries.
    pub fn n_documents(&self) -> usize {
        self.queries.iter().map(|query| query.documents.len()).sum()
    }

    /// Writes the file, whole or not at all; zeros are left out.
    pub fn write(&self, data: &Opened, path: &Path) -> Result<()> {
        let Opened::Texts(dataset) = data else { return Err(Error::internal("features are made of texts")) };
        let mut out = create(path)?;
        for (number, name) in self.names.iter().enumerate() {
            out.line(format_args!("# {}: {name}", number + 1))?;
        }
        let queries_are_documents = dataset.queries_are_documents();
        for (qid, query) in self.queries.iter().enumerate() {
            let ids = if queries_are_documents { &dataset.document_ids } else { &dataset.query_ids };
            for ((&row, grade), features) in query.documents.iter().zip(&query.grades).zip(&query.features) {
                let mut line = format!("{grade} qid:{}", qid + 1);
                for (number, value) in features.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    line += &format!(" {}:{value}", number + 1);
                }
                let (document, query) = (dataset.document_ids.name(row), ids.name(query.row));
                out.line(format_args!("{line} # docid = {document} query = {query}"))?;
            }
        }
        out.finish().map(drop)
    }
}
