//! Servers as processes: what they are told, how they stop, and what they leave behind.

use crate::folders::Folder;
use crate::http::Server;
use crate::running::{Run, command, json, number, qwd};
use serde_json::{Value, json as object};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A folder with an index named as servers of tests expect it.
fn indexed() -> Folder {
    let folder = Folder::new();
    json(folder.path(), "train demo --tuples 2000 --out m.qwd");
    json(folder.path(), "index demo --model m.qwd --out index");
    folder
}

/// The best documents for a query.
fn ids(server: &Server, path: &str) -> Vec<String> {
    let answer = server.get(path).json();
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    hits.iter().map(|hit| hit["id"].as_str().expect("an id").to_string()).collect()
}

/// Tells that one document is better than another, for several queries.
fn prefer(server: &Server, n: usize, better: &str, worse: &str) {
    let told = |i: usize| object!({"query": format!("telly {i}"), "preference": {"better": better, "worse": worse}});
    let told: Vec<Value> = (0..n).map(told).collect();
    assert_eq!(server.post("/feedback", &object!(told).to_string()).status, 202);
}

#[test]
fn what_a_server_cannot_do_is_refused_with_its_reason() {
    let folder = indexed();
    let path = folder.path();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    qwd(path, &format!("serve index --listen {address}")).fails(1, &[&address.to_string(), "in use"]);
    qwd(path, "serve index --listen 0.0.0.0:0").fails(2, &["listen", "token"]);
    qwd(path, "serve index --listen nowhere").fails(2, &["nowhere"]);
    qwd(path, "serve none").fails(1, &["none"]);
    qwd(path, "serve").fails(2, &["INDEX"]);
    qwd(path, "serve --config none.toml").fails(1, &["none.toml"]);
    let with = |config: &str, code, texts: &[&str]| {
        folder.write("qwd.toml", format!("{config}\n[[indexes]]\nname = \"main\"\npath = \"index\"\n"));
        qwd(path, "serve --config qwd.toml").fails(code, texts);
    };
    with("lisen = \"127.0.0.1:0\"", 3, &["qwd.toml", "lisen"]);
    with("[limits]\nin_flight = \"many\"", 3, &["qwd.toml", "in_flight"]);
    with("[limits]\nin_flight = 0", 2, &["limits"]);
    with("[limits]\nrequest_seconds = -1.0", 2, &["request_seconds"]);
    with("[tokens]\nadmin = \"short\"", 2, &["tokens.admin", "(hidden)"]);
    with("[[indexes]]\nname = \"main\"\npath = \"index\"", 2, &["main", "name of its own"]);
    let output =
        command(path).args(["serve", "index", "--listen", "0.0.0.0:0"]).env("QWD_ADMIN_TOKEN", "short").output();
    Run::of(output.expect("runs")).fails(2, &["tokens.admin"]);
}

#[test]
fn versions_are_listed_pinned_rolled_back_and_learned_again() {
    let folder = indexed();
    let path = folder.path();
    qwd(path, "models list index").fails(3, &["has learned nothing yet"]);
    let mut server = Server::start(path, "[online]\nmin_feedback = 1000\n");
    let before = ids(&server, "/search?q=telly&k=3");
    prefer(&server, 40, &before[2], &before[0]);
    let round = server.post("/models/learn", "").json();
    assert_eq!(round["round"]["version"], 2, "{round}");
    qwd(path, "models rollback index").fails(3, &["POST /models/rollback"]);
    server.terminate();
    assert_eq!(server.exit_code(Duration::from_secs(20)), Some(0));

    let listed = json(path, "models list index");
    assert_eq!((number(&listed, "/current"), number(&listed, "/versions/1/version")), (2.0, 2.0), "{listed}");
    assert!(qwd(path, "models list index").expect(0).stdout.contains("feedback"));
    assert_eq!(json(path, "models replay index")["same"], true);
    assert_eq!(number(&json(path, "models pin index telly gateway 3.5"), "/pins/0/weight"), 3.5);
    assert_eq!(json(path, "models list index")["pins"][0]["document"], "gateway");
    assert_eq!(json(path, "models replay index")["same"], true, "learning again comes to the pinned model");
    qwd(path, "models pin index telly zzzzz 1").fails(3, &["zzzzz"]);
    qwd(path, "models pin index telly gateway inf").fails(2, &["weight"]);
    assert_eq!(number(&json(path, "models rollback index"), "/version"), 1.0);
    qwd(path, "models rollback index --to 7").fails(3, &["version 7"]);

    let server = Server::start(path, "");
    let strongest = server.get("/related?word=telly&k=1").json();
    assert_eq!(strongest["related"][0]["word"], "gateway", "a pin outlives a rollback");
    drop(server);
    json(path, "models unpin index telly gateway");
    qwd(path, "models unpin index telly gateway").fails(3, &["not set by hand"]);
    assert_eq!(json(path, "models replay index")["same"], true);
}

#[test]
fn pins_survive_every_round_over_http() {
    let folder = indexed();
    let server = Server::start(folder.path(), "[online]\nmin_feedback = 1000\n");
    let weight = |server: &Server| {
        let matrix = server.get("/matrix?words=telly&n=60").json();
        let columns = matrix["columns"].as_array().expect("columns").clone();
        let at = columns.iter().position(|c| c == "gateway").expect("a column");
        number(&matrix, &format!("/values/0/{at}"))
    };
    let pin = |weight: f64| object!({"query": "telly", "document": "gateway", "weight": weight}).to_string();
    let answer = server.post("/pins", &pin(2.0));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(weight(&server), 2.0);
    let best = ids(&server, "/search?q=telly&k=3");
    for _ in 0..2 {
        prefer(&server, 30, &best[2], &best[0]);
        assert!(server.post("/models/learn", "").json()["round"]["version"].is_u64());
        assert_eq!(weight(&server), 2.0, "the pin survives");
    }
    let user = object!({"query": "telly", "preference": {"better": best[1], "worse": best[0]}, "user": "u"});
    assert_eq!(server.post("/feedback", &user.to_string()).status, 202);
    assert_eq!(server.ask("DELETE", "/feedback/u", &[], b"").expect("answered").status, 200);
    assert_eq!(weight(&server), 2.0, "and erasure");
    assert_eq!(server.post("/pins", &pin(-1.5)).status, 200);
    assert_eq!(weight(&server), -1.5);
    assert_eq!(server.post("/pins", "{\"query\":\"telly\",\"document\":\"gateway\"}").status, 400);
    assert_eq!(server.post("/pins", "{\"query\":\"telly\",\"document\":\"zzzz\",\"weight\":1}").status, 422);
    let released = server.ask("DELETE", "/pins?query=telly&document=gateway", &[], b"").expect("answered");
    assert_eq!((released.status, &released.json()["pins"]), (200, &object!([])));
    assert_eq!(server.ask("DELETE", "/pins?query=telly&document=gateway", &[], b"").expect("answered").status, 422);
}

#[test]
fn several_indexes_are_told_apart() {
    let folder = indexed();
    folder.write("few.jsonl", "{\"_id\":\"only\",\"text\":\"telly wifi\"}\n");
    json(folder.path(), "index few.jsonl --model m.qwd --out other");
    let server = Server::start(folder.path(), "[[indexes]]\nname = \"other\"\npath = \"other\"\n");
    assert_eq!(ids(&server, "/search?q=telly&index=other"), ["only"]);
    assert_eq!(ids(&server, "/search?q=telly"), ["only"], "the first is asked where none is named");
    assert!(ids(&server, "/search?q=telly&index=main").len() > 1);
    assert_eq!(server.get("/search?q=telly&index=none").status, 404);
    let told = object!({"query": "telly", "session": {"shown": ["only"], "clicked": ["only"]}}).to_string();
    assert_eq!(server.post("/feedback?index=other", &told).status, 202);
    assert_eq!(server.post("/feedback?index=main", &told).status, 422, "main has no such document");
    let n_records = |name: &str| number(&server.get(&format!("/models?index={name}")).json(), "/learning/n_records");
    assert_eq!((n_records("main"), n_records("other")), (1.0, 3.0));
}

#[test]
fn a_backup_under_writes_holds_all_that_was_acknowledged() {
    let folder = indexed();
    let path = folder.path();
    let server = Server::start(path, "backups = \"backups\"\nrestored = \"restored\"\nlearn_every_seconds = 0.2\n");
    let best = ids(&server, "/search?q=telly&k=3");
    let (n_added, n_told, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let mut backups: Vec<(String, u64, u64)> = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0.. {
                let document = object!({"_id": format!("new{i}"), "text": "a new document about the telly"});
                assert_eq!(server.post("/documents", &document.to_string()).status, 200);
                n_added.store(i + 1, Ordering::SeqCst);
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                prefer(&server, 3, &best[2], &best[0]);
                n_told.fetch_add(3, Ordering::SeqCst);
            }
        });
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(300));
            let (added, told) = (n_added.load(Ordering::SeqCst), n_told.load(Ordering::SeqCst));
            let answer = server.post("/backups", "");
            assert_eq!(answer.status, 200, "{answer:?}");
            backups.push((answer.json()["backup"].as_str().expect("a name").to_string(), added, told));
        }
        // The program copies a served index as well.
        json(path, "backup index --out copied");
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(backups.iter().all(|(_, added, told)| *added > 0 && *told > 0), "nothing happened meanwhile: {backups:?}");
    for (i, (name, added, told)) in backups.iter().enumerate() {
        assert_eq!(json(path, &format!("verify backups/{name}"))["sound"], true);
        let restored = json(path, &format!("restore backups/{name} --out r{i}"));
        assert!(number(&restored, "/n_documents") >= 240.0 + *added as f64, "{restored} lacks some of {added}");
        assert!(number(&restored, "/n_records") >= *told as f64, "{restored} lacks some of {told}");
        assert_eq!(json(path, &format!("models replay r{i}"))["same"], true);
    }
    let name = &backups[0].0;
    qwd(path, &format!("restore backups/{name} --out r0")).fails(3, &["r0 is there already"]);
    qwd(path, "restore nothing --out r9").fails(1, &["nothing"]);
    assert!(!folder.file("r9").exists());

    let listed = server.get("/backups").json();
    assert_eq!(listed["backups"].as_array().map(Vec::len), Some(3), "{listed}");
    let restore = |backup: &str, name: &str| server.post(&format!("/backups/{backup}/restore?as={name}"), "").status;
    assert_eq!(restore(name, "again"), 200);
    assert!(!ids(&server, "/search?q=telly&index=again").is_empty());
    prefer(&server, 1, &best[2], &best[0]);
    assert_eq!((restore(name, "again"), restore(name, "main")), (422, 422), "nothing is overwritten");
    assert_eq!((restore("none", "x"), restore(name, "..")), (404, 400));
    drop(server);

    let path_of = folder.file("backups").join(name).join("feedback/model-000001.qwd");
    let mut bytes = std::fs::read(&path_of).expect("a model");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path_of, bytes).expect("written");
    qwd(path, &format!("restore backups/{name} --out r9")).fails(4, &["model-000001.qwd"]);
    assert!(!folder.file("r9").exists(), "a damaged backup is not restored");
}

#[test]
fn what_is_sound_of_a_damaged_index_is_served_when_asked_for() {
    let folder = indexed();
    let path = folder.path();
    folder.write("more.jsonl", "{\"_id\":\"new\",\"text\":\"telly\"}\n");
    json(path, "index more.jsonl --add --out index");
    let segment = folder.file("index").join("segment-1.qws");
    let mut bytes = std::fs::read(&segment).expect("a segment");
    bytes[40] ^= 1;
    std::fs::write(&segment, bytes).expect("written");
    qwd(path, "serve index --listen 127.0.0.1:0").fails(4, &["segment-1.qws"]);
    let server = Server::start_with(path, "", "leave_out_damaged = true\n");
    assert_eq!(ids(&server, "/search?q=telly"), ["new"]);
    let log = std::fs::read_to_string(folder.file("log")).expect("a log");
    assert!(log.contains("left out") && log.contains("segment-1.qws"), "{log}");
    assert_eq!(number(&server.get("/indexes").json(), "/indexes/0/n_damaged"), 1.0);
    assert_eq!(server.post("/documents", "{\"_id\":\"x\",\"text\":\"y\"}").status, 422, "it is only read");
}
