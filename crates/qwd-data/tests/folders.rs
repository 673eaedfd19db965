//! Folders become data sets, and data sets become tasks.

use qwd_data::{Dataset, LinkSplit, Opened, Reading, Shares, Signal, Split, SplitRule, Truth, VectorDataset};
use std::io::Write;
use std::path::Path;

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, content).expect("a file");
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("writing to memory")
}

fn corpus(n: usize, fields: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| format!("{{\"_id\":\"d{i}\",\"text\":\"text {i}\"{}}}\n", fields(i))).collect()
}

fn queries(n: usize) -> String {
    (0..n).map(|i| format!("{{\"_id\":\"q{i}\",\"text\":\"text {i}\"}}\n")).collect()
}

fn open(folder: &Path) -> Dataset {
    Dataset::open(folder, &mut Reading::default()).expect("a data set")
}

#[test]
fn judged_data_keep_their_splits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let packed = zstd::encode_all(corpus(4, |_| String::new()).as_bytes(), 1).expect("writing to memory");
    write(folder.path(), "corpus.jsonl.zst", packed);
    write(folder.path(), "queries.jsonl.gz", gzip(queries(3).as_bytes()));
    write(folder.path(), "qrels/train.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t2\nq0\td1\t1\nq0\td0\t0\n");
    write(folder.path(), "qrels/test.tsv", "q1 0 d3 1\n");
    write(folder.path(), "preferences.tsv", "q0\td1\td2\t0.5\n");
    write(folder.path(), "dataset.json", "{\"name\": \"tiny\", \"description\": \"made up\"}");
    let dataset = open(folder.path());
    assert_eq!(dataset.signals(), [Signal::Judgments, Signal::Preferences]);
    assert_eq!((dataset.manifest.name.as_str(), dataset.files.len()), ("tiny", 5));
    let rule = SplitRule::default();
    let train = dataset.task(Split::Train, &rule).expect("train");
    assert_eq!((train.queries.clone(), train.documents.clone()), (vec![0, 2], vec![0, 1, 2, 3]));
    assert_eq!(train.grades(0), [(0, 0), (1, 1)]);
    assert!(!train.queries_are_documents && train.hidden(0).is_empty());
    assert_eq!(dataset.task(Split::Test, &rule).expect("test").grades(0), [(3, 1)]);
    let preferred = dataset.task_of(Signal::Preferences, Split::Train, &rule).expect("preferences");
    assert!(matches!(preferred.expect("some").truth, Truth::Preferences(given) if given.len() == 1));
    let e = dataset.task(Split::Dev, &rule).expect_err("no dev split");
    assert_eq!(
        e.to_string(),
        "the dev split of tiny is empty: there are no judgments (qrels/dev.tsv, qrels.tsv), preferences \
         (preferences.tsv, preferences.jsonl), mates (mates.tsv), links (links.tsv), clicks (sessions.jsonl, clicks.tsv) or labelled documents \
         (corpus.jsonl) for it; \
         add one of them or choose another split"
    );
}

#[test]
fn labelled_documents_are_queries_and_documents_of_their_split() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fields = |i| match i {
        5 => String::new(),
        i => format!(",\"label\":{},\"split\":\"{}\"", i % 2, if i < 3 { "train" } else { "test" }),
    };
    write(folder.path(), "corpus.jsonl", corpus(8, fields));
    let dataset = open(folder.path());
    let test = dataset.task(Split::Test, &SplitRule::default()).expect("test");
    assert_eq!(test.queries, [3, 4, 6, 7]);
    assert_eq!((test.documents.clone(), test.queries_are_documents), (test.queries.clone(), true));
    assert_eq!((test.grades(0), test.hidden(0)), (vec![(7, 1)], vec![3]));
    write(folder.path(), "corpus.jsonl", corpus(2, |i| format!(",\"label\":\"x\"{}", [",\"split\":\"dev\"", ""][i])));
    let e = open(folder.path()).task(Split::Dev, &SplitRule::default()).expect_err("half a split");
    assert_eq!(
        e.to_string(),
        "document \"d1\" has a label but no split, while others have one; give every labelled document a split, or none"
    );
}

#[test]
fn what_brings_no_split_is_dealt_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(200, |i| format!(",\"label\":\"{}\"", i % 2)));
    let rule =
        SplitRule { seed: 3, shares: Shares::try_new(0.6, 0.2, 0.2).expect("valid shares"), ..SplitRule::default() };
    let pairs = |format: fn(usize) -> String| (0..200).map(format).collect::<String>();
    let check = |signal| {
        let dataset = open(folder.path());
        assert_eq!(dataset.signals()[0], signal);
        let tasks = Split::ALL.map(|split| dataset.task(split, &rule).expect("a split"));
        let mut rows: Vec<u32> = tasks.iter().flat_map(|task| task.queries.clone()).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..200).collect::<Vec<u32>>(), "{signal:?}");
        assert!((90..150).contains(&tasks[0].queries.len()), "{signal:?}: {}", tasks[0].queries.len());
        let (train, validation) = dataset.train_and_validation(&rule).expect("two tasks");
        assert_eq!((&train, &validation), (&tasks[0], &tasks[1]));
        tasks
    };
    check(Signal::Labels);
    write(folder.path(), "links.tsv", pairs(|i| format!("d{i}\td{}\n", (i + 1) % 200)));
    let [train, _, test] = check(Signal::Links);
    assert_eq!((train.known.len(), test.queries.len() + test.known.len()), (0, 200));
    assert!(!test.known.contains(&(test.queries[0], test.grades(0)[0].0)));
    write(folder.path(), "queries.jsonl", queries(200));
    let told =
        open(folder.path()).task(Split::Train, &rule).expect_err("nothing says what suits the queries").to_string();
    assert!(told.contains("nothing says what suits them"), "{told}");
    write(folder.path(), "preferences.tsv", pairs(|i| format!("q{i}\td1\td2\n")));
    check(Signal::Preferences);
    write(folder.path(), "qrels.tsv", pairs(|i| format!("q{i} 0 d1 1\n")));
    check(Signal::Judgments);
    let dataset = open(folder.path());
    let links = dataset.task_of(Signal::Links, Split::Train, &rule).expect("links").expect("some");
    assert_eq!(links.queries.len(), 200, "links are for training where judgments measure");
}

#[test]
fn links_can_be_divided_by_documents() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(60, |_| String::new()));
    let pairs = (0..60).flat_map(|i| (0..60).filter(move |&j| j != i).map(move |j| format!("d{i}\td{j}\n")));
    write(folder.path(), "links.tsv", pairs.collect::<String>());
    let rule = SplitRule { shares: Shares::SEVENTY_THIRTY, links: LinkSplit::Documents, ..SplitRule::default() };
    let dataset = open(folder.path());
    let tasks = Split::ALL.map(|split| dataset.task(split, &rule).expect("a split"));
    let mut rows: Vec<u32> = tasks.iter().flat_map(|task| task.documents.clone()).collect();
    rows.sort_unstable();
    assert_eq!(rows, (0..60).collect::<Vec<u32>>(), "every document is in one split");
    for task in &tasks {
        assert_eq!(task.queries, task.documents);
        for i in 0..task.queries.len() {
            let others: Vec<u32> = task.documents.iter().copied().filter(|&row| row != task.queries[i]).collect();
            assert_eq!(task.grades(i).into_iter().map(|(row, _)| row).collect::<Vec<_>>(), others);
            assert_eq!(task.hidden(i), [task.queries[i]]);
        }
    }
    assert!(tasks[2].documents.len() > 8, "{}", tasks[2].documents.len());
}

#[test]
fn what_a_mate_links_to_suits_the_query() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(100, |_| String::new()));
    write(folder.path(), "queries.jsonl", queries(60));
    let pairs = (0..100).flat_map(|i| [1, 7, 30].map(|step| format!("d{i}\td{}\n", (i + step) % 100)));
    write(folder.path(), "links.tsv", pairs.collect::<String>());
    // The mate of query i is document 99 - i; the last ten queries have none.
    write(folder.path(), "mates.tsv", (0..50).map(|i| format!("q{i}\td{}\n", 99 - i)).collect::<String>());
    let dataset = open(folder.path());
    assert_eq!(dataset.signals(), [Signal::MateLinks, Signal::Mates, Signal::Links]);
    let rule = SplitRule { shares: Shares::SEVENTY_THIRTY, ..SplitRule::default() };
    let of = |signal, split| dataset.task_of(signal, split, &rule).expect("a task").expect("not empty");
    let mut n = 0;
    for split in Split::ALL {
        let (crossing, linked) = (of(Signal::MateLinks, split), of(Signal::Links, split));
        assert!(!crossing.queries_are_documents && linked.queries_are_documents);
        for (i, &query) in crossing.queries.iter().enumerate() {
            let mate = 99 - query;
            let at = linked.queries.binary_search(&mate).expect("the mate links in this split too");
            assert_eq!(crossing.grades(i), linked.grades(at));
            assert_eq!(crossing.hidden(i), linked.hidden(at), "the mate and the links of earlier splits");
            n += crossing.grades(i).len();
        }
    }
    assert_eq!(n, 150);
    let finding = Split::ALL.map(|split| of(Signal::Mates, split));
    assert_eq!(finding.iter().map(|task| task.queries.len()).sum::<usize>(), 50);
    assert_eq!(finding[0].grades(0), [(99 - finding[0].queries[0], 1)]);
    assert!(finding[0].hidden(0).is_empty());
    let apart = SplitRule { links: LinkSplit::Documents, ..rule };
    let test = dataset.task_of(Signal::MateLinks, Split::Test, &apart).expect("a task").expect("not empty");
    for (i, query) in test.queries.iter().enumerate() {
        assert!(test.documents.contains(&(99 - query)));
        assert!(test.grades(i).iter().all(|(row, _)| test.documents.contains(row)));
    }
}

#[test]
fn queries_can_be_replaced_by_their_translations() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(1, |_| String::new()));
    write(folder.path(), "queries.jsonl", queries(2));
    let translated = |text: &str| {
        let input = qwd_data::Input::from_bytes("translated.jsonl", text).expect("bytes in memory can be opened");
        open(folder.path()).with_query_texts(input, &mut Reading::default()).map_err(|e| e.to_string())
    };
    let dataset = translated("{\"_id\":\"q1\",\"text\":\"eins\"}\n{\"_id\":\"q0\",\"text\":\"\"}\n").expect("both");
    assert_eq!(dataset.queries.iter().map(|q| q.text.as_str()).collect::<Vec<_>>(), ["", "eins"]);
    assert_eq!(
        translated("{\"_id\":\"q1\",\"text\":\"eins\"}\n").expect_err("one is missing"),
        "translated.jsonl has no text for query \"q0\"; give a text for every query, if only an empty one"
    );
    assert_eq!(
        translated("{\"_id\":\"q7\",\"text\":\"\"}\n").expect_err("nobody"),
        "translated.jsonl:1:1: text names unknown query \"q7\"; add it to queries.jsonl or pass --on-error skip"
    );
}

#[test]
fn the_test_links_stay_when_a_part_of_train_becomes_dev() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(300, |_| String::new()));
    write(folder.path(), "links.tsv", (0..299).map(|i| format!("d{i}\td{}\n", i + 1)).collect::<String>());
    let dataset = open(folder.path());
    let test = |shares| {
        let rule = SplitRule { shares, ..SplitRule::default() };
        dataset.task(Split::Test, &rule).expect("test")
    };
    let whole = test(Shares::try_new(0.7, 0.0, 0.3).expect("valid shares"));
    assert_eq!(test(Shares::SEVENTY_THIRTY), whole);
    assert!((60..120).contains(&whole.queries.len()), "{}", whole.queries.len());
}

#[test]
fn a_part_of_train_is_held_out_where_there_is_no_dev() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let split = |i| if i < 180 { "train" } else { "test" };
    write(folder.path(), "corpus.jsonl", corpus(200, |i| format!(",\"label\":\"x\",\"split\":\"{}\"", split(i))));
    let dataset = open(folder.path());
    let rule = SplitRule::default();
    assert_eq!(dataset.task(Split::Train, &rule).expect("train").queries.len(), 180);
    let (train, validation) = dataset.train_and_validation(&rule).expect("two tasks");
    assert_eq!(train.queries.len() + validation.queries.len(), 180);
    assert!((5..40).contains(&validation.queries.len()), "{}", validation.queries.len());
    assert!(validation.queries.iter().all(|row| !train.documents.contains(row)));
}

#[test]
fn triples_of_texts_are_a_data_set_by_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let triples =
        "{\"query\":\"q\",\"pos\":\"a\",\"neg\":\"b\"}\n{\"query\":\"q\",\"pos\":\"b\",\"neg\":\"c\",\"weight\":2}\n";
    write(folder.path(), "preferences.jsonl", triples);
    let dataset = open(folder.path());
    let ids: Vec<&str> = dataset.documents.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(ids, ["document:af63dc4c8601ec8c", "document:af63df4c8601f1a5", "document:af63de4c8601eff2"]);
    assert_eq!(dataset.queries.len(), 1);
    let tuples: Vec<_> = dataset.preferences.iter().map(|p| (p.query, p.better, p.worse, p.weight)).collect();
    assert_eq!(tuples, [(0, 0, 1, 1.0), (0, 1, 2, 2.0)]);
    write(folder.path(), "corpus.jsonl", corpus(2, |_| String::new()));
    let dataset = open(folder.path());
    assert_eq!((dataset.documents.len(), dataset.preferences[1].worse), (5, 4));
}

#[test]
fn documents_are_queries_where_there_are_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "corpus.jsonl", corpus(3, |_| String::new()));
    write(folder.path(), "qrels/test.tsv", "d0 0 d2 1\n");
    let test = open(folder.path()).task(Split::Test, &SplitRule::default()).expect("test");
    assert!(test.queries_are_documents);
    assert_eq!(test.hidden(0), [0]);
}

#[test]
fn vectors_share_columns_and_classes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "train.svm", "2 1:1 3:0.5\n-1 2:1\n");
    write(folder.path(), "test.svm.gz", gzip(b"# a comment\n-1 7:1\n10 1:1\n"));
    let Ok(Opened::Vectors(vectors)) = Opened::open(folder.path(), &mut Reading::default()) else {
        panic!("no vectors")
    };
    assert_eq!((vectors.train.rows.n_cols(), vectors.test.rows.n_cols()), (7, 7));
    assert_eq!((&vectors.train.class_of[..], &vectors.test.class_of[..]), (&[1, 0][..], &[0, 2][..]));
    assert_eq!(vectors.task(Split::Test).expect("test").1.queries, [0, 1]);
    assert!(vectors.task(Split::Dev).is_err());
}

#[test]
fn images_are_vectors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let images = b"\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\xff\x33\0";
    let labels = b"\0\0\x08\x01\0\0\0\x02\x07\x05";
    for part in ["train", "t10k"] {
        write(folder.path(), &format!("{part}-images-idx3-ubyte"), images);
        write(folder.path(), &format!("{part}-labels-idx1-ubyte.gz"), gzip(labels));
    }
    let mnist = VectorDataset::open(folder.path(), &mut Reading::default()).expect("images");
    assert_eq!((mnist.train.rows.get(0, 1), mnist.train.rows.get(1, 0), mnist.train.rows.nnz()), (1.0, 0.2, 2));
    assert_eq!(mnist.train.class_of, [1, 0]);
    write(folder.path(), "t10k-labels-idx1-ubyte.gz", gzip(b"\0\0\x08\x01\0\0\0\x01\x07"));
    let e = VectorDataset::open(folder.path(), &mut Reading::default()).expect_err("too few labels");
    assert!(e.to_string().contains("has 2 images but"), "{e}");
}

#[test]
fn clicks_teach_by_sessions_and_measure_by_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let texts = |prefix: &str, n: usize| -> String {
        (0..n).map(|i| format!("{{\"_id\":\"{prefix}{i}\",\"text\":\"t\"}}\n")).collect()
    };
    write("corpus.jsonl", &texts("d", 4));
    write("queries.jsonl", &texts("q", 40));
    let clicks: String = (0..40).map(|i| format!("q{i}\td{}\t{}\n", i % 4, i + 1)).collect();
    write("clicks.tsv", &(clicks + "q0\td3\t0\t5\n"));
    let open = || Dataset::open(folder.path(), &mut Reading::default()).expect("a data set");
    let dataset = open();
    let rule = SplitRule::default();
    assert_eq!(dataset.signals(), [Signal::Clicks]);
    let tasks = Split::ALL.map(|split| dataset.task(split, &rule).expect("a task"));
    assert_eq!(tasks.iter().map(|task| task.queries.len()).sum::<usize>(), 40, "dealt out by query");
    let grade_of = |query: u32| {
        let task = tasks.iter().find(|task| task.queries.contains(&query)).expect("one has it");
        task.grades(task.queries.iter().position(|&q| q == query).expect("there"))
    };
    assert_eq!(grade_of(0), [(0, 1)], "what was only shown is not clicked");
    assert_eq!(grade_of(6), [(2, 3)], "seven clicks");
    let sessions: String = (0..40)
        .map(|i| format!("{{\"query\":\"q{i}\",\"shown\":[\"d0\",\"d1\"],\"clicked\":[\"d1\"],\"user\":\"u\"}}\n"))
        .collect();
    write("sessions.jsonl", &sessions);
    let dataset = open();
    assert!(dataset.sessions.iter().all(|session| session.user == Some(0) && session.clicked == [1]));
    let train = dataset.task(Split::Train, &rule).expect("a task");
    let Truth::Preferences(preferences) = &train.truth else { panic!("preferences") };
    assert!(preferences.iter().all(|p| (p.better, p.worse) == (1, 0)) && preferences.len() == tasks[0].queries.len());
    assert_eq!(dataset.task(Split::Test, &rule).expect("a task"), tasks[2], "counts measure");
    write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n");
    let judged = open();
    let all = judged.task_of(Signal::Clicks, Split::Train, &rule).expect("a task").expect("some");
    assert_eq!(all.queries.len(), 40, "beside judgments, all clicks are for training");
    write("clicks.tsv", "q0\td9\t1\n");
    let message = Dataset::open(folder.path(), &mut Reading::default()).expect_err("unknown").to_string();
    assert!(message.contains("click names unknown document \"d9\""), "{message}");
}
