//! The training methods by name: one closed list for the program, the server and Python.

use crate::adagrad::AdagradParams;
use crate::cl_lsi::ClLsi;
use crate::diagonal::DiagonalParams;
use crate::ftrl::FtrlParams;
use crate::group_lasso::{GroupLassoParams, Hierarchy};
use crate::hash_kernels::HashKernelsParams;
use crate::identity::identity;
use crate::low_rank::LowRankParams;
use crate::lsi::LsiParams;
use crate::pls::PlsParams;
use crate::problem::Problem;
use crate::rmls::RmlsParams;
use crate::session::Session;
use crate::sgd::SgdParams;
use crate::sparse_projection::SparseProjectionParams;
use crate::sparse_sgd::SparseSgdParams;
use crate::svdfeature::SvdFeatureParams;
use crate::trainer::{Constraints, Start, Trained};
use qwd_core::parameters::Parameter;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// A training method with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "kebab-case")]
pub enum Method {
    /// W = I.
    Identity(NoParams),
    /// W diagonal.
    Diagonal(DiagonalParams),
    /// W unconstrained, by SGD.
    Sgd(SgdParams),
    /// W sparse, by SGD with an L1 penalty.
    SparseSgd(SparseSgdParams),
    /// W sparse, with rates per entry.
    Adagrad(AdagradParams),
    /// W sparse, by follow the regularised leader.
    Ftrl(FtrlParams),
    /// W with few query words, by a group penalty on rows.
    GroupLasso(GroupLassoParams),
    /// W = UᵀV or UᵀU, perhaps plus a diagonal.
    LowRank(LowRankParams),
    /// W of weights that word pairs share by a hash.
    HashKernels(HashKernelsParams),
    /// W sparse, by dropping the smallest weights and training again.
    SparseProjection(SparseProjectionParams),
    /// W of the documents' strongest directions.
    Lsi(LsiParams),
    /// W of the strongest directions of pairs in two languages.
    ClLsi(LsiParams),
    /// W of sparse rows that bring queries and what they answer to together.
    Rmls(RmlsParams),
    /// W of the strongest directions between queries and what they answer to.
    Pls(PlsParams),
    /// W of factors that are fitted to what queries answer to.
    #[serde(rename = "svdfeature")]
    SvdFeature(SvdFeatureParams),
}

qwd_core::parameters! {
    /// The parameters of a method that has none.
    pub struct NoParams {}
}

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

/// All methods.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "identity",
        summary: "W = I: cosine, or BM25 with BM25 weights; learns nothing",
        parameters: NoParams::PARAMETERS,
    },
    MethodInfo { name: "diagonal", summary: "a weight for every shared word", parameters: DiagonalParams::PARAMETERS },
    MethodInfo {
        name: "sgd",
        summary: "every word pair, no penalty; for small vocabularies",
        parameters: SgdParams::PARAMETERS,
    },
    MethodInfo {
        name: "sparse-sgd",
        summary: "few word pairs, by an L1 penalty (paper 1); the default",
        parameters: SparseSgdParams::PARAMETERS,
    },
    MethodInfo {
        name: "adagrad",
        summary: "L1 penalty with a rate for every word pair",
        parameters: AdagradParams::PARAMETERS,
    },
    MethodInfo {
        name: "ftrl",
        summary: "FTRL-Proximal: very sparse, with a rate for every word pair",
        parameters: FtrlParams::PARAMETERS,
    },
    MethodInfo {
        name: "group-lasso",
        summary: "removes whole query words, or branches of a word hierarchy",
        parameters: GroupLassoParams::PARAMETERS,
    },
    MethodInfo {
        name: "low-rank",
        summary: "UᵀV or UᵀU, alone, plus I or plus a diagonal (paper 2); for large vocabularies",
        parameters: LowRankParams::PARAMETERS,
    },
    MethodInfo {
        name: "hash-kernels",
        summary: "word pairs share weights by a hash, alone or plus I (paper 2)",
        parameters: HashKernelsParams::PARAMETERS,
    },
    MethodInfo {
        name: "sparse-projection",
        summary: "few word pairs in each row, by dropping the smallest and training again (paper 2)",
        parameters: SparseProjectionParams::PARAMETERS,
    },
    MethodInfo {
        name: "lsi",
        summary: "latent semantic indexing, alone or mixed with I; learns from documents only",
        parameters: LsiParams::PARAMETERS,
    },
    MethodInfo {
        name: "cl-lsi",
        summary: "latent semantic indexing of queries joined with their better documents; for two languages",
        parameters: LsiParams::PARAMETERS,
    },
    MethodInfo {
        name: "rmls",
        summary: "sparse mappings of query and document words into one space, from clicks or grades (paper 4)",
        parameters: RmlsParams::PARAMETERS,
    },
    MethodInfo {
        name: "pls",
        summary: "partial least squares: orthonormal mappings into one space, from clicks or grades (paper 4)",
        parameters: PlsParams::PARAMETERS,
    },
    MethodInfo {
        name: "svdfeature",
        summary: "factorisation with features, of clicks or grades or of their order (paper 4, baseline)",
        parameters: SvdFeatureParams::PARAMETERS,
    },
];

impl Method {
    /// The method of this name with parameters from a JSON object; those left out have their defaults.
    pub fn from_json(name: &str, params: serde_json::Value) -> Result<Self> {
        if !METHODS.iter().any(|m| m.name == name) {
            let known: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
            return Err(Error::param("method", name, format!("one of {}", known.join(", "))));
        }
        let tagged = serde_json::json!({ "method": name, "params": params });
        serde_json::from_value(tagged).map_err(|e| Error::param(format!("{name}'s parameters"), params, e.to_string()))
    }

    /// The method's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Identity(_) => "identity",
            Self::Diagonal(_) => "diagonal",
            Self::Sgd(_) => "sgd",
            Self::SparseSgd(_) => "sparse-sgd",
            Self::Adagrad(_) => "adagrad",
            Self::Ftrl(_) => "ftrl",
            Self::GroupLasso(_) => "group-lasso",
            Self::LowRank(_) => "low-rank",
            Self::HashKernels(_) => "hash-kernels",
            Self::SparseProjection(_) => "sparse-projection",
            Self::Lsi(_) => "lsi",
            Self::ClLsi(_) => "cl-lsi",
            Self::Rmls(_) => "rmls",
            Self::Pls(_) => "pls",
            Self::SvdFeature(_) => "svdfeature",
        }
    }

    /// Whether the method learns from how strongly queries answer to documents, and not from preferences.
    pub fn learns_from_response(&self) -> bool {
        matches!(self, Self::Rmls(_) | Self::Pls(_) | Self::SvdFeature(_))
    }

    /// The parameters as a JSON object.
    pub fn params(&self) -> serde_json::Value {
        let tagged = serde_json::to_value(self).unwrap_or_default();
        tagged.get("params").cloned().unwrap_or_default()
    }

    /// Checks the parameters without training.
    pub fn check(&self) -> Result<()> {
        match self.clone() {
            Self::Identity(_) => Ok(()),
            Self::Diagonal(params) => params.build().map(drop),
            Self::Sgd(params) => params.build().map(drop),
            Self::SparseSgd(params) => params.build().map(drop),
            Self::Adagrad(params) => params.build().map(drop),
            Self::Ftrl(params) => params.build().map(drop),
            Self::GroupLasso(params) => params.build().map(drop),
            Self::LowRank(params) => params.build().map(drop),
            Self::HashKernels(params) => params.build().map(drop),
            Self::SparseProjection(params) => params.build().map(drop),
            Self::Lsi(params) | Self::ClLsi(params) => params.build().map(drop),
            Self::Rmls(params) => params.build().map(drop),
            Self::Pls(params) => params.build().map(drop),
            Self::SvdFeature(params) => params.build().map(drop),
        }
    }

    /// Trains W; a constraint or hierarchy that the method cannot keep is an error.
    pub fn train(
        &self,
        problem: &Problem<'_>,
        start: Start<'_>,
        constraints: &Constraints,
        hierarchy: Option<&Hierarchy>,
        session: &mut Session<'_>,
    ) -> Result<Trained> {
        let keeps = matches!(self, Self::Sgd(_) | Self::SparseSgd(_) | Self::Adagrad(_) | Self::Ftrl(_));
        if !keeps && !constraints.is_empty() {
            return Err(Error::param(
                "method",
                self.name(),
                "one that keeps pinned and forbidden pairs: sparse-sgd, sgd, adagrad or ftrl",
            ));
        }
        if hierarchy.is_some() && !matches!(self, Self::GroupLasso(_)) {
            return Err(Error::param("method", self.name(), "group-lasso: only it uses a word hierarchy"));
        }
        match self.clone() {
            Self::Identity(_) => identity(problem),
            Self::Diagonal(params) => params.build()?.train(problem, start, session),
            Self::Sgd(params) => params.build()?.train(problem, start, constraints, session),
            Self::SparseSgd(params) => params.build()?.train(problem, start, constraints, session),
            Self::Adagrad(params) => params.build()?.train(problem, start, constraints, session),
            Self::Ftrl(params) => params.build()?.train(problem, start, constraints, session),
            Self::GroupLasso(params) => params.build()?.train(problem, start, hierarchy, session),
            Self::LowRank(params) => params.build()?.train(problem, start, session),
            Self::HashKernels(params) => params.build()?.train(problem, start, session),
            Self::SparseProjection(params) => params.build()?.train(problem, start, session),
            Self::Lsi(params) => params.build()?.train(problem, start, session),
            Self::ClLsi(params) => ClLsi::new(params)?.train(problem, start, session),
            Self::Rmls(params) => params.build()?.train(problem, start, session),
            Self::Pls(params) => params.build()?.train(problem, start, session),
            Self::SvdFeature(params) => params.build()?.train(problem, start, session),
        }
    }
}
