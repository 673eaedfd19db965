//! Public data sets become folders: on tiny made originals, every conversion as a whole.

use qwd_data::convert::{DATASETS, Options, Original};
use qwd_data::{Dataset, Reading, Split, SplitRule, VectorDataset};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of originals and the place for what is made of them.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("from")).expect("a folder");
        for (name, content) in files {
            std::fs::write(folder.path().join("from").join(name), content).expect("a file");
        }
        Self(folder)
    }

    fn to(&self) -> PathBuf {
        self.0.path().join("to")
    }

    fn convert(&self, name: &str) -> qwd_core::Result<Vec<(&'static str, u64)>> {
        let original = Original::named(name)?;
        let converted = original.convert(&self.0.path().join("from"), &self.to(), &mut Reading::default())?;
        Ok(converted.counts.into_iter().map(|count| (count.what, count.n)).collect())
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("writing to memory")
}

fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("writing to memory")
}

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 1).expect("writing to memory")
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut block = vec![0u8; 512];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        block[156] = if name.ends_with('/') { b'5' } else { b'0' };
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(block);
        archive.extend(*content);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

fn open(folder: &Path) -> Dataset {
    Dataset::open(folder, &mut Reading::default()).expect("a data set")
}

/// All files of a folder and their content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(content(&path));
        } else {
            files.insert(path.clone(), std::fs::read(path).expect("a file"));
        }
    }
    files
}

fn newsgroups() -> Vec<u8> {
    zstd(&tar(&[
        ("20news-bydate-train/", b""),
        ("20news-bydate-train/sci.space/9", b"From: a\nSubject: To the moon\n\nSubject: none\n"),
        ("20news-bydate-test/alt.atheism/7", b"Caf\xe9"),
        ("20news-bydate-train/alt.atheism/12", b"x"),
        ("README", b"nothing"),
    ]))
}

#[test]
fn twenty_newsgroups() {
    let place = Place::new(&[("20news-bydate.tar.zst", newsgroups())]);
    let counts = place.convert("20newsgroups").expect("converted");
    assert_eq!(counts, [("train documents", 2), ("test documents", 1), ("classes", 2)]);
    let dataset = open(&place.to());
    let ids: Vec<&str> = dataset.documents.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(ids, ["alt.atheism/12", "sci.space/9", "alt.atheism/7"]);
    assert_eq!((dataset.documents[2].text.as_str(), dataset.documents[2].split), ("Café", Some(Split::Test)));
    assert_eq!(dataset.documents[1].extra["subject"], "To the moon");
    assert_eq!(dataset.documents[1].label.as_deref(), Some("sci.space"));
    assert_eq!(dataset.manifest.files.len(), 1);
}

#[test]
fn conversions_are_deterministic_and_whole() {
    let (a, b) = (newsgroups(), newsgroups());
    let (a, b) = (Place::new(&[("20news-bydate.tar", a)]), Place::new(&[("20news-bydate.tar.gz", b)]));
    for place in [&a, &b] {
        place.convert("20newsgroups").expect("converted");
    }
    let bytes = |place: &Place| content(&place.to()).into_values().collect::<Vec<_>>();
    assert_eq!(bytes(&a), bytes(&b));
    let before = content(&a.to());
    let again = a.convert("20newsgroups").expect_err("it is there already").to_string();
    assert!(again.ends_with("to: cannot create: it is there already: remove it or choose another"), "{again}");
    assert_eq!(content(&a.to()), before);
    let cut = newsgroups();
    let cut = Place::new(&[("20news-bydate.tar.zst", cut[..cut.len() / 2].to_vec())]);
    assert!(cut.convert("20newsgroups").is_err());
    let empty = Place::new(&[("20news-bydate.tar", tar(&[("other/file", b"")]))]);
    let e = empty.convert("20newsgroups").expect_err("nothing in it").to_string();
    assert!(e.ends_with("hold no documents; check that they are the right files"), "{e}");
    let left: Vec<_> = std::fs::read_dir(cut.0.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["from"]);
}

fn story(topics_attribute: &str, split: &str, id: u32, topics: &str, text: &str) -> String {
    format!(
        "<REUTERS TOPICS=\"{topics_attribute}\" LEWISSPLIT=\"{split}\" CGISPLIT=\"X\" OLDID=\"1\" NEWID=\"{id}\">\n\
         <TOPICS>{topics}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n{text}\n</REUTERS>\n"
    )
}

#[test]
fn reuters21578() {
    let text = "<TEXT>&#2;\n<TITLE>OIL &amp; GAS</TITLE>\n<DATELINE> NEW YORK </DATELINE><BODY>Prices &lt;UP> 5 pct\n Reuter\n&#3;</BODY></TEXT>";
    let unprocessed = "<TEXT TYPE=\"UNPROC\">&#2;\n raw story\n&#3;</TEXT>";
    let brief = "<TEXT TYPE=\"BRIEF\">&#2;\n******<TITLE>SHORT</TITLE>\n&#3;</TEXT>";
    let first = [
        "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n".to_string(),
        story("YES", "TRAIN", 10, "<D>crude</D>", text),
        story("YES", "TEST", 2, "<D>crude</D>", unprocessed),
        story("YES", "TRAIN", 9, "<D>crude</D>", brief),
        story("YES", "TRAIN", 3, "<D>crude</D><D>ship</D>", text),
        story("YES", "TRAIN", 4, "<D>tea</D>", text),
        story("NO", "TRAIN", 5, "<D>crude</D>", text),
        story("YES", "NOT-USED", 6, "<D>crude</D>", text),
        story("YES", "TRAIN", 7, "", text),
        "<REUTERS TOPICS=\"YES\" cut off".to_string(),
    ]
    .concat();
    let place =
        Place::new(&[("reuters21578.tar.gz", gzip(&tar(&[("reut2-000.sgm", first.as_bytes()), ("x.txt", b"")])))]);
    let counts = place.convert("reuters21578").expect("converted");
    let expected = [
        ("stories", 8),
        ("stories of the ModApte split", 6),
        ("train documents", 2),
        ("test documents", 1),
        ("classes", 1),
    ];
    assert_eq!(counts, expected);
    let documents = open(&place.to()).documents;
    let shown: Vec<_> = documents.iter().map(|d| (d.id.as_str(), d.title.as_str(), d.text.as_str())).collect();
    assert_eq!(shown, [("9", "SHORT", ""), ("10", "OIL & GAS", "Prices <UP> 5 pct\n Reuter"), ("2", "", "raw story")]);
}

#[test]
fn nfcorpus() {
    let mut files = vec![("docs.union.tsv.gz", gzip(b"MED-2\tsecond text\nMED-1\tfirst text\n"))];
    files.push(("train.titles.queries", b"PLAIN-1\tone\nPLAIN-2\ttwo\n".to_vec()));
    files.push(("dev.titles.queries", b"PLAIN-3\tthree\n".to_vec()));
    files.push(("test.titles.queries", b"PLAIN-4\tfour\n".to_vec()));
    files.push(("train.2-1-0.qrel.gz", gzip(b"PLAIN-1\t0\tMED-2\t2\nPLAIN-1\t0\tMED-1\t1\nPLAIN-2\t0\tMED-9\t1\n")));
    files.push(("dev.2-1-0.qrel", b"PLAIN-3\t0\tMED-1\t1\n".to_vec()));
    files.push(("test.2-1-0.qrel", b"PLAIN-4\t0\tMED-1\t1\n".to_vec()));
    let place = Place::new(&files);
    let counts = place.convert("nfcorpus").expect("converted");
    assert_eq!(
        counts[..5],
        [
            ("documents", 2),
            ("queries", 4),
            ("train judgments", 2),
            ("train judgments of missing documents", 1),
            ("train queries left without documents", 1),
        ]
    );
    let dataset = open(&place.to());
    assert_eq!(dataset.documents[0].id, "MED-1");
    let train = dataset.task(Split::Train, &SplitRule::default()).expect("train");
    assert_eq!((train.queries.clone(), train.grades(0)), (vec![0], vec![(0, 1), (1, 2)]));
    std::fs::remove_file(place.0.path().join("from/dev.2-1-0.qrel")).expect("a file");
    std::fs::remove_dir_all(place.to()).expect("a folder");
    let e = place.convert("nfcorpus").expect_err("a file is missing").to_string();
    assert!(e.contains("holds no dev.2-1-0.qrel, plain or as .gz, .zst, .bz2; fetch the data set"), "{e}");
    assert!(!place.to().exists());
}

#[test]
fn mnist() {
    let images = gzip(b"\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\xff\x33\0");
    let labels = b"\0\0\x08\x01\0\0\0\x02\x07\x05".to_vec();
    let place = Place::new(&[
        ("train-images-idx3-ubyte.gz", images.clone()),
        ("train-labels-idx1-ubyte", labels.clone()),
        ("t10k-images-idx3-ubyte.gz", images.clone()),
        ("t10k-labels-idx1-ubyte", labels),
    ]);
    let counts = place.convert("mnist").expect("converted");
    assert_eq!(counts, [("train images", 2), ("test images", 2), ("classes", 2), ("pixels", 2)]);
    assert_eq!(content(&place.to())[&place.to().join("t10k-images-idx3-ubyte.gz")], images);
    let mnist = VectorDataset::open(place.to(), &mut Reading::default()).expect("images");
    assert_eq!((mnist.manifest.name.as_str(), mnist.manifest.files.len()), ("mnist", 4));
}

#[test]
fn rcv1() {
    let place = Place::new(&[
        ("rcv1_train.multiclass.bz2", bzip2(b"1 3:0.5 9:0.5\n34 1:1\n")),
        ("rcv1_test.multiclass", b"2 12:1\n".to_vec()),
    ]);
    let counts = place.convert("rcv1").expect("converted");
    assert_eq!(counts, [("train documents", 2), ("test documents", 1), ("classes", 3), ("words", 12)]);
    let rcv1 = VectorDataset::open(place.to(), &mut Reading::default()).expect("vectors");
    assert_eq!((rcv1.train.rows.get(0, 8), rcv1.test.rows.n_cols()), (0.5, 12));
    let bad =
        Place::new(&[("rcv1_train.multiclass", b"1 3:0.5\n2 1:x\n".to_vec()), ("rcv1_test.multiclass", b"".to_vec())]);
    let e = bad.convert("rcv1").expect_err("a bad row").to_string();
    assert!(
        e.ends_with(
            "rcv1_train.multiclass:2:5: value \"x\" is not a finite number; correct the line or pass --on-error skip"
        ),
        "{e}"
    );
    assert!(!bad.to().exists());
}

fn wikispeedia_files(links: &str) -> Vec<(&'static str, Vec<u8>)> {
    let articles = "{\"id\":\"A_b\",\"title\":\"A b\",\"text\":\"first\"}\n{\"id\":\"%C3%85\",\"title\":\"Å\",\"text\":\"second\"}\n\
                    {\"id\":\"1994\",\"title\":\"1994\",\"text\":\"third\"}\n";
    let paths = "# comment\n\nx\t1\t2\tA_b;%C3%85;<;1994;%C3%85\t1994\ttimeout\nx\t1\t2\tA_b;1994;gone\t%C3%85\trestart\n\
                 x\t1\t2\tA_b;1994\tgone\trestart\n";
    vec![
        ("articles.jsonl.zst", zstd(articles.as_bytes())),
        ("categories.tsv.gz", gzip(b"# comment\nA_b\tsubject.X\nA_b\tsubject.Y\ngone\tsubject.X\n")),
        ("links.tsv.gz", gzip(links.as_bytes())),
        ("paths_unfinished.tsv", paths.into()),
    ]
}

#[test]
fn wikispeedia() {
    let place = Place::new(&wikispeedia_files(
        "# comment\n\n%C3%85\tA_b\nA_b\tA_b\nA_b\t1994\nA_b\tgone\n1994\tA_b\n%C3%85\tA_b\n",
    ));
    let counts = place.convert("wikispeedia").expect("converted");
    let expected = [
        ("documents", 3),
        ("links", 2),
        ("links of a page to itself, left out", 1),
        ("links to calendar years, left out", 1),
        ("links of unknown pages, left out", 1),
        ("paths", 3),
        ("clicks", 5),
        ("clicked pairs", 3),
    ];
    assert_eq!(counts, expected);
    let dataset = open(&place.to());
    assert_eq!(dataset.links, [(1, 0), (2, 0)]);
    assert_eq!((dataset.documents[1].id.as_str(), dataset.documents[1].title.as_str()), ("%C3%85", "Å"));
    assert_eq!(dataset.documents[0].extra["categories"], serde_json::json!(["subject.X", "subject.Y"]));
    let clicks = std::fs::read_to_string(place.to().join("clicks.tsv")).expect("clicks");
    assert_eq!(clicks, "A_b\t%C3%85\t1\nA_b\t1994\t3\n1994\t%C3%85\t1\n", "after a step back, from the page before");
    let steps = std::fs::read_to_string(place.to().join("steps.tsv")).expect("steps");
    let expected =
        "0\tA_b\t%C3%85\t1994\n0\tA_b\t1994\t1994\n0\t1994\t%C3%85\t1994\n1\tA_b\t1994\t%C3%85\n2\tA_b\t1994\t-\n";
    assert_eq!(steps, expected);
    let input = qwd_data::Input::open(place.to().join("steps.tsv")).expect("steps");
    let steps = qwd_data::steps::read(input, &dataset.document_ids, &mut Reading::default()).expect("read");
    assert_eq!((steps[2].page, steps[2].article, steps[4].target), (2, 1, None));
    std::fs::remove_dir_all(place.to()).expect("a folder");
    let finished = "x\t1\t2\tA_b;1994\tNULL\n";
    std::fs::write(place.0.path().join("from/paths_finished.tsv"), finished).expect("a file");
    assert_eq!(
        place.convert("wikispeedia").expect("converted")[5..],
        [("paths", 4), ("clicks", 6), ("clicked pairs", 3)]
    );
    std::fs::remove_dir_all(place.to()).expect("a folder");
    let options = Options { keep_year_links: true };
    let original = Original::named("wikispeedia").expect("known");
    let from = original.find_in(&place.0.path().join("from"));
    original.convert_with(&from, &place.to(), options, &mut Reading::default()).expect("converted");
    assert_eq!(open(&place.to()).links, [(0, 2), (1, 0), (2, 0)]);
}

#[test]
fn bad_pages_are_told_with_their_place() {
    let cases = [
        (
            "articles.jsonl.zst",
            "{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"a\",\"text\":\"\"}\n",
            ":2:1: page \"a\" appears twice; correct the line or pass --on-error skip",
        ),
        (
            "articles.jsonl.zst",
            "{\"id\":3}\n",
            ":1:7: not a usable JSON record: invalid type: integer `3`, expected a string; correct the line or pass --on-error skip",
        ),
        ("articles.jsonl.zst", "", "hold no documents; check that they are the right files"),
        (
            "links.tsv.gz",
            "A_b\n",
            ":1:1: expected from<TAB>to, found 1 column; put one tab between columns or pass --on-error skip",
        ),
    ];
    for (name, content, expected) in cases {
        let mut files = wikispeedia_files("");
        for file in files.iter_mut().filter(|file| file.0 == name) {
            file.1 = content.into();
        }
        let place = Place::new(&files);
        let e = place.convert("wikispeedia").expect_err("bad originals").to_string();
        assert!(e.ends_with(expected), "{e}");
        assert!(!place.to().exists());
    }
}

fn mdn_files() -> Vec<(&'static str, Vec<u8>)> {
    let page = |id: &str, title: &str, text: &str| {
        format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"slug\":\"S\",\"type\":\"\",\"text\":\"{text}\"}}\n")
    };
    let english = [page("web/a", "A", "one"), page("web/b", "B", "two"), page("web/c", "C", "three")].concat();
    let japanese = [page("web/b", "ビー", "二"), page("web/only", "のみ", "四"), page("web/a", "", "一")].concat();
    vec![
        ("docs_en.jsonl.zst", zstd(english.as_bytes())),
        ("docs_ja.jsonl.zst", zstd(japanese.as_bytes())),
        ("docs_fr.jsonl.zst", zstd(page("web/c", "Cé", "trois").as_bytes())),
        ("links_en.tsv.zst", zstd(b"web/a\tweb/b\t2\nweb/b\tweb/c\t1\nweb/c\tgone\t1\n")),
    ]
}

#[test]
fn mdn_docs() {
    let place = Place::new(&mdn_files());
    let counts = place.convert("mdn_docs").expect("converted");
    assert_eq!(counts[..2], [("documents", 3), ("links", 2)]);
    let english = open(&place.to());
    assert_eq!((&english.links[..], english.queries.len()), (&[(0, 1), (1, 2)][..], 0));
    assert_eq!(english.documents[0].extra["slug"], "S");
    std::fs::remove_dir_all(place.to()).expect("a folder");
    let counts = place.convert("mdn_docs_ja").expect("converted");
    assert_eq!(counts[5..], [("queries", 3), ("mates", 2)]);
    let japanese = open(&place.to());
    assert_eq!((&japanese.links, &japanese.documents), (&english.links, &english.documents));
    let texts: Vec<&str> = japanese.queries.iter().map(|query| query.text.as_str()).collect();
    assert_eq!(texts, ["ビー\n二", "のみ\n四", "一"]);
    let mates = std::fs::read_to_string(place.to().join("mates.tsv")).expect("mates");
    assert_eq!(mates, "web/b\tweb/b\nweb/a\tweb/a\n");
    std::fs::remove_dir_all(place.to()).expect("a folder");
    assert_eq!(place.convert("mdn_docs_fr").expect("converted")[5..], [("queries", 1), ("mates", 1)]);
    assert_eq!(Original::named("mdn_docs_fr").expect("known").find_in(place.0.path()), place.0.path());
}

fn insuranceqa_files(test: &str) -> Vec<(&'static str, Vec<u8>)> {
    let question = |en: &str, answers: &str, negatives: &str| {
        format!(
            "{{\"zh\":\"问\",\"en\":\"{en}\",\"domain\":\"auto\",\"answers\":[{answers}],\"negatives\":[{negatives}]}}"
        )
    };
    let train = format!(
        "{{\"0\":{},\"10\":{}}}",
        question("Who  pays? ", "\"2\"", "\"1\",\"10\""),
        question("Why?", "\"1\",\"10\"", "")
    );
    vec![
        (
            "answers.json.gz",
            gzip(
                r#"{"10":{"zh":"答","en":" ten "},"2":{"en":"two  words","zh":""},"1":{"zh":"","en":"one"}}"#
                    .as_bytes(),
            ),
        ),
        ("train.json.gz", gzip(train.as_bytes())),
        ("valid.json", format!("{{\"0\":{}}}", question("When?", "\"1\"", "\"2\"")).into()),
        ("test.json", test.into()),
    ]
}

#[test]
fn insuranceqa() {
    let place = Place::new(&insuranceqa_files("{}"));
    let counts = place.convert("insuranceqa").expect("converted");
    let expected = [
        ("documents", 3),
        ("train questions", 2),
        ("train right answers", 3),
        ("dev questions", 1),
        ("dev right answers", 1),
        ("test questions", 0),
        ("test right answers", 0),
    ];
    assert_eq!(counts, expected);
    let dataset = open(&place.to());
    let answers: Vec<_> = dataset.documents.iter().map(|d| (d.id.as_str(), d.text.as_str())).collect();
    assert_eq!(answers, [("1", "one"), ("2", "two words"), ("10", "ten")]);
    let train = dataset.task(Split::Train, &SplitRule::default()).expect("train");
    assert_eq!((train.grades(0), train.grades(1)), (vec![(0, 0), (1, 1), (2, 0)], vec![(0, 1), (2, 1)]));
    assert_eq!((dataset.queries[0].id.as_str(), dataset.queries[0].text.as_str()), ("train-0", "Who pays?"));
    assert_eq!((dataset.queries[1].id.as_str(), &dataset.queries[1].extra["domain"]), ("train-10", &"auto".into()));
    let unknown = r#"{"7":{"en":"","domain":"","answers":["3"],"negatives":[]}}"#;
    for (test, expected) in [
        (unknown, "test.json: question 7 names unknown answer \"3\"; fetch the files again"),
        (
            "{\"x\":{}}",
            "test.json:1:2: not what was expected: invalid value: expected key to be a number in quotes; fetch the file again",
        ),
    ] {
        let place = Place::new(&insuranceqa_files(test));
        let e = place.convert("insuranceqa").expect_err("bad originals").to_string();
        assert!(e.ends_with(expected), "{e}");
        assert!(!place.to().exists());
    }
}

#[test]
fn the_registry_is_whole() {
    for original in DATASETS {
        assert!(!original.files.is_empty() && !original.homes.is_empty() && !original.licence.is_empty());
        assert!(original.files.iter().all(|file| file.sha256.is_none_or(|sum| sum.len() == 64)));
    }
    let e = Original::named("20ng").expect_err("no such name").to_string();
    assert_eq!(
        e,
        "parameter dataset = 20ng: expected one of 20newsgroups, mnist, reuters21578, nfcorpus, rcv1, \
         wikispeedia, mdn_docs, mdn_docs_ja, mdn_docs_fr, insuranceqa, zzquerylog, sogou-sample"
    );
}

#[test]
fn zzquerylog() {
    let documents = r#"[{"doc_id":"d1","wikidata_id":"Q1","labels":{"pt":"Atalanta","en":"Atalanta BC"},
        "aliases":{"en":["La Dea"]},"claims":{"sport":{"pid":"P1","value":"football"},"teams":{"pid":"P2","values":["x","y"]}}}]"#;
    let queries = r#"[{"query_id":"q1","query":"atalanta","locale":"pt","total_clicks":9,"results":[
        {"entity_id":"Q1","label":"Atalanta","country":"Italia","type":"Team","sport":"Futebol","clicks":6,"average_position":1.0},
        {"entity_id":"Q1","label":"Atalanta","country":"Italia","type":"Team","sport":"Futebol","clicks":2,"average_position":3.0},
        {"label":"Atalanta B","country":"Italia","type":"Team","sport":"Futebol","clicks":1,"average_position":2.0}]}]"#;
    let place =
        Place::new(&[("zz_query_log_documents.json", documents.into()), ("zz_query_log_queries.json", queries.into())]);
    let counts = place.convert("zzquerylog").expect("converted");
    let expected =
        [("documents", 2), ("documents of Wikidata", 1), ("queries", 1), ("clicked pairs", 2), ("clicks", 9)];
    assert_eq!(counts, expected);
    let dataset = open(&place.to());
    assert_eq!(dataset.documents[0].text, "Atalanta BC; La Dea; football; x; y");
    assert_eq!(dataset.document_ids.name(1), "zz:Atalanta B/Team/Futebol/Italia");
    assert_eq!((dataset.clicks[0].clicks, dataset.clicks[0].position), (8, Some(1.5)), "repeated pairs are added up");
    assert_eq!(dataset.signals(), [qwd_data::Signal::Clicks]);
    let bad = Place::new(&[
        ("zz_query_log_documents.json", documents.into()),
        ("zz_query_log_queries.json", queries.replace("\"clicks\":1", "\"clicks\":0").into()),
    ]);
    assert!(bad.convert("zzquerylog").expect_err("no clicks").to_string().contains("no clicks"));
}

#[test]
fn sogou_sample() {
    let rest = "\t0 0\t0 0\t0 0\t0 0\t0 0\t0 0";
    let place = Place::new(&[
        ("query_id", b"\xba\xba\xd7\xd6\t0\t1\t0\nabc\t1\t1\t0\n".to_vec()),
        ("url_id", b"http://b/\t11\nhttp://a/\t10\n".to_vec()),
        ("train_data", format!("0\t10 11\t1 1\t9.5 8.5{rest}\n1\t11 10\t0 0\t-1 -1{rest}\n").into()),
        ("test_data", format!("1\t11 10\t0 1\t-1 7{rest}\n").into()),
    ]);
    let counts = place.convert("sogou-sample").expect("converted");
    assert_eq!(counts, [("documents", 2), ("queries", 2), ("sessions", 3), ("clicks", 3)]);
    let dataset = open(&place.to());
    assert_eq!(dataset.queries[0].text, "汉字");
    let session = &dataset.sessions[0];
    assert_eq!(
        (session.shown.as_slice(), session.clicked.as_slice(), session.time),
        ([0, 1].as_slice(), [1, 0].as_slice(), Some(8.5))
    );
    let bad = Place::new(&[
        ("query_id", b"abc\t0\t1\t0\n".to_vec()),
        ("url_id", b"http://a/\t10\n".to_vec()),
        ("train_data", format!("0\t10 12\t1 1\t9.5 8.5{rest}\n").into()),
        ("test_data", b"".to_vec()),
    ]);
    let message = bad.convert("sogou-sample").expect_err("an unknown document").to_string();
    assert!(message.contains("train_data:1:1: unknown query or document \"12\""), "{message}");
}
