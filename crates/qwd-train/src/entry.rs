//! What is stored for one word pair while training, under each rule.

use qwd_core::kernel::{lift, shrink};

/// The stored form of one entry of W.
pub(crate) trait Entry: Copy + Default + Send + Sync {
    /// What is the same for all entries at one moment: thresholds, rates.
    type Moment: Copy + Sync;

    /// Takes a step: `gradient` is the negative gradient of the loss, scaled as the rule wants it.
    fn step(&mut self, gradient: f32, moment: Self::Moment);

    /// The weight as the model would serve it at this moment.
    fn weight(self, moment: Self::Moment) -> f32;

    /// Whether the entry holds nothing, so that a sparse row may drop it.
    fn is_vacant(self, moment: Self::Moment) -> bool;
}

/// A weight under SGD with lazy L1 shrinkage; the moment is the cumulated threshold (see [`lift`]).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub(crate) struct Lifted(pub(crate) f32);

impl Entry for Lifted {
    type Moment = f32;

    #[inline(always)]
    fn step(&mut self, gradient: f32, cumulated: f32) {
        self.0 = lift(shrink(self.0, cumulated) + gradient, cumulated);
    }

    #[inline(always)]
    fn weight(self, cumulated: f32) -> f32 {
        shrink(self.0, cumulated)
    }

    #[inline(always)]
    fn is_vacant(self, cumulated: f32) -> bool {
        self.0.abs() <= cumulated
    }
}

/// As [`Lifted`], on a fixed support: an entry of exactly 0 is outside and stays so; the smallest normal number stands
/// for a weight of 0 inside.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub(crate) struct Supported(pub(crate) f32);

impl Entry for Supported {
    type Moment = f32;

    #[inline(always)]
    fn step(&mut self, gradient: f32, cumulated: f32) {
        if self.0 != 0.0 {
            let moved = lift(shrink(self.0, cumulated) + gradient, cumulated);
            self.0 = if moved == 0.0 { f32::MIN_POSITIVE } else { moved };
        }
    }

    #[inline(always)]
    fn weight(self, cumulated: f32) -> f32 {
        let w = shrink(self.0, cumulated);
        if w.abs() <= f32::MIN_POSITIVE { 0.0 } else { w }
    }

    #[inline(always)]
    fn is_vacant(self, _: f32) -> bool {
        self.0 == 0.0
    }
}
