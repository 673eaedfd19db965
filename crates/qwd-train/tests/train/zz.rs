use crate::common::*; use qwd_train::*; use serde_json::json;
#[test]
fn explore() {
    let data = Data::small([1, 3], &[&[(0, 1.0)]], &[&[(0, 1.0), (1, 1.0)], &[(0, 1.0), (1, 1.0), (2, 1.0)], &[]], &[(0, 0, 2, 1.0), (0, 1, 2, 1.0)]);
    let m = method("sgd", json!({ "learning_rate": 1e-4, "schedule": "fixed", "margin": 0.5001 }));
    let start = matrix_of(&vec![vec![10000.5, -10000.0, 0.0]]);
    let a = train(&m, &data.problem(), Start::Matrix(&start)).expect("t");
    let c = Constraints { forbidden: vec![], support: None, pinned: vec![] };
    let _ = c;
    let h = train(&m, &data.first(1), Start::Matrix(&start)).expect("t");
    let b = train(&m, &data.part(&data.preferences[1..]), Start::Resume(&h.matrix, h.state.as_ref().unwrap())).expect("t");
    panic!("{:?}\n{:?}", rows_of(&a.matrix), rows_of(&b.matrix));
}
