//! IBM model 1 with every word a candidate for every other that it ever meets, on full tables.

/// Returns t(e | f), rows f, after some passes over pairs of texts given as counts of all words.
pub fn ibm_model1(source: &[Vec<f64>], target: &[Vec<f64>], passes: usize) -> Vec<Vec<f64>> {
    let (n_source, n_target) = (source[0].len(), target[0].len());
    let meet = |f: usize, e: usize| (0..source.len()).any(|pair| source[pair][f] > 0.0 && target[pair][e] > 0.0);
    let mut t: Vec<Vec<f64>> =
        (0..n_source).map(|f| (0..n_target).map(|e| if meet(f, e) { 1.0 } else { 0.0 }).collect()).collect();
    // The last row is NULL, which stands once in every text and may become every word.
    t.push(vec![1.0; n_target]);
    t.iter_mut().for_each(|row| normalize(row));
    for _ in 0..passes {
        let mut expected = vec![vec![0.0; n_target]; n_source + 1];
        for (from, to) in source.iter().zip(target) {
            let counts: Vec<f64> = from.iter().copied().chain([1.0]).collect();
            for e in (0..n_target).filter(|&e| to[e] > 0.0) {
                let sum: f64 = (0..=n_source).map(|f| counts[f] * t[f][e]).sum();
                for f in 0..=n_source {
                    expected[f][e] += to[e] * counts[f] * t[f][e] / sum;
                }
            }
        }
        expected.iter_mut().for_each(|row| normalize(row));
        t = expected;
    }
    t.truncate(n_source);
    t
}

fn normalize(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|x| *x /= sum);
    }
}
