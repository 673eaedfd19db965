//! The run that AdaGrad and FTRL share: rows of two numbers per entry, tuples one by one or in mini-batches.

use crate::best_seen::BestSeen;
use crate::engine::{Engine, Flow, Rule, diverged};
use crate::entry::Entry;
use crate::problem::Problem;
use crate::row::EntryRow;
use crate::session::Session;
use crate::trainer::{Constraints, Start, Trained};
use crate::weights::{Arena, StartRows, matrix_of};
use qwd_core::{Csr, Error, Result, SparseVec};
use qwd_model::TrainingState;

/// An entry that is stored as two numbers.
pub(crate) trait TwoNumbers: Entry {
    /// The names of the two numbers in a training state.
    const NAMES: [&'static str; 2];

    fn from_numbers(numbers: [f32; 2]) -> Self;
    fn numbers(self) -> [f32; 2];
}

/// What the shared run needs to know of an algorithm.
pub(crate) trait EntryRule<E: TwoNumbers>: for<'r> Rule<EntryRow<'r, E>> {
    /// The entry that training starts with for a weight.
    fn start(&self, weight: f32) -> E;

    /// The moment at which weights are read.
    fn moment(&self) -> E::Moment;
}

/// Trains with `rule` from `start` on; `from` is the number of steps done before.
pub(crate) fn train<E: TwoNumbers, R: EntryRule<E>>(
    rule: &mut R,
    problem: &Problem<'_>,
    start: Start<'_>,
    constraints: &Constraints,
    session: &mut Session<'_>,
) -> Result<Trained> {
    let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
    constraints.check(n_rows, n_cols)?;
    if constraints.support.is_some() {
        return Err(Error::param("support", "given", "none: only sparse-sgd, sgd and refit train on a given support"));
    }
    let mut arena = Arena::<E>::new(n_rows, n_cols);
    let start_rows = StartRows::new(start, problem)?;
    let from = start.steps_done()?;
    let mut rows = match start {
        Start::Resume(_, state) => resumed_rows(&mut arena, state, n_rows, n_cols)?,
        _ => arena.rows(&start_rows, |w| rule.start(w)),
    };
    for (row, columns) in rows.iter_mut().zip(constraints.frozen(n_rows)) {
        if !columns.is_empty() {
            row.freeze(columns);
        }
    }
    let mut best = BestSeen::default();
    if session.patience().is_some() {
        best.look(session, from, matrix_of(&rows, n_cols, rule.moment(), constraints, from)?)?;
    }
    let threads = session.threads();
    let mut engine = Engine::new(&mut rows, n_cols, false, threads);
    let checkpoint = |session: &mut Session<'_>, rows: &[EntryRow<'_, E>], rule: &R, t: u64| {
        if !session.is_watched() {
            return Ok(Flow::Continue);
        }
        best.look(session, t, matrix_of(rows, n_cols, rule.moment(), constraints, t)?)
    };
    let steps = engine.run(problem, rule, from, session, checkpoint)?;
    drop(engine);
    if let Some((matrix, steps)) = best.into_best() {
        return Ok(Trained { matrix, state: None, steps });
    }
    let matrix = matrix_of(&rows, n_cols, rule.moment(), constraints, steps)?;
    let state = if constraints.is_empty() { Some(state_of(&rows, n_cols, rule.moment(), steps)?) } else { None };
    Ok(Trained { matrix, state, steps })
}

/// The entries of an earlier run.
fn resumed_rows<'a, E: TwoNumbers>(
    arena: &'a mut Arena<E>,
    state: &TrainingState,
    n_rows: usize,
    n_cols: usize,
) -> Result<Vec<EntryRow<'a, E>>> {
    let [first, second] = E::NAMES.map(|name| state.matrices.get(name));
    let (Some(first), Some(second)) = (first, second) else {
        let what = format!("the training state lacks {} or {}", E::NAMES[0], E::NAMES[1]);
        return Err(Error::bad_data(what, "continue with the method that the model was trained with"));
    };
    let is_of_these_words = [first, second].iter().all(|m| (m.n_rows(), m.n_cols() as usize) == (n_rows, n_cols));
    // The second number is a sum of squares.
    let is_sound = is_of_these_words && second.parts().2.iter().all(|&x| x >= 0.0);
    if !is_sound || first.parts().0 != second.parts().0 || first.parts().1 != second.parts().1 {
        return Err(Error::bad_data("the training state's matrices do not fit together", "train the model anew"));
    }
    let entries = first.rows().zip(second.rows()).map(|(a, b)| {
        let entries = a.values().iter().zip(b.values()).map(|(&x, &y)| E::from_numbers([x, y])).collect();
        (a.indices().to_vec(), entries)
    });
    Ok(arena.rows_of(entries))
}

/// Everything that the entries hold, as two matrices of the same places.
fn state_of<E: TwoNumbers>(
    rows: &[EntryRow<'_, E>],
    n_cols: usize,
    moment: E::Moment,
    step: u64,
) -> Result<TrainingState> {
    let mut matrices = E::NAMES.map(|_| Csr::empty(n_cols as u32));
    let mut values = [SparseVec::default(), SparseVec::default()];
    for row in rows {
        values.iter_mut().for_each(SparseVec::clear);
        for (column, entry) in row.entries(moment) {
            for (vector, x) in values.iter_mut().zip(entry.numbers()) {
                if !x.is_finite() {
                    return Err(diverged(step));
                }
                vector.push_last(column, x);
            }
        }
        for (matrix, vector) in matrices.iter_mut().zip(&values) {
            matrix.push(vector.view())?;
        }
    }
    let matrices = E::NAMES.iter().map(ToString::to_string).zip(matrices).collect();
    Ok(TrainingState { step, matrices, ..TrainingState::default() })
}
