use super::*;
use qwd_core::Rng;

fn csr(n_cols: u32, rows: &[Vec<f32>]) -> Csr {
    let mut out = Csr::empty(n_cols);
    for row in rows {
        let pairs = row.iter().zip(0u32..).map(|(&value, i)| (i, value)).collect();
        out.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("it fits");
    }
    out
}

/// Pairs of texts in which source word i means target word i mod `n_target`, with noise.
fn texts(n_pairs: usize, n_source: usize, n_target: usize, seed: u64) -> [Vec<Vec<f32>>; 2] {
    let mut rng = Rng::new(seed);
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for _ in 0..n_pairs {
        let (mut f, mut e) = (vec![0.0; n_source], vec![0.0; n_target]);
        for _ in 0..4 {
            let word = rng.below(n_source);
            f[word] += 1.0;
            e[word % n_target] += 1.0;
        }
        e[rng.below(n_target)] += 1.0;
        source.push(f);
        target.push(e);
    }
    [source, target]
}

fn everything() -> IbmModel1Params {
    IbmModel1Params { max_partners: 1000, min_pairs: 1, min_probability: 0.0, ..IbmModel1Params::default() }
}

#[test]
fn it_does_what_the_slow_twin_does() {
    for seed in 0..5 {
        let [source, target] = texts(40, 9, 7, seed);
        let params = IbmModel1Params { passes: 4, ..everything() };
        let fast = params.train(&csr(9, &source), &csr(7, &target), &Threads::default()).expect("trained");
        let wide = |rows: &[Vec<f32>]| -> Vec<Vec<f64>> {
            rows.iter().map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        };
        let slow = qwd_testkit::ibm_model1::ibm_model1(&wide(&source), &wide(&target), params.passes);
        for (f, row) in slow.iter().enumerate() {
            for (e, &t) in row.iter().enumerate() {
                let found = f64::from(fast.table.get(f, e as u32));
                assert!((found - t).abs() < 1e-6, "t({e} | {f}) = {found}, not {t}");
            }
        }
    }
}

#[test]
fn translations_are_found_and_the_likelihood_rises() {
    let [source, target] = texts(600, 30, 30, 1);
    let params = IbmModel1Params { max_partners: 10, passes: 15, ..IbmModel1Params::default() };
    let (source, target) = (csr(30, &source), csr(30, &target));
    let model = params.train(&source, &target, &Threads::default()).expect("trained");
    for f in 0..30 {
        let row = model.table.row(f);
        let best = row.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a translation");
        assert_eq!(best.0, f as u32);
        assert!(best.1 > 0.8 && row.len() <= 10, "{best:?}");
    }
    assert_eq!(model.log_likelihood.len(), 15);
    assert!(model.log_likelihood.is_sorted(), "{:?}", model.log_likelihood);
    for threads in [2, 3, 8] {
        assert_eq!(params.train(&source, &target, &Threads::new(threads).expect("a pool")).expect("trained"), model);
    }
}

#[test]
fn a_word_that_never_stands_in_a_pair_has_no_translation() {
    let source = csr(3, &[vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0]]);
    let target = csr(2, &[vec![1.0, 0.0], vec![2.0, 0.0]]);
    let params = IbmModel1Params { min_pairs: 2, ..IbmModel1Params::default() };
    let model = params.train(&source, &target, &Threads::default()).expect("trained");
    assert_eq!((model.table.row(0).len(), model.table.row(1).len(), model.table.row(2).len()), (1, 0, 0));
}

#[test]
fn bad_parameters_and_an_empty_side_are_refused() {
    let rows = csr(2, &[vec![1.0, 1.0]]);
    let empty = csr(2, &[vec![0.0, 0.0]]);
    let train = |params: IbmModel1Params, source: &Csr, target: &Csr| params.train(source, target, &Threads::default());
    for params in [
        IbmModel1Params { passes: 0, ..everything() },
        IbmModel1Params { max_partners: 0, ..everything() },
        IbmModel1Params { min_pairs: 0, ..everything() },
        IbmModel1Params { min_probability: 1.5, ..everything() },
    ] {
        assert!(train(params, &rows, &rows).is_err(), "{params:?}");
    }
    assert!(train(everything(), &empty, &rows).is_err() && train(everything(), &rows, &empty).is_err());
    assert!(train(everything(), &rows, &csr(2, &[])).is_err());
}
