//! Public data sets: from folders of originals, and over HTTP.

use crate::folders::Folder;
use crate::running::{json, names, qwd};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

const RCV1: &str = "1 1:0.5 7:0.5\n2 2:1\n1 1:1\n2 3:0.25\n";

/// Serves the files of a folder until the test ends, and returns its address.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &folder);
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path) {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    reader.read_line(&mut request).expect("a request");
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        line.clear();
    }
    let name = request.split(' ').nth(1).unwrap_or("/").rsplit('/').next().unwrap_or_default();
    let response = match std::fs::read(folder.join(name)) {
        Ok(bytes) if name.contains("train") || !folder.join("cut").exists() => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
            [head.into_bytes(), bytes].concat()
        }
        // Promises more than it sends.
        Ok(bytes) => [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n".to_vec(), bytes].concat(),
        Err(_) => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
    };
    stream.write_all(&response).expect("sent");
    // Wait for the other side to hang up, so that nothing is lost.
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.read(&mut [0]);
}

#[test]
fn the_list_names_what_can_be_had() {
    let folder = Folder::new();
    let list = json(folder.path(), "dataset list");
    let found: Vec<&str> =
        list["datasets"].as_array().expect("a list").iter().filter_map(|d| d["name"].as_str()).collect();
    for name in ["20newsgroups", "mnist", "rcv1", "wikispeedia", "mdn_docs_ja", "insuranceqa"] {
        assert!(found.contains(&name), "{found:?}");
    }
    qwd(folder.path(), "dataset get trec --out d").fails(2, &["trec", "nfcorpus"]);
}

#[test]
fn originals_from_a_folder_become_a_data_set() {
    let folder = Folder::new();
    folder.write("originals/rcv1/rcv1_train.multiclass", RCV1).write("originals/rcv1/rcv1_test.multiclass", RCV1);
    let answer = json(folder.path(), "dataset get rcv1 --from originals --out rcv1");
    assert_eq!(answer["counts"]["train documents"], 4);
    json(folder.path(), "train rcv1 --tuples 50 --out m.qwd");
    json(folder.path(), "eval rcv1 --model m.qwd");
    json(folder.path(), "compare rcv1 --model cosine --model m.qwd --metrics map");
    qwd(folder.path(), "compare rcv1 --model bm25 --model m.qwd").fails(3, &["bm25 needs texts"]);
    qwd(folder.path(), "dataset get rcv1 --from originals/rcv1 --out rcv1").fails(1, &["it is there already"]);
    qwd(folder.path(), "dataset get mnist --from originals --out mnist").fails(3, &["train-images-idx3-ubyte"]);
}

#[test]
fn linked_and_translated_pages_are_trained_on() {
    let folder = Folder::new();
    let pages = |word: &str| -> String {
        let page = |i: usize| format!("{{\"id\":\"web/{i}\",\"title\":\"T{i}\",\"text\":\"{word}{} web\"}}\n", i % 5);
        (0..40).map(page).collect()
    };
    let year = "{\"id\":\"1994\",\"title\":\"1994\",\"text\":\"a year\"}\n";
    let links = (0..40).flat_map(|i| [5, 10, 15].map(|step| format!("web/{i}\tweb/{}\t1\n", (i + step) % 40)));
    folder
        .write("originals/mdn_docs/docs_en.jsonl", pages("word") + year)
        .write("originals/mdn_docs/docs_ja.jsonl", pages("語"))
        .write("originals/mdn_docs/links_en.tsv", links.collect::<String>() + "web/1\t1994\t2\n");
    let answer = json(folder.path(), "dataset get mdn_docs --from originals --out en");
    assert_eq!(
        (&answer["counts"]["links"], &answer["counts"]["links to calendar years, left out"]),
        (&120.into(), &1.into())
    );
    let answer = json(folder.path(), "dataset get mdn_docs_ja --from originals --out ja --keep-year-links");
    assert_eq!((&answer["counts"]["links"], &answer["counts"]["mates"]), (&121.into(), &40.into()));
    for (data, more) in [("en", ""), ("ja", "--set text.query_language=ja --set text.language=en")] {
        json(folder.path(), &format!("train {data} --tuples 50 --out {data}.qwd {more}"));
        let found = json(folder.path(), &format!("eval {data} --model {data}.qwd --metrics map"));
        assert!(found["metrics"]["map"].as_f64().is_some_and(|map| map > 0.0), "{found}");
    }
    qwd(folder.path(), "train ja --tuples 50 --out m.qwd --set text.language=tlh").fails(2, &["language = tlh", "fr"]);
}

#[test]
fn a_data_set_comes_over_http_and_leaves_nothing_else() {
    let (folder, home) = (Folder::new(), Folder::new());
    home.write("rcv1_train.multiclass.bz2", RCV1).write("rcv1_test.multiclass.bz2", RCV1);
    let address = serve(home.path().to_path_buf());
    let run = qwd(folder.path(), &format!("dataset get rcv1 --mirror {address} --out rcv1 --json")).expect(0);
    assert!(run.stderr.contains("no checksum of rcv1_train.multiclass.bz2 is known"), "{}", run.stderr);
    assert_eq!(names(folder.path()), ["rcv1"]);
    let keep = format!("dataset get rcv1 --mirror {address} --out again --keep originals");
    json(folder.path(), &keep);
    assert_eq!(names(&folder.file("originals")), ["rcv1_test.multiclass.bz2", "rcv1_train.multiclass.bz2"]);
}

#[test]
fn what_is_altered_cut_or_missing_is_refused() {
    let (folder, home) = (Folder::new(), Folder::new());
    home.write("20news-bydate.tar.gz", "not the archive").write("cut", "");
    home.write("rcv1_train.multiclass.bz2", RCV1).write("rcv1_test.multiclass.bz2", RCV1);
    let address = serve(home.path().to_path_buf());
    let get = |name: &str| qwd(folder.path(), &format!("dataset get {name} --mirror {address} --out {name}"));
    get("mnist").fails(1, &["404", "train-images-idx3-ubyte.gz"]);
    let cut = get("rcv1");
    assert!(matches!(cut.code, Some(1 | 3)) && cut.stderr.contains("rcv1_test"), "{cut:?}");
    std::fs::remove_file(home.file("cut")).expect("there");
    get("20newsgroups").fails(3, &["SHA-256", "8f1b2514", "--from"]);
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}
