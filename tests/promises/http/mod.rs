//! A server of the program under test, and a client that can also misbehave.

#![allow(dead_code, reason = "each test uses some of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// `qwd serve`, ended with the test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) child: Child,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {:?}", self.body))
    }
}

impl Server {
    /// Serves the index in a folder, with more lines of configuration; what it logs goes to `log`.
    pub(crate) fn start(folder: &Path, config: &str) -> Self {
        Self::start_with(folder, config, "")
    }

    /// The same, with more lines about the index.
    pub(crate) fn start_with(folder: &Path, config: &str, of_index: &str) -> Self {
        let path = folder.join("qwd.toml");
        let index = format!("[[indexes]]\nname = \"main\"\npath = \"index\"\n{of_index}");
        let text = format!("listen = \"127.0.0.1:0\"\n{config}\n{index}");
        std::fs::write(&path, text).expect("written");
        let log = std::fs::File::create(folder.join("log")).expect("a log");
        let mut child = promises::program()
            .args(["serve", "--json", "--config"])
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let told: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("not started: {}", std::fs::read_to_string(folder.join("log")).unwrap_or_default())
        });
        let address = told["listening"].as_str().and_then(|a| a.parse().ok()).expect("an address");
        Self { address, child }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"").expect("answered")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &["content-type: application/json"], body.as_bytes()).expect("answered")
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> std::io::Result<Answer> {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|h| format!("{h}\r\n")).collect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        // A server that refuses need not read on.
        stream.write_all(body).ok();
        read_answer(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        stream
    }

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) {
        let done = std::process::Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(done.expect("kill runs").success());
    }

    /// Waits for the end.
    pub(crate) fn exit_code(&mut self, limit: Duration) -> Option<i32> {
        let started = Instant::now();
        while started.elapsed() < limit {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Resident memory, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("alive");
        let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("a size");
        line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads to the end of a connection.
pub(crate) fn read_answer(stream: &mut TcpStream) -> std::io::Result<Answer> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        // A refusal may end in a reset, after what it says.
        Err(e) if bytes.is_empty() => return Err(e),
        _ => {}
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other(format!("no answer: {text:?}")))?;
    Ok(Answer { status, head: head.to_string(), body: body.to_string() })
}
