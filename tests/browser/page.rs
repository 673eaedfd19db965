//! The web page in a real browser, on the demonstration's documents.
//!
//! `QWD_SCREENSHOTS=DIR` keeps pictures of what the tests saw.

#[path = "../promises/http/mod.rs"]
mod http;

use browser::{Browser, Screen};
use http::Server;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A server on the demonstration's documents and a browser that shows its page; the server's folder goes with it.
struct Visit {
    browser: Browser,
    server: Server,
    folder: TempDir,
}

impl Visit {
    /// Nothing where there is no browser.
    fn start(screen: Screen) -> Option<Self> {
        if browser::find().is_none() {
            tell_skipped();
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        run(folder.path(), "train demo --tuples 20000 --out model.qwd");
        run(folder.path(), "index demo --model model.qwd --out index");
        let server = Server::start(folder.path(), "[online]\nmin_feedback = 1000000\n");
        let browser = Browser::start(screen)?;
        browser.go(&format!("http://{}/", server.address));
        browser.wait_until("document.getElementById('status').textContent !== ''");
        Some(Self { browser, server, folder })
    }

    /// Asks by typing into the box.
    fn ask(&self, text: &str) {
        self.browser.value("(document.getElementById('q').value = '', document.getElementById('q').focus())");
        self.browser.type_in(text);
        let asked = serde_json::to_string(text).expect("JSON");
        self.browser.wait_until(&format!("last && last.query === {asked}"));
        self.wait_for("results");
    }

    /// Waits until a view shows what was asked of it.
    fn wait_for(&self, tab: &str) {
        self.browser
            .wait_until(&format!("view === '{tab}' && document.getElementById('view-{tab}').ariaBusy === 'false'"));
    }

    fn choose(&self, tab: &str) {
        self.browser.value(&format!("document.getElementById('tab-{tab}').click()"));
    }

    fn log(&self) -> String {
        let bytes = std::fs::read(self.folder.path().join("index/feedback/feedback.qwdlog")).expect("a log");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn keep_picture(&self, name: &str) {
        if let Some(folder) = std::env::var_os("QWD_SCREENSHOTS") {
            let picture = self.browser.screenshot();
            std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).expect("a picture");
        }
    }

    /// Nothing was fetched from elsewhere, and nothing went wrong.
    fn expect_peace(&self) {
        let own = format!("http://{}/", self.server.address);
        let strange: Vec<String> = self
            .browser
            .requests()
            .into_iter()
            .filter(|url| !url.starts_with(&own) && !url.starts_with("data:"))
            .collect();
        assert!(strange.is_empty(), "asked elsewhere: {strange:?}");
        assert!(self.browser.faults().is_empty(), "{:?}", self.browser.faults());
    }
}

#[expect(clippy::print_stderr, reason = "a test that did not run must not look like one that passed")]
fn tell_skipped() {
    eprintln!("SKIPPED: no browser; install Debian's chromium, or name one in QWD_BROWSER");
}

fn run(folder: &Path, arguments: &str) {
    let mut program: Command = promises::program();
    let output = program.current_dir(folder).args(arguments.split(' ')).output().expect("runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The texts of all elements of a kind.
fn texts(browser: &Browser, selector: &str) -> Vec<String> {
    let all = browser.value(&format!("[...document.querySelectorAll('{selector}')].map((e) => e.textContent)"));
    all.as_array().expect("a list").iter().map(|t| t.as_str().expect("a text").to_string()).collect()
}

/// The signed number at the end of a chip, as the page writes it.
fn number(chip: &str) -> f64 {
    let last = chip.rsplit(' ').next().expect("a number").replace('−', "-");
    last.parse().unwrap_or_else(|_| panic!("{chip:?} ends in no number"))
}

#[test]
fn results_come_as_one_types_with_reasons_that_add_up() {
    let Some(visit) = Visit::start(Screen::DESKTOP) else { return };
    let browser = &visit.browser;
    assert_eq!(browser.value("document.activeElement.id"), "q", "one can type at once");
    visit.ask("my telly is");
    let early = texts(browser, "#results .hit h3");
    visit.ask("my telly is blank");
    assert_ne!(texts(browser, "#results .hit h3"), early, "the list follows what is typed");
    visit.keep_picture("results");

    let answer = visit.server.get("/search?q=my+telly+is+blank&k=10&explain=true").json();
    let hits = answer["hits"].as_array().expect("hits");
    for (i, hit) in hits.iter().enumerate() {
        let chips = texts(browser, &format!("#results .hit:nth-child({}) .pair", i + 1));
        let sum: f64 = chips.iter().map(|chip| number(chip)).sum();
        let score = hit["score"].as_f64().expect("a score");
        // Each chip is rounded to three places.
        assert!((sum - score).abs() <= 0.0006 * chips.len() as f64, "{score} is not the sum of {chips:?}");
        let strongest = &hit["reasons"][0];
        let shown = number(&chips[0]);
        assert!((shown - strongest["value"].as_f64().expect("a value")).abs() < 0.001, "{chips:?} {strongest}");
    }
    let colours = "new Set([...document.querySelectorAll('#results .pair:not(.rest)')].map((p) => \
                   [p.textContent.includes('−'), getComputedStyle(p).borderColor.match(/\\d+/g).slice(0, 3).join()].join())).size";
    assert_eq!(browser.value(colours), 2, "one colour for, one against");
    visit.ask("my tely is blank");
    assert!(browser.text("document.getElementById('status').textContent").contains("“telly” for “tely”"));
    visit.ask("zzzzqqqq");
    assert!(browser.text("document.getElementById('status').textContent").contains("never seen: zzzzqqqq"));
    visit.expect_peace();
}

#[test]
fn what_is_told_by_keyboard_reaches_the_log_and_the_model() {
    let Some(visit) = Visit::start(Screen::DESKTOP) else { return };
    let browser = &visit.browser;
    visit.ask("my telly is blank");
    let ids: Vec<String> = serde_json::from_value(browser.value("last.hits.map((h) => h.id)")).expect("ids");
    for _ in 0..3 {
        browser.press("ArrowDown");
    }
    assert_eq!(browser.value("[...document.querySelectorAll('#results .hit a')].indexOf(document.activeElement)"), 2);
    browser.press("Enter");
    browser.wait_until("document.getElementById('status').textContent.startsWith('Thank you')");
    let click = json!({"document": ids[2], "shown": ids, "search": browser.value("last.search")});
    assert!(log_has(&visit.log(), &click), "{click} is not in {}", visit.log());
    assert!(browser.value("!document.activeElement.closest('.hit').querySelector('.body').hidden") == true, "it opens");

    browser.press("ArrowUp");
    browser.value("say('')");
    browser.press("b");
    browser.wait_until("document.getElementById('status').textContent.startsWith('Thank you')");
    let preference = format!("\"preference\":{{\"better\":\"{}\",\"worse\":\"{}\"}}", ids[1], ids[0]);
    assert!(visit.log().contains(&preference), "{preference} in {}", visit.log());
    browser.press("/");
    assert_eq!(browser.value("document.activeElement.id"), "q");

    visit.choose("learning");
    browser.wait_until("document.querySelectorAll('#versions tbody tr').length === 1");
    browser.value("document.getElementById('learn').click()");
    browser.wait_until("document.querySelectorAll('#versions tbody tr').length === 2");
    assert!(texts(browser, "#versions tbody tr")[1].contains("ranks now"));
    browser.wait_until("[...document.querySelectorAll('#live div')].some((r) => /Feedback.*2$/.test(r.textContent))");
    visit.keep_picture("learning");
    // The curve is there once a version was measured by held-out queries.
    for i in 0..30 {
        let told = json!({"query": format!("telly question {i}"), "preference": {"better": ids[2], "worse": ids[0]}});
        assert_eq!(visit.server.post("/feedback", &told.to_string()).status, 202);
    }
    browser.value("document.getElementById('learn').click()");
    browser.wait_until("document.querySelector('#curve svg') !== null");
    assert!(browser.text("document.querySelector('#curve svg').getAttribute('aria-label')").contains("wrong"));
    visit.keep_picture("learning-curve");

    browser.value("document.getElementById('tab-learning').focus()");
    browser.press("ArrowLeft");
    assert_eq!(browser.value("document.activeElement.id"), "tab-words");
    browser.press("ArrowLeft");
    visit.wait_for("models");
    let name = |side: &str| browser.text(&format!("document.getElementById('{side}-name').textContent"));
    assert_eq!((name("left"), name("right")), ("Version 1".into(), "Version 3".into()));
    assert_ne!(texts(browser, "#left-hits .score"), texts(browser, "#right-hits .score"));
    visit.keep_picture("models");
    visit.expect_peace();
}

/// Whether a log has a click, whatever the order of its fields.
fn log_has(log: &str, click: &Value) -> bool {
    let mut rest = log;
    while let Some(at) = rest.find("{\"feedback\":") {
        rest = &rest[at..];
        let record = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next();
        if record.and_then(Result::ok).is_some_and(|record| record["feedback"]["click"] == *click) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

#[test]
fn words_and_the_matrix_are_shown() {
    let Some(visit) = Visit::start(Screen::DESKTOP) else { return };
    let browser = &visit.browser;
    visit.ask("phone wifi telly");
    visit.choose("words");
    browser.wait_until("document.querySelectorAll('#heat tbody tr').length === 3");
    let expected = visit.server.get("/matrix?words=phone+wifi+telly&n=24").json();
    assert_eq!(json!(texts(browser, "#heat tbody th")), expected["rows"]);
    assert_eq!(json!(texts(browser, "#heat thead th")), expected["columns"]);
    let coloured = "[...document.querySelectorAll('#heat td')].filter((c) => c.style.background).length";
    let values = expected["values"].as_array().expect("rows").iter().flat_map(|row| row.as_array().expect("a row"));
    let n_weights = values.filter(|value| value.as_f64() != Some(0.0)).count();
    assert_eq!(browser.value(coloured), n_weights);
    browser.value("document.getElementById('word').focus()");
    browser.type_in("phone");
    browser.wait_until("document.getElementById('status').textContent.includes('related to “phone”')");
    let related = visit.server.get("/related?word=phone&k=30").json();
    let words = texts(browser, "#related .pair");
    assert!(words[0].starts_with(related["related"][0]["word"].as_str().expect("a word")), "{words:?}");
    visit.keep_picture("words");
    browser.value("(document.getElementById('pin-query').value = 'phone', document.getElementById('pin-document').value = 'gateway', \
                   document.getElementById('pin-weight').value = '2.5', document.getElementById('pin').requestSubmit())");
    browser.wait_until("document.querySelector('#related .pair')?.textContent === 'gateway +2.500'");
    browser.wait_until("document.querySelectorAll('#pins .pair').length === 1");
    assert!(texts(browser, "#pins .pair")[0].starts_with("phone → gateway +2.500"));
    visit.keep_picture("pins");
    browser.value("document.querySelector('#pins button').click()");
    browser.wait_until("document.querySelectorAll('#pins .pair').length === 0");
    browser.wait_until("document.querySelector('#related .pair')?.textContent !== 'gateway +2.500'");
    visit.expect_peace();
}

#[test]
fn it_can_be_heard_and_every_control_has_a_name() {
    let Some(visit) = Visit::start(Screen::DESKTOP) else { return };
    visit.ask("my telly is blank");
    let heard = visit.browser.told_aloud();
    let has = |role: &str, name: &str| heard.iter().any(|(r, n)| r == role && n.contains(name));
    for (role, name) in [
        ("heading", "qwd"),
        ("search", ""),
        ("searchbox", "Search"),
        ("tablist", "Views"),
        ("tab", "Results"),
        ("tab", "Two models"),
        ("tab", "Words and W"),
        ("tab", "Learning"),
        ("tabpanel", "Results"),
        ("status", ""),
        ("list", "Reasons"),
        ("button", "is better than the one above"),
        ("main", ""),
    ] {
        assert!(has(role, name), "no {role} {name:?} in {heard:?}");
    }
    for tab in ["results", "models", "words", "learning"] {
        visit.choose(tab);
        visit.wait_for(tab);
        let controls = ["button", "link", "textbox", "searchbox", "combobox", "tab", "checkbox"];
        let silent: Vec<_> = visit
            .browser
            .told_aloud()
            .into_iter()
            .filter(|(role, name)| controls.contains(&role.as_str()) && name.trim().is_empty())
            .collect();
        assert!(silent.is_empty(), "{tab}: {silent:?}");
    }
    visit.expect_peace();
}

#[test]
fn it_fits_a_phone_and_can_be_read_by_day_and_by_night() {
    for (screen, name) in
        [(Screen::PHONE, "phone"), (Screen::PHONE.dark(), "phone-dark"), (Screen::DESKTOP.dark(), "dark")]
    {
        let Some(visit) = Visit::start(screen) else { return };
        let browser = &visit.browser;
        visit.ask("my telly is blank");
        let paper = browser.text("getComputedStyle(document.body).backgroundColor");
        let is_dark = paper.matches(char::is_numeric).count() > 0 && !paper.contains("255");
        assert_eq!(is_dark, screen.is_dark, "{paper}");
        for tab in ["results", "models", "words", "learning"] {
            visit.choose(tab);
            visit.wait_for(tab);
            let width = browser.value("document.documentElement.scrollWidth");
            assert!(width.as_u64().is_some_and(|w| w <= u64::from(screen.width)), "{name}, {tab}: {width} points wide");
            let faint = browser.value(FAINT);
            assert_eq!(faint, json!([]), "{name}, {tab}: too little contrast");
            if screen.is_phone {
                assert_eq!(browser.value(SMALL), json!([]), "{tab}: too small for a finger");
            }
            visit.keep_picture(&format!("{name}-{tab}"));
        }
        visit.expect_peace();
    }
}

/// Texts whose contrast with what lies behind them is below 4.5 to 1 (WCAG 2.2, 1.4.3).
const FAINT: &str = r"(() => {
  const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (e) => e ? over(parse(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : [255, 255, 255, 1];
  const light = (c) => c.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.tagName === 'OPTION') continue;
    const back = behind(e), ink = over(parse(getComputedStyle(e).color), back);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${e.tagName}.${e.className} ${contrast.toFixed(2)} ${e.textContent.slice(0, 30)}`);
  }
  return found.slice(0, 5);
})()";

/// Controls that are smaller than 24 points either way (WCAG 2.2, 2.5.8).
const SMALL: &str = r"[...document.querySelectorAll('button, select, input')].filter((e) => e.checkVisibility())
  .map((e) => [e.id || e.textContent, e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24)
  .map(([name, r]) => `${name} ${r.width} x ${r.height}`)";

#[test]
fn hostile_documents_stay_text() {
    let Some(visit) = Visit::start(Screen::PHONE) else { return };
    let browser = &visit.browser;
    let script = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><svg onload=alert(3)>";
    let documents = json!([
        {"_id": "<b>id</b>", "title": script, "text": format!("{script} hostile telly")},
        {"_id": "rtl", "title": "\u{202e}hostile\u{202c} شاشة التلفاز", "text": "hostile telly \u{202e}txet desrever"},
        {"_id": "long", "title": "W".repeat(3000), "text": format!("hostile telly {}", "x".repeat(20_000))},
        {"_id": "url", "title": "javascript:alert(4)", "text": "hostile telly data:text/html,<script>window.ran=5</script>"},
        {"_id": "nul", "title": "\u{0}\u{fffd}\u{feff}", "text": "hostile telly \u{0} \u{1f4a9}"},
    ]);
    assert_eq!(visit.server.post("/documents", &documents.to_string()).status, 200);
    visit.ask("telly hostile <img src=y onerror=alert(6)>");
    let ids: Vec<String> = serde_json::from_value(browser.value("last.hits.map((h) => h.id)")).expect("ids");
    for id in ["<b>id</b>", "rtl", "long", "url", "nul"] {
        assert!(ids.iter().any(|found| found == id), "{id} not found: {ids:?}");
    }
    let titles = texts(browser, "#results .hit h3");
    assert!(titles.iter().any(|t| t == script), "{titles:?}");
    browser.value("document.querySelectorAll('#results .hit a').forEach((a) => a.click())");
    for tab in ["models", "words", "learning", "results"] {
        visit.choose(tab);
        visit.wait_for(tab);
    }
    visit.ask("telly hostile");
    assert_eq!(browser.value("window.ran ?? null"), Value::Null, "a script of a document ran");
    assert_eq!(browser.value("document.querySelectorAll('main img, main svg, main script, main b').length"), 0);
    let width = browser.value("document.documentElement.scrollWidth");
    assert!(width.as_u64().is_some_and(|w| w <= 375), "long words widen the page to {width}");
    // What a document says from right to left turns nothing around it.
    let isolated = "[...document.querySelectorAll('#results h3 a, #results .hit p')].every((e) => \
                    ['isolate', 'plaintext'].some((v) => getComputedStyle(e).unicodeBidi.includes(v)))";
    assert_eq!(browser.value(isolated), true);
    visit.keep_picture("hostile");
    visit.expect_peace();
}
