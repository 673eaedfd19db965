//! Promise 3: damage is found, never served. Every bit of every small model is flipped, and every length is cut.

mod samples;

use qwd_core::Family;
use qwd_model::{Model, verify};

#[test]
fn every_flipped_bit_is_found() {
    for (name, model) in samples::all() {
        let mut bytes = model.to_bytes().expect("encoded");
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            match Model::from_bytes(&bytes) {
                Ok(_) => panic!("{name}: bit {bit} is served"),
                Err(e) => assert_eq!(e.family(), Family::Damaged, "{name}: bit {bit}: {e}"),
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_found() {
    for (name, model) in samples::all() {
        let bytes = model.to_bytes().expect("encoded");
        for n in 0..bytes.len() {
            let error = Model::from_bytes(&bytes[..n]).expect_err("cut short");
            assert_eq!(error.family(), Family::Damaged, "{name} cut to {n}: {error}");
        }
        let longer = [bytes.as_slice(), b"\0"].concat();
        assert_eq!(Model::from_bytes(&longer).expect_err("too long").family(), Family::Damaged, "{name}");
    }
}

#[test]
fn two_tensors_in_each_others_place_are_found() {
    let bytes = samples::sparse_state().to_bytes().expect("encoded");
    let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    for at in (8 + n_header..bytes.len() - 16).step_by(8) {
        let mut swapped = bytes.clone();
        swapped[at..at + 16].rotate_left(8);
        assert!(swapped == bytes || Model::from_bytes(&swapped).is_err(), "bytes at {at}");
    }
}

#[test]
fn a_model_opened_to_serve_is_never_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let model = samples::sparse_state();
    let mut bytes = model.to_bytes().expect("encoded");
    let mut n_served = 0;
    for at in 0..bytes.len() {
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).expect("written");
        match Model::open_without_state(&path) {
            // Only what is neither read nor kept may be damaged.
            Ok(served) => {
                assert_eq!(served.matrix(), model.matrix(), "byte {at}");
                assert_eq!(
                    served.score_text("car sea", "ship engine").expect("words"),
                    model.score_text("car sea", "ship engine").expect("words")
                );
                n_served += 1;
            }
            Err(e) => assert_eq!(e.family(), Family::Damaged, "byte {at}: {e}"),
        }
        bytes[at] ^= 1 << (at % 8);
    }
    assert!(n_served > 0, "the training state is not read");
}

#[test]
fn verify_names_the_damaged_section() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let model = samples::sparse_state();
    model.save(&path).expect("saved");
    let sound = verify(&path).expect("readable");
    assert!(sound.is_sound(), "{sound:?}");
    assert_eq!(sound.sections.first().map(|s| s.name.as_str()), Some("header"));
    assert_eq!(sound.sections.last().map(|s| s.name.as_str()), Some("contents"));

    let mut bytes = model.to_bytes().expect("encoded");
    let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    for at in 0..bytes.len() {
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).expect("written");
        let found = verify(&path).expect("readable");
        let problems: Vec<_> = found.sections.iter().filter(|s| s.problem.is_some()).collect();
        assert_eq!(problems.len(), 1, "byte {at}: {found:?}");
        assert_eq!(problems[0].name == "header", at < 8 + n_header, "byte {at}: {problems:?}");
        bytes[at] ^= 1 << (at % 8);
    }
}
