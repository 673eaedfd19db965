//! Promise 9: empty, blank, unknown-word and one-word queries are ordinary, in the library, in the program and over HTTP.

mod http;
mod indexes;

use qwd_search::{Index, Query};

#[test]
fn of_the_library() {
    for model in [indexes::sparse(), indexes::low_rank()] {
        let folder = tempfile::tempdir().expect("a folder");
        indexes::small(folder.path(), &model);
        let snapshot = Index::open(folder.path()).expect("opened").snapshot();
        for text in ["", " ", "\t\n", "zzzz", "\"", "\"\"", "\"zzzz\"", "…", "\u{0}", "🦀🦀"] {
            for k in [0, 1, usize::MAX] {
                let query = Query::new(text).top(k).explained().with_documents().correcting_spelling();
                let answer = snapshot.search(&query).expect("ordinary");
                assert!(answer.hits.is_empty(), "{text:?} finds {:?}", answer.hits);
            }
        }
        let answer = snapshot.search(&Query::new("zzzz engine")).expect("ordinary");
        assert_eq!((answer.unknown_words, answer.hits[0].id.as_str()), (vec!["zzzz".to_string()], "d4"));
        assert_eq!(snapshot.search(&Query::new("engine").top(usize::MAX)).expect("ordinary").hits[0].id, "d4");
    }
}

#[test]
fn of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("index");
    indexes::small(&index, &indexes::sparse());
    for (text, n_hits) in [("", 0), ("  ", 0), ("zzzz", 0), ("\"", 0), ("engine", 1)] {
        let output =
            promises::program().arg("search").arg(&index).args([text, "-k", "1", "--json"]).output().expect("runs");
        assert!(output.status.success(), "{text:?}: {}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!(answer["hits"].as_array().map(Vec::len), Some(n_hits), "{text:?}: {answer}");
    }
}

#[test]
fn of_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    indexes::small(&folder.path().join("index"), &indexes::sparse());
    let server = http::Server::start(folder.path(), "");
    for (text, n_hits) in [("", 0), ("%20", 0), ("zzzz", 0), ("%22", 0), ("%00", 0), ("%F0%9F%A6%80", 0), ("engine", 1)]
    {
        let answer = server.get(&format!("/search?q={text}&k=1&explain=true&documents=true"));
        assert_eq!(answer.status, 200, "{text:?}: {answer:?}");
        assert_eq!(answer.json()["hits"].as_array().map(Vec::len), Some(n_hits), "{text:?}: {answer:?}");
    }
}
