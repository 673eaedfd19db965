//! LightGBM's text model format, read and written.
//!
//! A header of `key=value` lines, then a block for each tree with one line per array, then `end of trees`. What is read:
//! models with one numerical tree per iteration (regression and ranking objectives). What is refused, with its line: classes,
//! categorical splits, linear leaves, averaged output. What is written can be opened by LightGBM 4 and by whatever reads its
//! models. Values of documents are finite here, so where LightGBM would send a missing value is kept only for 0 taken as
//! missing.

use crate::tree::{Leaf, Node, Tree, Trees};
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::str::FromStr;

/// The bit of a decision type that marks a categorical split.
const CATEGORICAL: u8 = 1;
/// The bit that sends a missing value to the left.
const DEFAULT_LEFT: u8 = 2;
/// What counts as missing, in the two bits above: nothing, 0, or NaN.
const MISSING_ZERO: u8 = 1;

/// Writes trees as a LightGBM model.
pub fn to_text(trees: &Trees) -> String {
    let blocks: Vec<String> =
        trees.trees.iter().enumerate().map(|(at, tree)| format!("Tree={at}\n{}\n\n", block(tree))).collect();
    let names: Vec<String> = (1..=trees.n_features).map(|j| format!("feature_{j}")).collect();
    let infos = vec!["[-1e+308:1e+308]"; trees.n_features];
    let sizes: Vec<String> = blocks.iter().map(|block| block.len().to_string()).collect();
    let mut text = String::from("tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n");
    let last = trees.n_features.saturating_sub(1);
    let _ = write!(text, "max_feature_idx={last}\nobjective=lambdarank\nfeature_names={}\n", names.join(" "));
    let _ = write!(text, "feature_infos={}\ntree_sizes={}\n\n", infos.join(" "), sizes.join(" "));
    text.extend(blocks);
    text.push_str("end of trees\n\nfeature_importances:\n");
    let mut importances: Vec<(usize, usize)> =
        trees.n_splits().into_iter().enumerate().filter(|(_, n)| *n > 0).collect();
    importances.sort_by_key(|&(j, n)| (std::cmp::Reverse(n), j));
    for (j, n) in importances {
        let _ = writeln!(text, "{}={n}", names[j]);
    }
    text.push_str(
        "\nparameters:\n[boosting: gbdt]\n[objective: lambdarank]\nend of parameters\n\npandas_categorical:null\n",
    );
    text
}

fn block(tree: &Tree) -> String {
    let mut text = format!("num_leaves={}\nnum_cat=0\n", tree.leaves.len());
    let mut line = |name: &str, values: Vec<String>| {
        let _ = writeln!(text, "{name}={}", values.join(" "));
    };
    let nodes = |f: fn(&Node) -> String| tree.nodes.iter().map(f).collect::<Vec<_>>();
    let leaves = |f: fn(&Leaf) -> String| tree.leaves.iter().map(f).collect::<Vec<_>>();
    line("split_feature", nodes(|n| n.feature.to_string()));
    line("split_gain", nodes(|n| format!("{:?}", n.gain)));
    line("threshold", nodes(|n| format!("{:?}", n.threshold)));
    line("decision_type", nodes(|n| decision(n).to_string()));
    line("left_child", nodes(|n| n.left.to_string()));
    line("right_child", nodes(|n| n.right.to_string()));
    line("leaf_value", leaves(|l| format!("{:?}", l.value)));
    line("leaf_weight", leaves(|l| format!("{:?}", l.weight)));
    line("leaf_count", leaves(|l| l.count.to_string()));
    let inside = inner_leaves(tree);
    line("internal_value", inside.iter().map(|l| format!("{:?}", l.value)).collect());
    line("internal_weight", inside.iter().map(|l| format!("{:?}", l.weight)).collect());
    line("internal_count", inside.iter().map(|l| l.count.to_string()).collect());
    text.push_str("is_linear=0\nshrinkage=1\n");
    text
}

fn decision(node: &Node) -> u8 {
    match node.zero_goes_left {
        None => DEFAULT_LEFT,
        Some(left) => MISSING_ZERO << 2 | if left { DEFAULT_LEFT } else { 0 },
    }
}

/// What each node would be as a leaf: its documents, and the mean of the values below.
fn inner_leaves(tree: &Tree) -> Vec<Leaf> {
    let mut inside = vec![Leaf::default(); tree.nodes.len()];
    // Children have greater numbers, so the last node is the first whose children are all known.
    for at in (0..tree.nodes.len()).rev() {
        let of = |child: i32| if child < 0 { tree.leaves[!child as usize] } else { inside[child as usize] };
        let (left, right) = (of(tree.nodes[at].left), of(tree.nodes[at].right));
        let count = left.count + right.count;
        let sum = left.value * left.count as f64 + right.value * right.count as f64;
        let value = if count > 0 { sum / count as f64 } else { 0.5 * (left.value + right.value) };
        inside[at] = Leaf { value, count, weight: left.weight + right.weight };
    }
    inside
}

/// Reads a LightGBM model; `path` names it in errors.
pub fn from_text(text: &str, path: &Path) -> Result<Trees> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at as u64 + 1, line)).peekable();
    let unsupported = |what: &str| Error::Unsupported {
        path: path.to_path_buf(),
        what: format!("a LightGBM model with {what}; only sums of numerical trees are read"),
    };
    if lines.next().map(|(_, line)| line.trim()) != Some("tree") {
        return Err(Error::parse(
            Place::new(path, 1, 1),
            "not a LightGBM text model: the first line is not \"tree\"",
            "save it with save_model",
        ));
    }
    let header = Block::read(&mut lines, path)?;
    let n_features = header.number::<usize>("max_feature_idx")?.saturating_add(1);
    if n_features > 1 << 24 {
        return Err(Error::limit("the number of features", 1 << 24, n_features as u64, "use another model"));
    }
    if header.number::<u32>("num_tree_per_iteration")? != 1 {
        return Err(unsupported("several classes"));
    }
    if header.values.contains_key("average_output") {
        return Err(unsupported("averaged output"));
    }
    let mut trees = Vec::new();
    while let Some((_, line)) = lines.peek() {
        if line.starts_with("end of trees") {
            let trees = Trees { n_features, trees };
            return trees
                .check()
                .map(|()| trees)
                .map_err(|what| Error::parse(Place::new(path, 0, 0), what, "save the model anew"));
        }
        if !line.starts_with("Tree=") {
            lines.next();
            continue;
        }
        lines.next();
        let block = Block::read(&mut lines, path)?;
        if block.number::<u32>("num_cat")? != 0 {
            return Err(unsupported("categorical splits"));
        }
        if block.values.get("is_linear").is_some_and(|(_, value)| *value == "1") {
            return Err(unsupported("linear leaves"));
        }
        trees.push(block.tree(&unsupported)?);
    }
    Err(Error::parse(
        Place::new(path, 0, 0),
        "the model ends before \"end of trees\": the file is cut short",
        "copy it again",
    ))
}

/// The `key=value` lines up to a blank one.
struct Block<'a> {
    path: &'a Path,
    line: u64,
    values: HashMap<&'a str, (u64, &'a str)>,
}

impl<'a> Block<'a> {
    fn read(lines: &mut impl Iterator<Item = (u64, &'a str)>, path: &'a Path) -> Result<Self> {
        let mut block = Self { path, line: 0, values: HashMap::new() };
        for (number, line) in lines {
            block.line = number;
            if line.trim().is_empty() {
                break;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            block.values.insert(key.trim(), (number, value.trim()));
        }
        Ok(block)
    }

    fn get(&self, key: &str) -> Result<(u64, &'a str)> {
        let missing = || {
            Error::parse(
                Place::new(self.path, self.line, 0),
                format!("the block that ends here has no {key}"),
                "save the model anew",
            )
        };
        self.values.get(key).copied().ok_or_else(missing)
    }

    fn number<T: FromStr>(&self, key: &str) -> Result<T> {
        let (line, text) = self.get(key)?;
        let bad = || {
            Error::parse(
                Place::new(self.path, line, 1),
                format!("{key} is not a number it can be"),
                "save the model anew",
            )
        };
        text.parse().map_err(|_| bad())
    }

    fn numbers<T: FromStr>(&self, key: &str, n: usize) -> Result<Vec<T>> {
        let (line, text) = self.get(key)?;
        let bad = |what: String| Error::parse(Place::new(self.path, line, 1), what, "save the model anew");
        let values: Vec<T> = text
            .split_ascii_whitespace()
            .map(|word| word.parse().map_err(|_| bad(format!("{key} has a value that is not a number it can be"))))
            .collect::<Result<_>>()?;
        if values.len() == n {
            Ok(values)
        } else {
            Err(bad(format!("{key} has {} values in place of {n}", values.len())))
        }
    }

    fn tree(&self, unsupported: &dyn Fn(&str) -> Error) -> Result<Tree> {
        let n_leaves = self.number::<usize>("num_leaves")?;
        let values = self.numbers::<f64>("leaf_value", n_leaves.max(1))?;
        if n_leaves <= 1 {
            return Ok(Tree::constant(values[0]));
        }
        let n = n_leaves - 1;
        let features = self.numbers::<u32>("split_feature", n)?;
        let thresholds = self.numbers::<f64>("threshold", n)?;
        let decisions = self.numbers::<u8>("decision_type", n)?;
        let (left, right) = (self.numbers::<i32>("left_child", n)?, self.numbers::<i32>("right_child", n)?);
        let gains = self.numbers::<f64>("split_gain", n).unwrap_or_else(|_| vec![0.0; n]);
        let counts = self.numbers::<u64>("leaf_count", n_leaves).unwrap_or_else(|_| vec![0; n_leaves]);
        let weights = self.numbers::<f64>("leaf_weight", n_leaves).unwrap_or_else(|_| vec![0.0; n_leaves]);
        if decisions.iter().any(|d| d & CATEGORICAL != 0) {
            return Err(unsupported("categorical splits"));
        }
        let node = |at: usize| Node {
            feature: features[at],
            threshold: thresholds[at],
            left: left[at],
            right: right[at],
            gain: gains[at],
            zero_goes_left: (decisions[at] >> 2 & 3 == MISSING_ZERO).then_some(decisions[at] & DEFAULT_LEFT != 0),
        };
        let leaf = |at: usize| Leaf { value: values[at], count: counts[at], weight: weights[at] };
        Ok(Tree { nodes: (0..n).map(node).collect(), leaves: (0..n_leaves).map(leaf).collect() })
    }
}
