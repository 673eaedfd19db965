//! Seeded random numbers from one named generator, so that a seed keeps its meaning from version to version.

use rand::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of every random choice in qwd: xoshiro256++.
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The generator of one numbered part of a seeded whole: parts may then be drawn in any order.
    pub fn part(seed: u64, part: u64) -> Self {
        Self::new(mix(seed ^ mix(part.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, each equally likely. `n` must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0, "below(0) has no answer");
        // Lemire's multiplication, with rejection so that no number is favoured.
        let n = n as u64;
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if (wide as u64) >= n.wrapping_neg() % n {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A draw from the normal distribution with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.unit();
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Puts the items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Spreads the bits of a number (the finaliser of splitmix64): a hash for numbers, and the way text ids choose a split.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_keeps_its_meaning() {
        let mut rng = Rng::new(7);
        assert_eq!([rng.bits(), rng.bits()], [1021219803524665661, 3174977118032272916]);
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7)] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
    }
}
