//! The significance tests against scipy and statsmodels; `oracle/scipy_cases.py` prints the constants.

use qwd_metrics::significance::{
    Alternative, BootstrapParams, Correction, RandomizationParams, bootstrap_interval, paired_t_test,
    randomization_test,
};

const A: [f64; 12] = [0.71, 0.40, 0.55, 0.90, 0.13, 0.62, 0.48, 0.77, 0.35, 0.58, 0.91, 0.22];
const B: [f64; 12] = [0.60, 0.42, 0.41, 0.85, 0.13, 0.49, 0.50, 0.61, 0.30, 0.60, 0.80, 0.15];
const ALTERNATIVES: [Alternative; 3] = [Alternative::TwoSided, Alternative::Greater, Alternative::Less];

fn long_pair(n: u32) -> (Vec<f64>, Vec<f64>) {
    let a = (0..n).map(|i| 0.5 + 0.4 * (1.7 * f64::from(i)).sin());
    let b = a.clone().zip(0..n).map(|(a, i)| a - 0.02 + 0.1 * (2.9 * f64::from(i) + 1.0).sin());
    (a.collect(), b.collect())
}

fn close(got: f64, expected: f64, relative: f64) {
    assert!((got - expected).abs() <= relative * expected.abs(), "got {got:e}, expected {expected:e}");
}

#[test]
fn the_t_test_is_scipys() {
    let short = (A.to_vec(), B.to_vec());
    let cases = [
        (short, 3.2782549237453895, [0.007356535344882234, 0.003678267672441117, 0.9963217323275588]),
        (long_pair(200), 3.9678085201914244, [0.000101211102297477, 5.06055511487385e-05, 0.9999493944488512]),
        (long_pair(3000), 15.474750624787873, [5.002092986435405e-52, 2.5010464932177024e-52, 1.0]),
    ];
    for ((a, b), statistic, p_values) in cases {
        for (alternative, expected) in ALTERNATIVES.into_iter().zip(p_values) {
            let test = paired_t_test(&a, &b, alternative).expect("paired");
            close(test.statistic, statistic, 1e-11);
            close(test.p_value, expected, 1e-9);
            assert_eq!(test.degrees_of_freedom, a.len() - 1);
        }
    }
}

#[test]
fn equal_differences_have_an_answer() {
    for alternative in ALTERNATIVES {
        assert_eq!(paired_t_test(&A, &A, alternative).expect("paired").p_value, 1.0);
        let params = RandomizationParams { alternative, ..RandomizationParams::default() };
        assert_eq!(randomization_test(&A, &A, &params).expect("paired").p_value, 1.0);
    }
    let (ones, halves) = ([1.0; 4], [0.5; 4]);
    let test = paired_t_test(&ones, &halves, Alternative::TwoSided).expect("paired");
    assert_eq!((test.statistic, test.p_value), (f64::INFINITY, 0.0));
    assert_eq!(paired_t_test(&ones, &halves, Alternative::Less).expect("paired").p_value, 1.0);
}

#[test]
fn the_exact_randomization_test_is_scipys() {
    for (alternative, expected) in ALTERNATIVES.into_iter().zip([0.009765625, 0.0048828125, 0.99560546875]) {
        let params = RandomizationParams { alternative, ..RandomizationParams::default() };
        let test = randomization_test(&A, &B, &params).expect("paired");
        assert_eq!((test.p_value, test.exact), (expected, true));
    }
}

#[test]
fn the_random_randomization_test_is_near_scipys_and_keeps_its_seed() {
    let (a, b) = long_pair(60);
    // Scipy's values from a million permutations; ours from 100,000 have a deviation of at most 0.0007.
    for (alternative, expected) in ALTERNATIVES.into_iter().zip([0.04162, 0.02081, 0.97919]) {
        let params = RandomizationParams { alternative, ..RandomizationParams::default() };
        let test = randomization_test(&a, &b, &params).expect("paired");
        assert!(!test.exact && (test.p_value - expected).abs() < 0.0025, "{} against {expected}", test.p_value);
        assert_eq!(randomization_test(&a, &b, &params).expect("paired"), test);
        let other = randomization_test(&a, &b, &RandomizationParams { seed: 2, ..params }).expect("paired");
        assert_ne!(other.p_value, test.p_value);
    }
}

#[test]
fn the_bootstrap_interval_is_near_scipys() {
    let (a, b) = long_pair(200);
    for (confidence, low, high) in [(0.95, 0.010058, 0.029545), (0.8, 0.013409, 0.026179)] {
        let params = BootstrapParams { confidence, n_resamples: 100_000, ..BootstrapParams::default() };
        let interval = bootstrap_interval(&a, &b, &params).expect("paired");
        assert!((interval.low - low).abs() < 1e-4 && (interval.high - high).abs() < 1e-4, "{interval:?}");
        assert_eq!(bootstrap_interval(&a, &b, &params).expect("paired"), interval);
    }
}

#[test]
fn corrections_are_statsmodels() {
    let p = [0.01, 0.04, 0.03, 0.005, 0.6, 0.04, 1.0, 0.0];
    let false_discovery = [2.0 / 75.0, 4.0 / 75.0, 4.0 / 75.0, 0.02, 24.0 / 35.0, 4.0 / 75.0, 1.0, 0.0];
    for (correction, expected) in [
        (Correction::Bonferroni, [0.08, 0.32, 0.24, 0.04, 1.0, 0.32, 1.0, 0.0]),
        (Correction::Holm, [0.06, 0.16, 0.15, 0.035, 1.0, 0.16, 1.0, 0.0]),
        (Correction::BenjaminiHochberg, false_discovery),
    ] {
        let adjusted = correction.adjust(&p).expect("probabilities");
        for (got, expected) in adjusted.into_iter().zip(expected) {
            close(got, expected, 1e-12);
        }
        assert!(correction.adjust(&[]).expect("nothing").is_empty());
        assert!(correction.adjust(&[0.5, f64::NAN]).is_err() && correction.adjust(&[1.5]).is_err());
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let params = RandomizationParams::default();
    for (a, b) in [(&[1.0][..], &[1.0][..]), (&[1.0, 2.0], &[1.0]), (&[1.0, f64::NAN], &[1.0, 1.0]), (&[], &[])] {
        assert!(paired_t_test(a, b, Alternative::TwoSided).is_err());
        assert!(randomization_test(a, b, &params).is_err());
        assert!(bootstrap_interval(a, b, &BootstrapParams::default()).is_err());
    }
    assert!(randomization_test(&A, &B, &RandomizationParams { n_permutations: 0, ..params }).is_err());
    for confidence in [0.0, 1.0, f64::NAN] {
        assert!(bootstrap_interval(&A, &B, &BootstrapParams { confidence, ..BootstrapParams::default() }).is_err());
    }
}
