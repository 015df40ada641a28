//! Checks that the modules at the top of a crate have no circular dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use regex::Regex;

/// The modules that each module of a crate uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// One line for each circle.
pub fn faults(root: &Path, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut crates: BTreeMap<&str, Uses> = BTreeMap::new();
    let scanner = Scanner::new()?;
    for file in files {
        let Some((folder, inner)) = file.to_str().and_then(|name| name.split_once("/src/")) else {
            continue;
        };
        let Some(module) = module(inner) else {
            continue;
        };
        let path = root.join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let uses = scanner.uses(&text, !inner.contains('/'));
        crates
            .entry(folder)
            .or_default()
            .entry(module.to_owned())
            .or_default()
            .extend(uses);
    }
    let faults = crates.iter().flat_map(|(folder, uses)| {
        circles(uses)
            .into_iter()
            .map(move |circle| format!("{folder}/src: the modules {circle} use each other in a circle"))
    });
    Ok(faults.collect())
}

/// The module at the top of the crate that a file belongs to; `None` for roots of crates and for tests.
fn module(inner: &str) -> Option<&str> {
    let is_test = inner.ends_with("tests.rs") || inner.contains("/tests/");
    let top = inner.split('/').next()?;
    let name = top.strip_suffix(".rs").unwrap_or(top);
    let is_root = ["lib", "main", "bin"].contains(&name);
    (inner.ends_with(".rs") && !is_test && !is_root).then_some(name)
}

/// The circles of modules, each as a list of names.
fn circles(uses: &Uses) -> Vec<String> {
    let mut graph = DiGraph::<&str, ()>::new();
    let nodes: BTreeMap<&str, _> = uses
        .keys()
        .map(|module| (module.as_str(), graph.add_node(module)))
        .collect();
    for (module, used) in uses {
        for target in used.iter().filter_map(|used| nodes.get(used.as_str())) {
            graph.add_edge(nodes[module.as_str()], *target, ());
        }
    }
    let circles = tarjan_scc(&graph).into_iter().filter(|modules| modules.len() > 1);
    let text = |modules: Vec<_>| {
        let mut names: Vec<&str> = modules.into_iter().map(|node| graph[node]).collect();
        names.sort_unstable();
        names.join(", ")
    };
    circles.map(text).collect()
}

/// Finds the names of modules in a source text.
struct Scanner {
    noise: Regex,
    path: Regex,
    above: Regex,
    list: Regex,
}

impl Scanner {
    fn new() -> Result<Scanner, String> {
        let regex = |pattern: &str| Regex::new(pattern).map_err(|error| error.to_string());
        Ok(Scanner {
            noise: regex(r"(?s)//[^\n]*|#\[cfg\(test\)\]\s*mod \w+ \{.*")?,
            path: regex(r"\bcrate::(\w+)")?,
            above: regex(r"\bsuper::(\w+)")?,
            list: regex(r"(?s)\b(crate|super)::\{(.*?)\};")?,
        })
    }

    /// The names behind `crate::`, and in a file at the top also those behind `super::`.
    fn uses(&self, text: &str, is_top: bool) -> BTreeSet<String> {
        let text = self.noise.replace_all(text, "");
        let paths = self.path.captures_iter(&text);
        let above = self.above.captures_iter(&text).filter(|_| is_top);
        let mut names: BTreeSet<String> = paths.chain(above).map(|found| found[1].to_owned()).collect();
        for list in self.list.captures_iter(&text) {
            if is_top || &list[1] == "crate" {
                names.extend(heads(&list[2]));
            }
        }
        names
    }
}

/// The first name of each path of a list, `a` and `b` of `a::{c, d}, b`.
fn heads(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for character in list.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => parts.push(String::new()),
            other if depth == 0 => {
                if let Some(part) = parts.last_mut() {
                    part.push(other);
                }
            }
            _ => {}
        }
    }
    let head = |part: &String| part.trim().split("::").next().map(str::to_owned);
    parts.iter().filter_map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_in_paths_and_lists() {
        let scanner = Scanner::new().unwrap();
        let text = "use crate::a::X;\nuse crate::{b::{C, d}, e};\nuse super::f;\n// crate::g\nfn h() { crate::i::j() }\n\
                    #[cfg(test)]\nmod tests { use crate::k; }\n";
        let found = |is_top| {
            scanner
                .uses(text, is_top)
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(found(true), "a b e f i");
        assert_eq!(found(false), "a b e i");
    }

    #[test]
    fn a_circle_is_found() {
        let uses = |pairs: &[(&str, &str)]| {
            let mut uses = Uses::new();
            for (module, used) in pairs {
                uses.entry((*module).to_owned())
                    .or_default()
                    .insert((*used).to_owned());
            }
            uses
        };
        assert_eq!(
            circles(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])),
            ["a, b, c"]
        );
        assert!(circles(&uses(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "std")])).is_empty());
    }
}
