//! What every kind of plot is held to, and what it refuses.

use super::*;
use qwd_core::Family;

/// A figure of every kind, with names that a careless writer of XML would trip over, and texts that must be seen.
fn samples() -> Vec<(Figure, Vec<&'static str>)> {
    let series =
        || vec![Series::new("A & B", [(1e3, 0.31), (1e4, 0.2), (1e5, 0.12)]), Series::new("l1<2", [(1e3, 0.4)])];
    let density = || vec![Series::new("A & B", [(1e3, 0.4), (1e5, 0.0)]), Series::new("l1<2", [(1e3, 0.001)])];
    let data_set = |name: &str| LearningCurves { name: name.into(), error: series(), density: density() };
    let point = |l1, density, map| L1Point { l1, density, map };
    let group =
        |name: &str, standard_errors| BarGroup { name: name.into(), values: vec![0.31, 0.345], standard_errors };
    vec![
        (
            LearningCurve { title: "Learning".into(), data_sets: vec![data_set("one"), data_set("two")] }.into(),
            vec![
                "Learning",
                "A &amp; B",
                "l1&lt;2",
                "one",
                "two",
                "iterations",
                "test error rate",
                "density of W",
                "10k",
            ],
        ),
        (
            ApScatter {
                title: "Queries".into(),
                a: "BM25".into(),
                b: "W > 0".into(),
                queries: vec![(0.2, 0.5), (0.1, 0.1), (1.0, 0.0), (0.0, 0.3)],
            }
            .into(),
            vec![
                "Queries",
                "W &gt; 0 wins 2, ties 1, loses 1 of 4 queries",
                "average precision of BM25 (mean 0.325)",
                "average precision of W &gt; 0 (mean 0.225)",
            ],
        ),
        (
            HeatMap {
                title: "Words".into(),
                query_words: ["a&b", "検索", "$x$"].map(String::from).into(),
                document_words: ["<i>", "$y$"].map(String::from).into(),
                weights: vec![vec![1.0, -0.5], vec![0.0, 0.25], vec![-1.0, 0.0]],
            }
            .into(),
            vec![
                "Words",
                "a&amp;b",
                "検索",
                ">$x$<",
                "&lt;i&gt;",
                "$y$",
                "query words",
                "document words",
                "#b2182b",
                "#2166ac",
                "−0.5",
            ],
        ),
        (
            DensityPath {
                title: "Path".into(),
                paths: vec![L1Path {
                    name: "SGD \"x\"".into(),
                    points: vec![point(1e-2, 0.0, 0.1), point(1e-3, 1e-3, 0.2), point(1e-6, 0.3, 0.3)],
                }],
            }
            .into(),
            vec!["Path", "SGD &quot;x&quot;", "density of W", "MAP", "0.001", "10⁻⁶"],
        ),
        (
            Bars {
                title: "Metrics".into(),
                y_label: "score".into(),
                models: ["BM25", "W"].map(String::from).into(),
                groups: vec![group("MAP", Some(vec![0.01, 0.0])), group("NDCG@10", None)],
            }
            .into(),
            vec!["Metrics", "score", "BM25", "NDCG@10", "0.345", "0.310"],
        ),
        (
            Lines { title: "Any".into(), x: Axis::log("step"), y: Axis::auto("loss"), series: series() }.into(),
            vec!["Any", "step", "loss", "A &amp; B", "l1&lt;2", "0.1"],
        ),
    ]
}

fn svg(figure: Figure) -> String {
    let bytes = Plot::try_new(figure).and_then(|p| p.render(Format::Svg)).expect("a sound figure");
    String::from_utf8(bytes).expect("text")
}

/// Walks through tags and refuses what is not nested or not escaped.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        assert!(!text.contains('>'), "a bare > in {text}");
        let end = tag.find('>').expect("a tag that ends");
        let inside = &tag[1..end];
        assert!(!inside.contains('<'), "a bare < in {inside}");
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inside.ends_with('/') && !inside.starts_with('!') {
            open.extend(inside.split_whitespace().next());
        }
        rest = &tag[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} never close");
    let entities = svg.split('&').skip(1);
    entities.for_each(|e| assert!(["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|k| e.starts_with(k)), "&{e}"));
    assert!(svg.chars().all(|c| !c.is_control() || c == '\n'), "a control character");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a number that is none");
}

#[test]
fn every_kind_has_a_sample() {
    let kinds: Vec<Kind> = samples().iter().map(|(figure, _)| figure.kind()).collect();
    assert_eq!(kinds, Kind::ALL);
}

#[test]
fn svg_shows_names_and_labels() {
    for (figure, texts) in samples() {
        let svg = svg(figure.clone());
        assert!(svg.starts_with("<svg "));
        assert_well_formed(&svg);
        for text in texts {
            assert!(svg.contains(text), "{}: {text} is missing", figure.kind());
        }
    }
}

#[test]
fn png_has_its_signature_and_a_size() {
    for (figure, _) in samples() {
        let kind = figure.kind();
        let png = Plot::try_new(figure).and_then(|p| p.render(Format::Png)).expect("a sound figure");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{kind}");
        let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
        assert!(
            (800..4000).contains(&side(16)) && (600..4000).contains(&side(20)),
            "{kind}: {}×{}",
            side(16),
            side(20)
        );
        assert!(png.len() > 5_000, "{kind}: {} bytes", png.len());
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    for (figure, _) in samples() {
        let plot = Plot::try_new(figure).expect("a sound figure");
        for format in [Format::Svg, Format::Png] {
            assert_eq!(plot.render(format).expect("first"), plot.render(format).expect("second"));
        }
    }
}

#[test]
fn json_brings_the_figure_back() {
    for (figure, _) in samples() {
        let json = match &figure {
            Figure::LearningCurve(f) => serde_json::to_vec(f),
            Figure::ApScatter(f) => serde_json::to_vec(f),
            Figure::HeatMap(f) => serde_json::to_vec(f),
            Figure::DensityPath(f) => serde_json::to_vec(f),
            Figure::Bars(f) => serde_json::to_vec(f),
            Figure::Lines(f) => serde_json::to_vec(f),
        };
        let kind: Kind = figure.kind().name().parse().expect("a known name");
        let plot = Plot::from_json(kind, &json.expect("JSON"), Path::new("x.json")).expect("a sound figure");
        assert_eq!(plot.figure(), &figure);
    }
}

#[test]
fn broken_json_is_refused_where_it_breaks() {
    let path = Path::new("x.json");
    let read = |json: &str| Plot::from_json(Kind::Lines, json.as_bytes(), path).expect_err(json);
    let typo = "{\"x\": {\"label\": \"n\"},\n \"ylabel\": 3}";
    let message = read(typo).to_string();
    assert!(message.starts_with("x.json:2:9: unknown field `ylabel`"), "{message}");
    assert!(message.ends_with("give the fields of a lines figure"), "{message}");
    let empty = "{\"x\": {\"label\": \"\"}, \"y\": {\"label\": \"\"}, \"series\": []}";
    assert_eq!(read(empty).to_string(), "there are no series; give at least one");
    for hostile in ["", "[]", "{\"series\": [{\"name\": \"a\", \"points\": [[1, 1e999]]}]}", "\u{0}"] {
        assert_eq!(read(hostile).family(), Family::Data);
    }
    assert!("pie".parse::<Kind>().is_err_and(|e| e.to_string().contains("heat_map, density_path")));
}

#[test]
fn saving_goes_by_the_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    let (figure, _) = samples().remove(5);
    let plot = Plot::try_new(figure).expect("a sound figure");
    for (name, format) in [("a.svg", Format::Svg), ("a.PNG", Format::Png)] {
        let path = folder.path().join(name);
        plot.save(&path).expect("a saved plot");
        assert_eq!(std::fs::read(&path).expect("a file"), plot.render(format).expect("bytes"));
    }
    let refused = plot.save(&folder.path().join("a.jpg")).expect_err("an unknown ending");
    assert_eq!(refused.family(), Family::Usage);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

fn lines_of(series: Vec<Series>) -> Lines {
    Lines { x: Axis::log("x"), series, ..Lines::default() }
}

fn map_of(rows: &[&str], columns: &[&str], weights: Vec<Vec<f64>>) -> HeatMap {
    let words = |words: &[&str]| words.iter().map(|w| w.to_string()).collect();
    HeatMap { title: String::new(), query_words: words(rows), document_words: words(columns), weights }
}

fn bars_of(values: Vec<f64>, standard_errors: Option<Vec<f64>>) -> Bars {
    let groups = vec![BarGroup { name: "MAP".into(), values, standard_errors }];
    Bars { models: vec!["A".into()], groups, ..Bars::default() }
}

#[test]
fn hostile_figures_are_refused() {
    let one = |x, y| vec![Series::new("a", [(x, y)])];
    let ap =
        |a: &str, b: &str, query| ApScatter { a: a.into(), b: b.into(), queries: vec![query], ..ApScatter::default() };
    let path = |density| L1Path { name: "a".into(), points: vec![L1Point { l1: 0.1, density, map: 0.1 }] };
    let many: Vec<String> = (0..301).map(|i| i.to_string()).collect();
    let refused: Vec<Figure> = vec![
        Lines::default().into(),
        lines_of(vec![Series::new("a", [])]).into(),
        lines_of(one(f64::NAN, 1.0)).into(),
        lines_of(one(1.0, f64::INFINITY)).into(),
        lines_of(one(1.0, -1e200)).into(),
        lines_of(one(-1.0, 1.0)).into(),
        lines_of(vec![Series::new("", [(1.0, 1.0)])]).into(),
        lines_of(vec![Series::new("a", [(1.0, 1.0)]), Series::new("a", [(1.0, 1.0)])]).into(),
        lines_of((0..25).map(|i| Series::new(i.to_string(), [(1.0, 1.0)])).collect()).into(),
        lines_of(vec![Series::new("a", (0..100_001).map(|i| (f64::from(i), 0.0)))]).into(),
        LearningCurve::default().into(),
        LearningCurve { data_sets: vec![LearningCurves::default()], ..LearningCurve::default() }.into(),
        ApScatter::default().into(),
        ap("A", "A", (0.1, 0.1)).into(),
        ap("A", "B", (0.1, 1.1)).into(),
        ap("A", "B", (f64::NAN, 0.1)).into(),
        HeatMap::default().into(),
        map_of(&["a"], &["b"], vec![]).into(),
        map_of(&["a"], &["b"], vec![vec![1.0, 2.0]]).into(),
        map_of(&["a"], &["b"], vec![vec![f64::NEG_INFINITY]]).into(),
        map_of(&["a", "a"], &["b"], vec![vec![1.0], vec![1.0]]).into(),
        HeatMap { query_words: many, ..map_of(&[], &["b"], vec![vec![0.0]; 301]) }.into(),
        DensityPath::default().into(),
        DensityPath { paths: vec![path(-0.1)], ..DensityPath::default() }.into(),
        DensityPath { paths: vec![path(1.5)], ..DensityPath::default() }.into(),
        Bars::default().into(),
        bars_of(vec![], None).into(),
        bars_of(vec![f64::NAN], None).into(),
        bars_of(vec![0.1], Some(vec![-0.1])).into(),
        bars_of(vec![0.1], Some(vec![])).into(),
    ];
    for (i, figure) in refused.into_iter().enumerate() {
        let error = Plot::try_new(figure).expect_err(&format!("figure {i}"));
        assert_eq!(error.family(), Family::Data, "figure {i}: {error}");
        assert!(error.to_string().contains("; "), "figure {i} has no remedy: {error}");
    }
}

#[test]
fn extreme_figures_are_drawn() {
    let long = "pneumonoultramicroscopicsilicovolcanoconiosis ".repeat(20);
    let words: Vec<String> = (0..200).map(|i| format!("word{i} \u{1}\u{202e}{long}")).collect();
    let zigzag = (0..50_000).map(|i| (f64::from(i), f64::from(i % 2) * 1e100));
    let groups =
        (0..240).map(|i| BarGroup { name: format!("{i} {long}"), values: vec![-1e100], standard_errors: None });
    let points = (0..100_000).map(|_| L1Point { l1: 5e-324, density: 5e-324, map: 0.0 });
    let extremes: Vec<Figure> = vec![
        lines_of(vec![Series::new("a", [(0.0, 0.0)])]).into(),
        lines_of(vec![Series::new("a", [(0.3, -7.0), (0.3, -7.0)]), Series::new(&long, [(0.3, -7.0)])]).into(),
        lines_of((0..24).map(|i| Series::new(format!("{i} {long}"), [(1e-300, 1e-300), (1e100, -1e100)])).collect())
            .into(),
        Lines { title: long.clone(), ..lines_of(vec![Series::new("zigzag", zigzag)]) }.into(),
        HeatMap {
            weights: vec![vec![0.0; 200]; 200],
            query_words: words.clone(),
            document_words: words,
            ..HeatMap::default()
        }
        .into(),
        map_of(&["語"], &["ﬁ"], vec![vec![-1e-300]]).into(),
        Bars { models: vec!["A".into()], groups: groups.collect(), ..Bars::default() }.into(),
        bars_of(vec![0.0], Some(vec![0.0])).into(),
        ApScatter { a: long.clone(), b: "B".into(), queries: vec![(1.0, 1.0); 1000], ..ApScatter::default() }.into(),
        DensityPath { paths: vec![L1Path { name: long, points: points.collect() }], ..DensityPath::default() }.into(),
    ];
    for figure in extremes {
        assert_well_formed(&svg(figure));
    }
}
