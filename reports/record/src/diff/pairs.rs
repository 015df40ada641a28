//! Matches the backends of two runs.

use crate::Report;

/// The names of each backend in both runs: first equal names, then adapters that occur once among the
/// others of each run (`ort` and `ort:library=…`), finally the only remaining one of each run.
pub(super) fn pairs<'a>(before: &'a Report, after: &'a Report) -> Vec<(&'a str, &'a str)> {
    let names = |report: &'a Report| -> Vec<(&'a str, &'a str)> {
        let infos = report.backends.iter().map(|backend| &backend.info);
        infos
            .map(|info| (info.name.as_str(), info.kind.as_str()))
            .collect()
    };
    let (mut old, mut new) = (names(before), names(after));
    let mut pairs = Vec::new();
    let mut take =
        |old: &mut Vec<(&'a str, &'a str)>, new: &mut Vec<(&'a str, &'a str)>, a: usize, b: usize| {
            pairs.push((old.remove(a).0, new.remove(b).0));
        };
    let mut at = 0;
    while let Some((name, _)) = old.get(at).copied() {
        match new.iter().position(|(other, _)| *other == name) {
            Some(place) => take(&mut old, &mut new, at, place),
            None => at += 1,
        }
    }
    let mut at = 0;
    while let Some((_, kind)) = old.get(at).copied() {
        let alone = |list: &[(&str, &str)]| list.iter().filter(|(_, other)| *other == kind).count() == 1;
        let place = new.iter().position(|(_, other)| *other == kind);
        match place.filter(|_| !kind.is_empty() && alone(&old) && alone(&new)) {
            Some(place) => take(&mut old, &mut new, at, place),
            None => at += 1,
        }
    }
    if old.len() == 1 && new.len() == 1 {
        take(&mut old, &mut new, 0, 0);
    }
    // In the order of the later run.
    let place = |name: &str| {
        after
            .backends
            .iter()
            .position(|backend| backend.info.name == name)
    };
    pairs.sort_by_key(|(_, later)| place(later));
    pairs
}
