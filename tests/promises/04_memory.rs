//! Promise 4: opening a file takes memory of about twice its size at most, whatever its header claims.

use qwd_core::Csr;
use qwd_model::{LazyWeights, Matrix, Model, Provenance, TrainingState};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts what is in use and the most that ever was.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "the only way to count allocations; it hands everything on to the system")]
// SAFETY: every call is handed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let in_use = IN_USE.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(in_use, Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `f` takes at once.
fn peak(f: impl FnOnce()) -> usize {
    let before = IN_USE.load(Relaxed);
    MOST.store(before, Relaxed);
    f();
    MOST.load(Relaxed) - before
}

/// What a header may cost on top: thirty times its largest size.
const FOR_HEADER: usize = 32 << 20;

// One test, so that no other allocates beside it.
#[test]
fn opening_takes_about_twice_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let n = 2000u32;
    let mut weights = Csr::empty(n);
    for row in 0..n {
        let indices: Vec<u32> = (0..n).filter(|t| (t * 7 + row) % 3 != 0).collect();
        let values = vec![1.0; indices.len()];
        let row = qwd_core::SparseVec::try_new(indices, values).expect("sorted");
        weights.push(row.view()).expect("in range");
    }
    let (matrix, lazy) = LazyWeights::split(&weights, vec![0.5; n as usize]).expect("valid");
    let state = TrainingState { lazy_weights: Some(lazy), ..TrainingState::default() };
    let model = Model::new(matrix, Provenance::new("sparse-sgd")).with_state(state).expect("of this matrix");
    model.save(&path).expect("saved");
    let file = std::fs::metadata(&path).expect("a file").len() as usize;
    drop((model, weights));

    let with_state = peak(|| drop(Model::open(&path).expect("sound")));
    let to_serve = peak(|| drop(Model::open_without_state(&path).expect("sound")));
    assert!(with_state < 21 * file / 10, "{with_state} bytes for a file of {file}");
    assert!(to_serve < 15 * file / 10, "{to_serve} bytes for a file of {file}");
    let to_save = peak(|| Model::open_without_state(&path).expect("sound").save(&path).expect("saved"));
    assert!(to_save < 2 * file, "{to_save} bytes to save a file of {file}");

    let dense = Model::new(Matrix::dense(1000, 1000, vec![1.0; 1_000_000]).expect("finite"), Provenance::new("sgd"));
    dense.save(&path).expect("saved");
    let to_serve = peak(|| drop(Model::open(&path).expect("sound")));
    assert!(to_serve < 4_500_000, "{to_serve} bytes");

    // The costliest header: a list of a million numbers where a tensor should be described.
    let text = format!(r#"{{"__metadata__":{{"header_crc32":"00000000"}},"x":[{}0]}}"#, "0,".repeat((1 << 19) - 40));
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    let digits = format!("{:08x}", qwd_store::crc32(&bytes));
    bytes[41..49].copy_from_slice(digits.as_bytes());
    let for_header = peak(|| assert!(Model::from_bytes(&bytes).is_err()));
    assert!(for_header < FOR_HEADER, "{for_header} bytes for a header of {}", text.len());
}
