//! What training and evaluation see of the data: numbers of rows, and which suits which.

/// Says that for a query one document suits better than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preference {
    /// The row of the query in the query matrix.
    pub query: u32,
    /// The row of the better document in the document matrix.
    pub better: u32,
    /// The row of the worse document.
    pub worse: u32,
    /// How much this preference counts: finite and above 0, usually 1.
    pub weight: f32,
}

/// Says how well a document suits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Judgment {
    /// The row of the query in the query matrix.
    pub query: u32,
    /// The row of the document in the document matrix.
    pub document: u32,
    /// The grade: above 0 is relevant, higher is better.
    pub grade: i32,
}
