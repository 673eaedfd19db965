//! Promise 15: no path, token or page leaks.

mod http;
mod indexes;

use http::Server;

const READ: &str = "read-token-0123456789";
const WRITE: &str = "write-token-0123456789";
const ADMIN: &str = "admin-token-0123456789";

fn tokens() -> String {
    format!("[tokens]\nread = \"{READ}\"\nwrite = \"{WRITE}\"\nadmin = \"{ADMIN}\"\n")
}

fn start(folder: &std::path::Path, config: &str) -> Server {
    indexes::small(&folder.join("index"), &indexes::sparse());
    Server::start(folder, config)
}

#[test]
fn every_route_asks_for_the_token_that_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), &tokens());
    let described = server.get("/openapi.json").json();
    let paths = described["paths"].as_object().expect("paths");
    let mut n_checked = 0;
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let needed = operation["x-access"].as_str().expect("an access");
            let rank = |name: &str| ["open", "read", "write", "admin"].iter().position(|n| *n == name).expect("known");
            let path = path.replace("{id}", "none").replace("{user}", "none").replace("{name}", "none");
            for (shown, level) in
                [("", "open"), ("wrong-token-0123456789", "open"), (READ, "read"), (WRITE, "write"), (ADMIN, "admin")]
            {
                let bearer = format!("authorization: Bearer {shown}");
                let headers = if shown.is_empty() { vec![] } else { vec![bearer.as_str()] };
                let status = server.ask(&method.to_uppercase(), &path, &headers, b"").expect("answered").status;
                let expected = match rank(level) >= rank(needed) {
                    true => None,
                    false if level == "open" => Some(401),
                    false => Some(403),
                };
                match expected {
                    Some(expected) => assert_eq!(status, expected, "{method} {path} with {level}"),
                    None => assert!(status != 401 && status != 403, "{method} {path} with {level}: {status}"),
                }
                n_checked += 1;
            }
        }
    }
    assert!(n_checked >= 100, "{n_checked} combinations");
    let log = std::fs::read_to_string(folder.path().join("log")).expect("a log");
    assert!(
        log.lines().count() > 100 && log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
    for token in [READ, WRITE, ADMIN, "wrong-token"] {
        assert!(!log.contains(token), "a token stands in the log");
    }
}

#[test]
fn no_spelling_of_a_path_leads_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "");
    let dots = ["..", "%2e%2e", "%2E%2E", ".%2e", "%252e%252e", "..%00", "....//..", "..;", "%c0%ae%c0%ae", "..%5c.."];
    let slashes = ["/", "%2f", "%5c", "\\"];
    let mut n_checked = 0;
    for dot in dots {
        for slash in slashes {
            for prefix in ["/", "/documents/"] {
                let path = format!("{prefix}{dot}{slash}{dot}{slash}{dot}{slash}etc{slash}passwd");
                let answer = server.ask("GET", &path, &[], b"").expect("answered");
                assert!(matches!(answer.status, 400 | 404 | 405), "{path}: {}", answer.status);
                assert!(!answer.body.contains("root:") && !answer.body.contains("/index"), "{path}: {}", answer.body);
                n_checked += 1;
            }
        }
    }
    assert_eq!(n_checked, 80);
}

#[test]
fn the_page_lets_nothing_run_but_its_own_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "");
    let page = server.get("/");
    let policy = page.head.lines().find(|l| l.starts_with("content-security-policy:")).expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
    assert!(page.body.contains(&format!("<script nonce=\"{nonce}\">")) && !page.body.contains("NONCE"));
    assert!(!server.get("/").body.contains(nonce), "the number is drawn anew");
    for outside in ["src=", "http://", "https://", "innerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        // The one name of a namespace is no address that anything is fetched from.
        let page = page.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(outside), "the page has {outside}");
    }
    let document = "{\"_id\": \"evil\", \"title\": \"<script>alert(1)</script>\", \"text\": \"</script><img src=x onerror=alert(1)> car\"}";
    assert_eq!(server.post("/documents", document).status, 200);
    let answer = server.get("/search?q=car&documents=true");
    assert!(answer.head.contains("application/json") && answer.head.contains("nosniff"), "{}", answer.head);
}

#[test]
fn other_sites_are_refused_and_nothing_listens_to_the_world_without_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "");
    let from = |header: &str| server.ask("POST", "/models/learn", &[header], b"").expect("answered").status;
    assert_eq!(from("origin: http://evil.example"), 403);
    assert_eq!(from(&format!("origin: http://{}", server.address)), 200);
    drop(server);
    let output = promises::program()
        .args(["serve", "--listen", "0.0.0.0:0"])
        .arg(folder.path().join("index"))
        .output()
        .expect("ends");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
