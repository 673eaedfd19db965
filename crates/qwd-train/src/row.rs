//! Rows of W while it is trained: dense where words are frequent, sparse beyond.
//!
//! Words are numbered by frequency, so the first rows are the ones that nearly every block needs: they are kept dense,
//! up to a budget of memory, and read and written in place. The others hold few entries; they are spread out over a
//! scratch row for a visit and packed again, dropping what has been shrunk away.

use crate::block::{Block, Share};
use crate::entry::Entry;
use crate::sums::Sums;
use qwd_core::kernel::{gather_dot_by, scatter_by};
use qwd_core::{SparseVec, SparseView};

/// What a row is asked for during one pass: first take these steps, then give these inner products.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    pub(crate) updated: &'a Block,
    pub(crate) updates: &'a [Share],
    /// The step of each tuple of the updated block; 0 for none.
    pub(crate) steps: &'a [f32],
    pub(crate) scored: &'a Block,
    pub(crate) scores: &'a [Share],
    /// Factors on every step and on every score.
    pub(crate) step_scale: f32,
    pub(crate) score_scale: f32,
}

impl<'a> Visit<'a> {
    /// The same visit, for a row that is stored as a multiple of what it stands for.
    pub(crate) fn scaled(&self, step_scale: f32, score_scale: f32) -> Self {
        Self { step_scale, score_scale, ..*self }
    }

    /// The steps to take: scale and direction.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (f32, SparseView<'a>)> + use<'a> {
        let (block, steps, scale) = (self.updated, self.steps, self.step_scale);
        self.updates.iter().filter_map(move |share| {
            let step = steps.get(share.tuple as usize).copied().unwrap_or(0.0);
            (step != 0.0).then(|| (step * scale * share.weight, block.direction(*share)))
        })
    }

    /// Adds the row's part of each score to the sums.
    pub(crate) fn score(&self, sums: &mut Sums, dot: impl Fn(SparseView<'_>) -> f32) {
        for share in self.scores {
            let weight = f64::from(share.weight) * f64::from(self.score_scale);
            let product = weight * f64::from(dot(self.scored.direction(*share)));
            sums.add(share.tuple as usize, product);
        }
    }
}

/// A row of W that can be visited.
pub(crate) trait Row: Send {
    /// What is the same for all rows during one pass.
    type Pass: Copy + Sync;
    /// Memory that a thread lends to the rows it visits.
    type Scratch: Send;

    /// Makes scratch memory for rows of `n_cols` columns.
    fn scratch(n_cols: usize) -> Self::Scratch;

    /// Takes the steps, then adds to the sums.
    fn visit(&mut self, pass: Self::Pass, scratch: &mut Self::Scratch, visit: &Visit<'_>, sums: &mut Sums);

    /// The number of weights that are not 0.
    fn n_nonzero(&self, pass: Self::Pass) -> usize;
}

/// The moments of a pass: when the steps are taken, and when the scores are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments<M> {
    pub(crate) step: M,
    pub(crate) score: M,
}

/// A row of entries, dense or sparse, with places that are never changed.
#[derive(Debug)]
pub(crate) struct EntryRow<'a, E> {
    store: Store<'a, E>,
    /// Columns that stay vacant: forbidden pairs, and pinned ones, whose weight is kept elsewhere.
    frozen: Vec<u32>,
}

#[derive(Debug)]
enum Store<'a, E> {
    Dense(&'a mut [E]),
    Sparse { columns: Vec<u32>, entries: Vec<E> },
}

impl<'a, E: Entry> EntryRow<'a, E> {
    /// A row with the given entries, in place where memory is given.
    pub(crate) fn new(place: Option<&'a mut [E]>, columns: Vec<u32>, entries: Vec<E>) -> Self {
        let store = match place {
            Some(place) => {
                for (&column, &entry) in columns.iter().zip(&entries) {
                    place[column as usize] = entry;
                }
                Store::Dense(place)
            }
            None => Store::Sparse { columns, entries },
        };
        Self { store, frozen: Vec::new() }
    }

    /// Keeps the given columns vacant from now on.
    pub(crate) fn freeze(&mut self, columns: Vec<u32>) {
        match &mut self.store {
            Store::Dense(row) => columns.iter().for_each(|&column| row[column as usize] = E::default()),
            Store::Sparse { columns: held, entries } => {
                let keep: Vec<bool> = held.iter().map(|column| columns.binary_search(column).is_err()).collect();
                let mut flags = keep.iter();
                held.retain(|_| *flags.next().expect("a flag per column"));
                let mut flags = keep.iter();
                entries.retain(|_| *flags.next().expect("a flag per entry"));
            }
        }
        self.frozen = columns;
    }

    /// The entries that hold something, by column.
    pub(crate) fn entries(&self, moment: E::Moment) -> Box<dyn Iterator<Item = (u32, E)> + '_> {
        match &self.store {
            Store::Dense(row) => Box::new(
                row.iter()
                    .enumerate()
                    .map(|(column, &e)| (column as u32, e))
                    .filter(move |(_, e)| !e.is_vacant(moment)),
            ),
            Store::Sparse { columns, entries } => Box::new(
                columns.iter().copied().zip(entries.iter().copied()).filter(move |(_, e)| !e.is_vacant(moment)),
            ),
        }
    }

    /// The number of weights that are not 0 at this moment.
    pub(crate) fn n_nonzero(&self, moment: E::Moment) -> usize {
        match &self.store {
            Store::Dense(row) => row.iter().filter(|e| e.weight(moment) != 0.0).count(),
            Store::Sparse { entries, .. } => entries.iter().filter(|e| e.weight(moment) != 0.0).count(),
        }
    }

    /// The sum of squared weights at this moment.
    pub(crate) fn squares(&self, moment: E::Moment) -> f64 {
        let square = |e: &E| f64::from(e.weight(moment)).powi(2);
        match &self.store {
            Store::Dense(row) => row.iter().map(square).sum(),
            Store::Sparse { entries, .. } => entries.iter().map(square).sum(),
        }
    }

    /// Forgets all entries.
    pub(crate) fn empty(&mut self) {
        match &mut self.store {
            Store::Dense(row) => row.fill(E::default()),
            Store::Sparse { columns, entries } => {
                columns.clear();
                entries.clear();
            }
        }
    }

    /// Writes the weights that are not 0 at this moment; stops and says so at one that is not a finite number.
    #[must_use]
    pub(crate) fn weights(&self, moment: E::Moment, out: &mut SparseVec) -> bool {
        out.clear();
        for (column, entry) in self.entries(moment) {
            let w = entry.weight(moment);
            if !w.is_finite() {
                return false;
            }
            if w != 0.0 {
                out.push_last(column, w);
            }
        }
        true
    }
}

impl<E: Entry> Row for EntryRow<'_, E> {
    type Pass = Moments<E::Moment>;
    type Scratch = Scratch<E>;

    fn scratch(n_cols: usize) -> Scratch<E> {
        Scratch::new(n_cols)
    }

    fn visit(&mut self, pass: Self::Pass, scratch: &mut Scratch<E>, visit: &Visit<'_>, sums: &mut Sums) {
        match &mut self.store {
            Store::Dense(row) => {
                for (scale, direction) in visit.steps() {
                    scatter_by(direction, row, |entry, v| entry.step(scale * v, pass.step));
                }
                for &column in &self.frozen {
                    row[column as usize] = E::default();
                }
                visit.score(sums, |d| gather_dot_by(d, row, |e| e.weight(pass.score)));
            }
            Store::Sparse { columns, entries } => {
                scratch.spread(columns, entries);
                let mut stepped = false;
                for (scale, direction) in visit.steps() {
                    scatter_by(direction, &mut scratch.row, |entry, v| entry.step(scale * v, pass.step));
                    scratch.mark(direction.indices());
                    stepped = true;
                }
                for &column in &self.frozen {
                    scratch.row[column as usize] = E::default();
                }
                visit.score(sums, |d| gather_dot_by(d, &scratch.row, |e| e.weight(pass.score)));
                if stepped {
                    scratch.mark(columns);
                    scratch.pack(columns, entries, pass.score);
                } else {
                    scratch.clear(columns);
                }
            }
        }
    }

    fn n_nonzero(&self, pass: Self::Pass) -> usize {
        Self::n_nonzero(self, pass.score)
    }
}

/// Columns of a row that are scanned together when it is packed.
const GROUP: usize = 64;

/// A dense row to spread a sparse one over, and a mark for every group of columns that was touched.
#[derive(Debug)]
pub(crate) struct Scratch<E> {
    row: Vec<E>,
    touched: Vec<u64>,
}

impl<E: Entry> Scratch<E> {
    fn new(n_cols: usize) -> Self {
        let n_groups = n_cols.div_ceil(GROUP);
        Self { row: vec![E::default(); n_groups * GROUP], touched: vec![0; n_groups.div_ceil(64)] }
    }

    fn spread(&mut self, columns: &[u32], entries: &[E]) {
        for (&column, &entry) in columns.iter().zip(entries) {
            self.row[column as usize] = entry;
        }
    }

    fn clear(&mut self, columns: &[u32]) {
        for &column in columns {
            self.row[column as usize] = E::default();
        }
    }

    fn mark(&mut self, columns: &[u32]) {
        let mut last = usize::MAX;
        for &column in columns {
            let group = column as usize / GROUP;
            if group != last {
                self.touched[group / 64] |= 1 << (group % 64);
                last = group;
            }
        }
    }

    /// Moves what the touched groups hold into a sparse row, and leaves the scratch row vacant.
    fn pack(&mut self, columns: &mut Vec<u32>, entries: &mut Vec<E>, moment: E::Moment) {
        columns.clear();
        entries.clear();
        for (word, bits) in self.touched.iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                let from = (word * 64 + left.trailing_zeros() as usize) * GROUP;
                left &= left - 1;
                for (offset, entry) in self.row[from..from + GROUP].iter_mut().enumerate() {
                    let held = std::mem::take(entry);
                    if !held.is_vacant(moment) {
                        columns.push((from + offset) as u32);
                        entries.push(held);
                    }
                }
            }
        }
    }
}
