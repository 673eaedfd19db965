//! The metrics once more, written straight from their definitions, slow and obvious: what the fast ones are compared with.

/// One query's documents: score and grade of each, in any order; the number of a document breaks ties, smaller first.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) ranked: Vec<(f32, i32)>,
    /// Grades of judged documents that the ranking lacks.
    pub(crate) missing: Vec<i32>,
}

impl Query {
    /// The grades in rank order: each time, the best document that is left.
    pub(crate) fn grades(&self) -> Vec<i32> {
        let mut left: Vec<(f32, i32)> = self.ranked.clone();
        let mut grades = Vec::new();
        while !left.is_empty() {
            let best = (0..left.len()).fold(0, |best, i| if left[i].0 > left[best].0 { i } else { best });
            grades.push(left.remove(best).1);
        }
        grades
    }

    pub(crate) fn judged(&self) -> Vec<i32> {
        self.ranked.iter().map(|&(_, grade)| grade).chain(self.missing.iter().copied()).filter(|&g| g >= 0).collect()
    }

    pub(crate) fn n_relevant(&self) -> usize {
        self.judged().iter().filter(|&&grade| grade > 0).count()
    }

    fn n_found(&self, k: usize) -> f64 {
        self.grades().iter().take(k).filter(|&&grade| grade > 0).count() as f64
    }

    pub(crate) fn precision(&self, k: usize) -> f64 {
        self.n_found(k) / k as f64
    }

    pub(crate) fn recall(&self, k: usize) -> f64 {
        if self.n_relevant() == 0 { 0.0 } else { self.n_found(k) / self.n_relevant() as f64 }
    }

    pub(crate) fn success(&self, k: usize) -> f64 {
        if self.grades().iter().take(k).any(|&grade| grade > 0) { 1.0 } else { 0.0 }
    }

    pub(crate) fn r_precision(&self) -> f64 {
        if self.n_relevant() == 0 { 0.0 } else { self.precision(self.n_relevant()) }
    }

    pub(crate) fn average_precision(&self, k: usize) -> f64 {
        if self.n_relevant() == 0 {
            return 0.0;
        }
        let grades = self.grades();
        let relevant_ranks = (1..=grades.len().min(k)).filter(|&rank| grades[rank - 1] > 0);
        relevant_ranks.map(|rank| self.precision(rank)).sum::<f64>() / self.n_relevant() as f64
    }

    pub(crate) fn reciprocal_rank(&self, k: usize) -> f64 {
        (1..=k).find(|&rank| self.n_found(rank) > 0.0).map_or(0.0, |rank| 1.0 / rank as f64)
    }

    pub(crate) fn ndcg(&self, k: usize, gain: fn(i32) -> f64, discount: fn(usize) -> f64) -> f64 {
        let dcg = |grades: &[i32]| -> f64 {
            grades.iter().take(k).enumerate().map(|(i, &grade)| gain(grade.max(0)) * discount(i + 1)).sum()
        };
        let mut ideal = self.judged();
        ideal.sort();
        ideal.reverse();
        if dcg(&ideal) == 0.0 { 0.0 } else { dcg(&self.grades()) / dcg(&ideal) }
    }

    /// The expectation itself: the probability of stopping at each rank, times its reciprocal.
    pub(crate) fn expected_reciprocal_rank(&self, k: usize, max_grade: i32) -> f64 {
        let satisfied = |grade: i32| (2f64.powi(grade.max(0)) - 1.0) / 2f64.powi(max_grade);
        let grades = self.grades();
        let stops_at = |i: usize| grades[..i].iter().fold(satisfied(grades[i]), |p, &g| p * (1.0 - satisfied(g)));
        (0..grades.len().min(k)).map(|i| stops_at(i) / (i + 1) as f64).sum()
    }

    pub(crate) fn rank_biased_precision(&self, p: f64) -> f64 {
        self.grades().iter().enumerate().map(|(i, &g)| if g > 0 { (1.0 - p) * p.powi(i as i32) } else { 0.0 }).sum()
    }

    pub(crate) fn bpref(&self) -> f64 {
        let (grades, n_relevant) = (self.grades(), self.n_relevant());
        let n_nonrelevant = self.judged().len() - n_relevant;
        let mut sum = 0.0;
        for rank in (0..grades.len()).filter(|&rank| grades[rank] > 0) {
            let n_above = grades[..rank].iter().filter(|&&grade| grade == 0).count();
            let penalty = n_above.min(n_relevant) as f64 / n_nonrelevant.min(n_relevant) as f64;
            sum += if n_above == 0 { 1.0 } else { 1.0 - penalty };
        }
        if n_relevant == 0 { 0.0 } else { sum / n_relevant as f64 }
    }

    /// All pairs, one by one; what the ranking lacks is scored minus infinity.
    pub(crate) fn pair_error(&self) -> Option<f64> {
        let ranked = self.ranked.iter().map(|&(score, grade)| (score, grade.max(0)));
        let missing = self.missing.iter().filter(|&&grade| grade >= 0).map(|&grade| (f32::NEG_INFINITY, grade));
        let all: Vec<(f32, i32)> = ranked.chain(missing).collect();
        let (mut n_pairs, mut n_wrong) = (0, 0);
        for better in &all {
            for worse in all.iter().filter(|worse| worse.1 < better.1) {
                n_pairs += 1;
                n_wrong += u32::from(better.0 <= worse.0);
            }
        }
        if n_pairs == 0 { None } else { Some(f64::from(n_wrong) / f64::from(n_pairs)) }
    }
}
