//! Public data sets become folders: on tiny made originals, every conversion as a whole.

use qwd_data::convert::{DATASETS, Original};
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

#[test]
fn the_registry_is_whole() {
    for original in DATASETS {
        assert!(!original.files.is_empty() && !original.homes.is_empty() && !original.licence.is_empty());
        assert!(original.files.iter().all(|file| file.sha256.is_none_or(|sum| sum.len() == 64)));
    }
    let e = Original::named("20ng").expect_err("no such name").to_string();
    assert_eq!(e, "parameter dataset = 20ng: expected one of 20newsgroups, mnist, reuters21578, nfcorpus, rcv1");
}
