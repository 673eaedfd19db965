//! A browser that is told what to do: Chromium without a window, over the pipe of its DevTools protocol.
//!
//! The protocol is JSON, one message up to each zero byte. Chromium reads it from file 3 and writes it to file 4; a shell puts
//! our two pipes there, so that neither a socket nor a port is needed.

use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: [&str; 12] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
];

/// How large a page is and what its user likes.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Its width in points.
    pub width: u32,
    /// Its height in points.
    pub height: u32,
    /// Whether it is a phone's.
    pub is_phone: bool,
    /// Whether the user likes it dark.
    pub is_dark: bool,
}

impl Screen {
    /// That of a desktop.
    pub const DESKTOP: Self = Self { width: 1100, height: 800, is_phone: false, is_dark: false };
    /// That of a phone.
    pub const PHONE: Self = Self { width: 375, height: 740, is_phone: true, is_dark: false };

    /// The same for a user who likes it dark.
    pub const fn dark(self) -> Self {
        Self { is_dark: true, ..self }
    }
}

/// A running browser with one page; it ends with its value.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    orders: RefCell<ChildStdin>,
    messages: Receiver<Value>,
    session: Option<String>,
    n_sent: Cell<u64>,
    events: RefCell<Vec<Value>>,
    _profile: TempDir,
}

/// Where a browser is: the one that `QWD_BROWSER` names, or Chromium on the path.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("QWD_BROWSER") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts the browser, if there is one.
    ///
    /// # Panics
    /// If there is one and it does not start.
    pub fn start(screen: Screen) -> Option<Self> {
        let program = find()?;
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let orders = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let (say, messages) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                if let Ok(message) = serde_json::from_slice(&message)
                    && say.send(message).is_err()
                {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            orders: RefCell::new(orders),
            messages,
            session: None,
            n_sent: Cell::new(0),
            events: RefCell::default(),
            _profile: profile,
        };
        browser.attach(screen);
        Some(browser)
    }

    fn attach(&mut self, screen: Screen) {
        let target = self.order("Target.createTarget", json!({"url": "about:blank"}));
        let attached = self.order("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        self.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"] {
            self.order(&format!("{domain}.enable"), json!({}));
        }
        let Screen { width, height, is_phone, is_dark } = screen;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.order("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.order("Emulation.setEmulatedMedia", features);
    }

    /// Gives an order and waits for its result.
    ///
    /// # Panics
    /// If the browser refuses or does not answer.
    pub fn order(&self, method: &str, parameters: Value) -> Value {
        let number = self.n_sent.get() + 1;
        self.n_sent.set(number);
        let mut message = json!({"id": number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut orders = self.orders.borrow_mut();
        write!(orders, "{message}\0").and_then(|()| orders.flush()).expect("the browser listens");
        drop(orders);
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let mut message = message.unwrap_or_else(|e| panic!("no answer to {method}: {e}"));
            if message["id"] == number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].take();
            }
            self.events.borrow_mut().push(message);
        }
    }

    /// Goes to an address and waits until it is loaded.
    pub fn go(&self, url: &str) {
        self.order("Page.navigate", json!({"url": url}));
        self.wait_until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of an expression on the page, which may be a promise.
    ///
    /// # Panics
    /// If it throws.
    pub fn value(&self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.order("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// The text of an expression's value.
    pub fn text(&self, expression: &str) -> String {
        match self.value(expression) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// Waits until a condition holds on the page.
    ///
    /// # Panics
    /// If it never does.
    #[track_caller]
    pub fn wait_until(&self, condition: &str) {
        let started = Instant::now();
        while self.value(condition) != true {
            assert!(
                started.elapsed() < PATIENCE,
                "never: {condition}; the page says {:?}; {:?}",
                self.text("document.body.innerText"),
                self.events()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key, by its name in `KeyboardEvent.key`.
    pub fn press(&self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let event = |kind: &str| json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.order("Input.dispatchKeyEvent", event(if text.is_empty() { "rawKeyDown" } else { "keyDown" }));
        self.order("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}));
    }

    /// Types a text, key by key.
    pub fn type_in(&self, text: &str) {
        text.chars().for_each(|c| self.press(&c.to_string()));
    }

    /// The page as PNG, the whole of it.
    pub fn screenshot(&self) -> Vec<u8> {
        let shot = self.order("Page.captureScreenshot", json!({"format": "png"}));
        base64(shot["data"].as_str().expect("a picture"))
    }

    /// Roles and names of everything that a screen reader tells of the page.
    pub fn told_aloud(&self) -> Vec<(String, String)> {
        let tree = self.order("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("a tree").iter().filter(|node| node["ignored"] != true);
        let field = |node: &Value, name: &str| node[name]["value"].as_str().unwrap_or_default().to_string();
        nodes.map(|node| (field(node, "role"), field(node, "name"))).collect()
    }

    /// What happened on the page so far.
    pub fn events(&self) -> Vec<Value> {
        // An order of no consequence brings in what was sent before its answer.
        self.order("Runtime.evaluate", json!({"expression": "0"}));
        self.events.borrow().clone()
    }

    /// The addresses that the page asked for.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events().into_iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| event["params"]["request"]["url"].as_str().map(str::to_string)).collect()
    }

    /// What went wrong on the page: exceptions, complaints of the browser, questions to the user.
    pub fn faults(&self) -> Vec<Value> {
        let is_fault = |event: &Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Page.javascriptDialogOpening") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            _ => false,
        };
        self.events().into_iter().filter(is_fault).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0u32, |bits, &byte| bits << 6 | u32::from(digit(byte))) << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
