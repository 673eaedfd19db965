//! The benchmark of the server: how many searches a second, how late at half of that, how much feedback, and whether kills lose
//! any of it. It starts the program that it is given, asks it over loopback, and prints Markdown; the figures go to a file.
//!
//!     server_load QWD INDEX QUERIES OUT.json [SECONDS] [KILLS]

#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]

use qwd_core::{Error, Result, Rng};
use qwd_data::{Input, Reading, corpus};
use qwd_online::record::Record;
use qwd_server::FEEDBACK_FOLDER;
use qwd_store::Log;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Connections that are tried for the greatest rate.
const CONNECTIONS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Connections that requests at a given rate are spread over.
const OPEN_CONNECTIONS: usize = 32;
/// Clients that tell something at once, and how much each tells in a request.
const TELLERS: usize = 48;
const BATCHES: [usize; 3] = [1, 10, 100];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, index, queries, out, rest @ ..] = arguments.as_slice() else {
        return Err(Error::param(
            "arguments",
            arguments.len(),
            "server_load QWD INDEX QUERIES OUT.json [SECONDS] [KILLS]",
        ));
    };
    let number = |i: usize, default: f64| rest.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let bench = Bench {
        program: program.into(),
        index: index.into(),
        paths: paths(Path::new(queries))?,
        seconds: number(0, 10.0),
    };
    let figures = json!({
        "search": bench.search()?,
        "feedback": bench.feedback()?,
        "kills": bench.kills(number(1, 50.0) as usize)?,
    });
    std::fs::write(out, format!("{figures:#}\n")).map_err(|e| Error::io(out, "write", e))
}

/// The requests of all queries.
fn paths(queries: &Path) -> Result<Vec<String>> {
    let (queries, _) = corpus::read_queries(Input::open(queries)?, &mut Reading::default())?;
    let escaped = |text: &str| text.bytes().map(|b| format!("%{b:02x}")).collect::<String>();
    Ok(queries.iter().map(|q| format!("GET /search?k=10&q={}", escaped(&q.text))).collect())
}

struct Bench {
    program: PathBuf,
    index: PathBuf,
    paths: Vec<String>,
    seconds: f64,
}

/// A server, killed with its value.
struct Served {
    child: Child,
    address: SocketAddr,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Bench {
    fn serve(&self) -> Result<Served> {
        let mut child = Command::new(&self.program)
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .arg(&self.index)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| Error::io(&self.program, "run", e))?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or_else(|| Error::internal("no pipe"))?;
        BufReader::new(stdout).read_line(&mut line).map_err(|e| Error::io(&self.program, "read", e))?;
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        let address = told["listening"].as_str().and_then(|a| a.parse().ok());
        let address = address.ok_or_else(|| Error::bad_data("the server did not start", "run it by hand"))?;
        Ok(Served { child, address })
    }

    /// The greatest rate, and how late answers are at half of it.
    fn search(&self) -> Result<Value> {
        let served = self.serve()?;
        println!("| connections | searches/s | median, ms | p99, ms |\n| --- | --- | --- | --- |");
        self.closed_loop(&served, 4, 1.0)?;
        let (mut peak, mut runs) = (0.0f64, Vec::new());
        for n in CONNECTIONS {
            let times = self.closed_loop(&served, n, self.seconds)?;
            let rate = times.len() as f64 / self.seconds;
            let (median, p99) = (percentile(&times, 0.5), percentile(&times, 0.99));
            println!("| {n} | {rate:.0} | {median:.2} | {p99:.2} |");
            runs.push(json!({"connections": n, "rate": rate, "median_ms": median, "p99_ms": p99}));
            peak = peak.max(rate);
        }
        let rate = peak / 2.0;
        let times = self.open_loop(&served, rate)?;
        let (median, p99) = (percentile(&times, 0.5), percentile(&times, 0.99));
        println!(
            "\nAt half of the peak, {rate:.0} searches/s: median {median:.2} ms, p99 {p99:.2} ms, from when each was due.\n"
        );
        Ok(
            json!({"runs": runs, "peak": peak, "half": {"rate": rate, "n": times.len(), "median_ms": median, "p99_ms": p99}}),
        )
    }

    /// Clients that ask again as soon as they are answered; the times of all answers, in milliseconds.
    fn closed_loop(&self, served: &Served, n: usize, seconds: f64) -> Result<Vec<f64>> {
        let (next, until) = (AtomicUsize::new(0), Instant::now() + Duration::from_secs_f64(seconds));
        self.clients(served, n, |client, times| {
            while Instant::now() < until {
                let started = Instant::now();
                self.search_once(client, next.fetch_add(1, Ordering::Relaxed))?;
                times.push(1000.0 * started.elapsed().as_secs_f64());
            }
            Ok(())
        })
    }

    /// Requests that are due at a steady rate, whether the ones before are answered or not; the times from when each was due.
    fn open_loop(&self, served: &Served, rate: f64) -> Result<Vec<f64>> {
        let (next, start) = (AtomicUsize::new(0), Instant::now());
        self.clients(served, OPEN_CONNECTIONS, |client, times| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let due = i as f64 / rate;
                if due > self.seconds {
                    return Ok(());
                }
                let due = start + Duration::from_secs_f64(due);
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                self.search_once(client, i)?;
                times.push(1000.0 * due.elapsed().as_secs_f64());
            }
        })
    }

    fn search_once(&self, client: &mut Client, i: usize) -> Result<()> {
        client.ask(&self.paths[i % self.paths.len()], b"").and_then(|status| match status {
            200 => Ok(()),
            status => Err(Error::bad_data(format!("a search was answered {status}"), "lower the load")),
        })
    }

    /// Runs some clients at once, each with a connection of its own; what they measured, in no order.
    fn clients(
        &self,
        served: &Served,
        n: usize,
        work: impl Fn(&mut Client, &mut Vec<f64>) -> Result<()> + Sync,
    ) -> Result<Vec<f64>> {
        let all = Mutex::new(Ok(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..n {
                scope.spawn(|| {
                    let mut times = Vec::new();
                    let done = Client::connect(served.address).and_then(|mut client| work(&mut client, &mut times));
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    match (done, all.as_mut()) {
                        (Ok(()), Ok(all)) => all.extend(times),
                        (Err(e), _) => *all = Err(e),
                        _ => {}
                    }
                });
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much feedback is acknowledged in a second.
    fn feedback(&self) -> Result<Value> {
        let shown = self.shown()?;
        println!("| events in a request | events acknowledged/s | p99 of a request, ms |\n| --- | --- | --- |");
        let mut runs = Vec::new();
        for n in BATCHES {
            self.forget()?;
            let served = self.serve()?;
            let (until, next) = (Instant::now() + Duration::from_secs_f64(self.seconds), AtomicUsize::new(0));
            let times = self.clients(&served, TELLERS, |client, times| {
                while Instant::now() < until {
                    let body = told(&shown, next.fetch_add(n, Ordering::Relaxed), n);
                    let started = Instant::now();
                    expect_accepted(client.ask("POST /feedback", body.as_bytes())?)?;
                    times.push(1000.0 * started.elapsed().as_secs_f64());
                }
                Ok(())
            })?;
            let (rate, p99) = ((n * times.len()) as f64 / self.seconds, percentile(&times, 0.99));
            println!("| {n} | {rate:.0} | {p99:.1} |");
            runs.push(json!({"batch": n, "clients": TELLERS, "events_per_second": rate, "p99_ms": p99}));
        }
        println!();
        Ok(Value::Array(runs))
    }

    /// Kills the server while it is told something, again and again: whatever it acknowledged is in the log.
    fn kills(&self, n_kills: usize) -> Result<Value> {
        let shown = self.shown()?;
        self.forget()?;
        let mut rng = Rng::new(50);
        let (next, acknowledged) = (AtomicUsize::new(1 << 40), Mutex::new(Vec::new()));
        for _ in 0..n_kills {
            let mut served = self.serve()?;
            let is_over = AtomicBool::new(false);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let Ok(mut client) = Client::connect(served.address) else { return };
                        while !is_over.load(Ordering::Relaxed) {
                            let i = next.fetch_add(1, Ordering::Relaxed);
                            match client.ask("POST /feedback", told(&shown, i, 1).as_bytes()) {
                                Ok(202) => acknowledged.lock().unwrap_or_else(PoisonError::into_inner).push(i),
                                _ => return,
                            }
                        }
                    });
                }
                std::thread::sleep(Duration::from_millis(20 + rng.below(300) as u64));
                // SIGKILL: nothing is said, nothing is written.
                Command::new("kill").args(["-9", &served.child.id().to_string()]).status().ok();
                is_over.store(true, Ordering::Relaxed);
            });
            served.child.wait().ok();
        }
        let acknowledged = acknowledged.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = self.users()?;
        let n_lost = acknowledged.iter().filter(|i| !found.contains(&format!("u{i}"))).count();
        println!("{n_kills} kills: {} events acknowledged, {n_lost} lost.", acknowledged.len());
        Ok(json!({"kills": n_kills, "acknowledged": acknowledged.len(), "lost": n_lost}))
    }

    /// Starts without feedback: a server reads its log when it starts, and the log of the run before is long.
    fn forget(&self) -> Result<()> {
        let folder = self.index.join(FEEDBACK_FOLDER);
        match std::fs::remove_dir_all(&folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(folder, "remove", e)),
            _ => Ok(()),
        }
    }

    /// The users that the log names.
    fn users(&self) -> Result<HashSet<String>> {
        let mut users = HashSet::new();
        Log::read(self.index.join(FEEDBACK_FOLDER).join("feedback.qwdlog"), |number, bytes| {
            if let Record::Feedback(feedback) = Record::from_bytes(number, bytes)? {
                users.extend(feedback.user);
            }
            Ok(())
        })?;
        Ok(users)
    }

    /// The hits of the first query that has some.
    fn shown(&self) -> Result<Vec<String>> {
        let served = self.serve()?;
        let mut client = Client::connect(served.address)?;
        for path in &self.paths {
            client.ask(path, b"")?;
            let answer: Value = serde_json::from_slice(&client.body).unwrap_or_default();
            let hits = answer["hits"].as_array().cloned().unwrap_or_default();
            if hits.len() >= 3 {
                return Ok(hits.iter().filter_map(|hit| Some(hit["id"].as_str()?.to_string())).collect());
            }
        }
        Err(Error::bad_data("no query has three hits", "give other queries"))
    }
}

/// Clicks of as many users.
fn told(shown: &[String], first: usize, n: usize) -> String {
    let click = |i: usize| json!({"query": "benchmark", "click": {"document": shown[2], "shown": shown}, "user": format!("u{i}")});
    Value::Array((first..first + n).map(click).collect()).to_string()
}

fn expect_accepted(status: u16) -> Result<()> {
    match status {
        202 => Ok(()),
        status => Err(Error::bad_data(format!("feedback was answered {status}"), "lower the load")),
    }
}

fn percentile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    body: Vec<u8>,
}

impl Client {
    fn connect(host: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(host).map_err(|e| Error::io(host.to_string(), "connect", e))?;
        stream.set_nodelay(true).map_err(|e| Error::io(host.to_string(), "connect", e))?;
        Ok(Self { stream: BufReader::new(stream), host, body: Vec::new() })
    }

    /// Sends a request and reads its answer; returns the status.
    fn ask(&mut self, route: &str, body: &[u8]) -> Result<u16> {
        let host = self.host;
        self.exchange(route, body).map_err(|e| Error::io(host.to_string(), "ask", e))
    }

    fn exchange(&mut self, route: &str, body: &[u8]) -> std::io::Result<u16> {
        let head = format!(
            "{route} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body].concat())?;
        let (mut status, mut n_bytes) = (0, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.starts_with("http/1.1 ") {
                status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
            } else if let Some(length) = line.strip_prefix("content-length: ") {
                n_bytes = length.parse().unwrap_or(0);
            } else if line.is_empty() {
                break;
            }
        }
        self.body.resize(n_bytes, 0);
        self.stream.read_exact(&mut self.body)?;
        Ok(status)
    }
}
