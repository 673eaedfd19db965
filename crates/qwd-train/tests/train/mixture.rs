//! Mixtures whose right weights are known.

use crate::common::{Data, matrix_of, rows_of, square};
use qwd_core::Threads;
use qwd_model::Matrix;
use qwd_testkit::random::{Plain, Shape};
use qwd_testkit::tuples::{identity, zeros};
use qwd_train::{MixtureParams, Session};

#[test]
fn what_tells_documents_apart_gets_the_weight() {
    let n = 12;
    // Preferences follow from I; the other part knows nothing of them.
    let planted: Vec<(u32, u32, f32)> = (0..n as u32).map(|i| (i, i, 1.0)).collect();
    let shape = Shape { wild: false, ..square(n, 2000) };
    let data = Data::of(Plain::planted(1, &shape, &planted));
    let mut other = zeros(n, n);
    (0..n).for_each(|s| other[s][(s * 5 + 3) % n] = 40.0);
    let parts = || vec![matrix_of(&other), Matrix::identity(n).expect("small")];
    let trainer = MixtureParams::default().build().expect("good");
    let run = |n_threads| {
        let threads = Threads::new(n_threads).expect("threads");
        trainer.train(parts(), &data.problem(), &mut Session::quiet(&threads)).expect("mixes")
    };
    let trained = run(1);
    assert_eq!(run(2), trained);
    let Matrix::Mixture(mixture) = &trained.matrix else { panic!("a mixture") };
    let [noise, signal] = [mixture.parts()[0].0, mixture.parts()[1].0];
    assert!(signal > 0.1 && 40.0 * noise.abs() < 0.3 * signal, "{noise} {signal}");
    let before = Matrix::mixture(parts().into_iter().map(|m| (1.0, m)).collect()).expect("of one size");
    assert!(data.pair_error(&trained.matrix) < 0.1 && data.pair_error(&before) > 0.3);
}

#[test]
fn without_tuples_all_parts_weigh_the_same() {
    let data = Data::random(1, &square(3, 0));
    let trainer = MixtureParams::default().build().expect("good");
    let threads = Threads::default();
    let parts = vec![Matrix::identity(3).expect("small"), Matrix::identity(3).expect("small")];
    let trained = trainer.train(parts, &data.problem(), &mut Session::quiet(&threads)).expect("mixes");
    assert_eq!(rows_of(&trained.matrix), identity(3));
    assert!(trainer.train(vec![], &data.problem(), &mut Session::quiet(&threads)).is_err());
    assert!(MixtureParams { passes: 0, ..Default::default() }.build().is_err());
    assert!(MixtureParams { margin: f64::NAN, ..Default::default() }.build().is_err());
}
