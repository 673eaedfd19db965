//! The ranking methods by name: one closed list for the program, the server and Python.

use crate::adarank::AdaRankParams;
use crate::blend::BlendParams;
use crate::coordinate_ascent::CoordinateAscentParams;
use crate::feature_set::FeatureSet;
use crate::fenchel_rank::FenchelRankParams;
use crate::fs_rank::FsRankParams;
use crate::lambdamart::LambdaMartParams;
use crate::listnet::ListNetParams;
use crate::mart::MartParams;
use crate::measure::Validation;
use crate::rankboost::RankBoostParams;
use crate::ranker::Ranker;
use crate::ranksvm_primal::RankSvmPrimalParams;
use crate::ranksvm_struct::RankSvmStructParams;
use crate::rsrank::RsRankParams;
use crate::tgrank::TgRankParams;
use qwd_core::parameters::Parameter;
use qwd_core::{Error, Observer, Result, Threads};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A method's name, what it is, and its parameters.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name, as `--method` takes it.
    pub name: &'static str,
    /// One line on what it learns.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// Writes the closed list: the enum, the table of names, and the calls that every method has.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $variant:ident($params:ident) = $name:literal, $summary:literal;)*) => {
        /// A ranking method with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", content = "params")]
        pub enum Method {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant($params),)*
        }

        /// All methods.
        pub const METHODS: &[MethodInfo] = &[
            $(MethodInfo { name: $name, summary: $summary, parameters: $params::PARAMETERS },)*
        ];

        impl Method {
            /// Returns the method's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Checks the parameters without training.
            pub fn check(&self) -> Result<()> {
                match self.clone() { $(Self::$variant(params) => params.build().map(drop),)* }
            }

            /// Learns a ranker; methods of many rounds choose theirs on the validation documents, if there are any.
            pub fn train(
                &self,
                train: &FeatureSet,
                validation: Option<Validation<'_>>,
                threads: &Threads,
                observer: &dyn Observer,
            ) -> Result<Ranker> {
                match self.clone() { $(Self::$variant(params) => params.build()?.train(train, validation, threads, observer),)* }
            }
        }
    };
}

methods! {
    /// Sparse linear, by the duality gap.
    Fenchel(FenchelRankParams) = "fenchel", "sparse linear: squared hinge on pairs inside an l1 ball (paper 3); the default";
    /// Dense linear, squared hinge.
    RankSvmPrimal(RankSvmPrimalParams) = "ranksvm-primal", "dense linear: squared hinge on pairs, Newton steps";
    /// Dense linear, hinge.
    RankSvmStruct(RankSvmStructParams) = "ranksvm-struct", "dense linear: hinge on pairs, cutting planes";
    /// Sparse linear, by truncated gradients.
    TgRank(TgRankParams) = "tgrank", "sparse linear: FenchelRank's objective by truncated gradients";
    /// Sparse linear, pairs weighted by NDCG.
    RsRank(RsRankParams) = "rsrank", "sparse linear: pairs weighted by NDCG, modified Huber loss";
    /// The best features alone, then RankSVM-Primal.
    FsRank(FsRankParams) = "fs-rank", "linear on the k features that rank best alone";
    /// Linear, cross entropy of lists.
    ListNet(ListNetParams) = "listnet", "linear: cross entropy of the chance to come first";
    /// Linear, boosted features.
    AdaRank(AdaRankParams) = "adarank", "linear: features boosted on badly ranked queries, for NDCG or MAP";
    /// Boosted thresholds.
    RankBoost(RankBoostParams) = "rankboost", "thresholds on features, boosted on pairs";
    /// Linear, by trying weights.
    CoordinateAscent(CoordinateAscentParams) = "coordinate-ascent", "linear: NDCG or MAP raised one weight after another";
    /// Boosted trees on grades.
    Mart(MartParams) = "mart", "boosted trees on the grades";
    /// Boosted trees on order.
    LambdaMart(LambdaMartParams) = "lambdamart", "boosted trees on pairs weighted by NDCG";
    /// Several of the others, added up.
    Blend(BlendParams) = "blend", "several of the others, added up with the same say each: the best on MQ2008";
}

impl Method {
    /// Returns the method of this name with parameters from a JSON object; those left out have their defaults.
    ///
    /// `adarank-ndcg`, `adarank-map` and `fs-rank-10` name a method together with its first parameter.
    pub fn from_json(name: &str, params: Value) -> Result<Self> {
        let (name, params) = full_name(name, params);
        if !METHODS.iter().any(|m| m.name == name) {
            let known: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
            return Err(Error::param("method", name, format!("one of {}", known.join(", "))));
        }
        let tagged = json!({ "method": name, "params": params });
        serde_json::from_value(tagged).map_err(|e| Error::param(format!("{name}'s parameters"), params, e.to_string()))
    }

    /// Returns the method of this name with its defaults.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::from_json(name, json!({}))
    }

    /// Returns the parameters as a JSON object.
    pub fn params(&self) -> Value {
        let tagged = serde_json::to_value(self).unwrap_or_default();
        tagged.get("params").cloned().unwrap_or_default()
    }

    /// Returns the method with one parameter changed.
    pub fn with(&self, name: &str, value: Value) -> Result<Self> {
        let mut params = self.params();
        if let Some(object) = params.as_object_mut() {
            object.insert(name.to_string(), value);
        }
        Self::from_json(self.name(), params)
    }
}

fn full_name(name: &str, mut params: Value) -> (String, Value) {
    let (short, key, value) = match name {
        "adarank-ndcg" => ("adarank", "measure", json!("ndcg")),
        "adarank-map" => ("adarank", "measure", json!("map")),
        _ => match name.strip_prefix("fs-rank-").and_then(|k| k.parse::<usize>().ok()) {
            Some(k) => ("fs-rank", "k", json!(k)),
            None => return (name.to_string(), params),
        },
    };
    if let Some(object) = params.as_object_mut() {
        object.entry(key).or_insert(value);
    }
    (short.to_string(), params)
}
