//! Accepts observed verdicts as expected ones: rewrites lines and leaves the rest of the file unchanged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use run_record::Release;
use toml_edit::{InlineTable, Item, Table, value};

use super::entry::{self, Expected, Terms};
use super::{Baseline, Line, case_of};
use crate::gate::Finding;
use crate::gate::line::Key;

impl Baseline {
    /// Makes the observed verdicts the expected ones; the rest of the file, including comments and the
    /// order of lines, is unchanged. The terms in `given` are written to each of these lines; otherwise
    /// lines keep their terms. `known` are all releases: consecutive ones share a line.
    pub fn accept<'f>(
        &mut self,
        findings: impl IntoIterator<Item = &'f Finding>,
        given: &Given<'_>,
        known: &[Release],
    ) {
        let mut by_case: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in findings {
            by_case.entry(case_of(&finding.case)).or_default().push(finding);
        }
        let mut order = self.order();
        for (case, findings) in by_case {
            let all = self.lines.remove(case).unwrap_or_default();
            let (quarantined, before): (Vec<Line>, Vec<Line>) =
                all.into_iter().partition(|line| line.expected.quarantine);
            let (moved, quarantined): (Vec<Line>, Vec<Line>) = quarantined
                .into_iter()
                .partition(|line| named(line, case, &findings));
            if let Some(table) = self.document.get_mut("quarantine").and_then(Item::as_table_mut) {
                moved
                    .iter()
                    .for_each(|line| drop(table.remove(&line.key.to_string())));
            }
            let after = accepted(case, &before, &findings, given, known);
            order.replace(&before, &after);
            if let Some(cases) = self.document.get_mut("cases").and_then(Item::as_table_mut) {
                rewrite(cases, &before, &after);
            }
            let lines = after.into_iter().chain(quarantined);
            self.lines.insert(case.to_owned(), lines.collect());
        }
        if let Some(cases) = self.document.get_mut("cases").and_then(Item::as_table_mut) {
            let places: HashMap<&str, usize> = order
                .0
                .iter()
                .zip(0..)
                .map(|(key, place)| (&**key, place))
                .collect();
            cases.sort_values_by(|a, _, b, _| places.get(a.get()).cmp(&places.get(b.get())));
        }
    }

    fn order(&self) -> Order {
        let cases = self.document.get("cases").and_then(Item::as_table);
        Order(
            cases
                .into_iter()
                .flatten()
                .map(|(key, _)| key.to_owned())
                .collect(),
        )
    }
}

/// Terms for accepted lines.
#[derive(Clone, Default, Debug)]
pub struct Given<'v> {
    /// The terms written to each line.
    pub terms: Terms,
    /// The version of the backend in the run: a line that is limited to another version becomes limited
    /// to this one.
    pub version: &'v str,
}

/// Whether a finding is in a corpus that the line covers.
fn named(line: &Line, case: &str, findings: &[&Finding]) -> bool {
    let mut corpora = findings.iter().flat_map(|finding| finding.corpora());
    corpora.any(|corpus| line.key.covers(corpus, case))
}

/// The keys of a table in order.
struct Order(Vec<String>);

impl Order {
    /// Puts the keys of `after` at the position of those of `before`. Without such a position each is
    /// inserted after the last key that sorts before it, which is its position in a sorted file.
    fn replace(&mut self, before: &[Line], after: &[Line]) {
        let old: BTreeSet<String> = before.iter().map(|line| line.key.to_string()).collect();
        let place = self.0.iter().position(|key| old.contains(key));
        self.0.retain(|key| !old.contains(key));
        let parsed = |key: &String| key.parse::<Key>().ok();
        let sorted = after.first().map(|first| {
            let last = self
                .0
                .iter()
                .rposition(|key| parsed(key).as_ref() < Some(&first.key));
            last.map_or(0, |last| last + 1)
        });
        let at = place.or(sorted).unwrap_or_default().min(self.0.len());
        self.0
            .splice(at..at, after.iter().map(|line| line.key.to_string()));
    }
}

/// The terms of the line for a finding: the given ones, or those of its previous line.
fn terms_of(before: &[Line], case: &str, finding: &Finding, given: &Given<'_>) -> Terms {
    let mut corpora = finding.corpora();
    let line = corpora.find_map(|corpus| before.iter().find(|line| line.key.covers(corpus, case)));
    let known = line.map(|line| line.expected.terms.clone()).unwrap_or_default();
    Terms {
        owner: given.terms.owner.clone().or(known.owner),
        expires: given.terms.expires.or(known.expires),
        version: given
            .terms
            .version
            .clone()
            .or(known.version.map(|_| given.version.to_owned())),
    }
}

/// The lines of one case, updated with the findings.
fn accepted(
    case: &str,
    before: &[Line],
    findings: &[&Finding],
    given: &Given<'_>,
    known: &[Release],
) -> Vec<Line> {
    let mut universe: BTreeSet<Release> = known.iter().copied().collect();
    let spans = before.iter().filter_map(|line| line.key.releases());
    universe.extend(spans.flat_map(|span| [span.first, span.last]));
    let mut releases: BTreeMap<Release, Expected> = BTreeMap::new();
    let mut others: BTreeMap<Key, Expected> = BTreeMap::new();
    for line in before {
        let covered = universe
            .iter()
            .filter(|release| line.key.covers(&release.corpus(), case));
        releases.extend(covered.map(|release| (*release, line.expected.clone())));
        if line.key.releases().is_none() {
            others.insert(line.key.clone(), line.expected.clone());
        }
    }
    for finding in findings {
        let terms = terms_of(before, case, finding, given);
        let expected = finding.expectation(terms.clone());
        for corpus in finding.corpora() {
            match (Release::of_corpus(corpus), &expected) {
                (Some(release), Some(expected)) => drop(releases.insert(release, expected.clone())),
                (Some(release), None) => drop(releases.remove(&release)),
                (None, expected) => {
                    let Ok(key) = format!("{corpus}/{case}").parse::<Key>() else {
                        continue;
                    };
                    match expected {
                        Some(expected) => drop(others.insert(key, expected.clone())),
                        None => drop(others.remove(&key)),
                    }
                }
            }
        }
    }
    universe.extend(releases.keys());
    let spans = spans_of(case, &releases, &universe);
    let others = others.into_iter().map(|(key, expected)| Line { key, expected });
    spans.into_iter().chain(others).collect()
}

/// Merges neighbours with the same verdict and terms into one line; it gets the reason of the newest.
fn spans_of(case: &str, releases: &BTreeMap<Release, Expected>, universe: &BTreeSet<Release>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Option<(Release, Release, &Expected)> = None;
    let line = |(first, last, expected): (Release, Release, &Expected)| Line {
        key: Key::span(case, first, last),
        expected: expected.clone(),
    };
    for release in universe {
        let expected = releases.get(release);
        open = match (open, expected) {
            (Some((first, _, before)), Some(now))
                if (before.verdict, &before.terms) == (now.verdict, &now.terms) =>
            {
                Some((first, *release, now))
            }
            (closed, now) => {
                lines.extend(closed.map(line));
                now.map(|now| (*release, *release, now))
            }
        };
    }
    lines.extend(open.map(line));
    lines
}

/// Replaces `before` by `after`; the first new line keeps the comment of a removed line.
fn rewrite(cases: &mut Table, before: &[Line], after: &[Line]) {
    let mut comment = None;
    for line in before
        .iter()
        .filter(|line| !after.iter().any(|new| new.key == line.key))
    {
        if let Some((key, _)) = cases.remove_entry(&line.key.to_string()) {
            let prefix = key.leaf_decor().prefix().cloned();
            comment =
                comment.or(prefix.filter(|prefix| prefix.as_str().is_some_and(|text| text.contains('#'))));
        }
    }
    for new in after {
        if before
            .iter()
            .any(|line| line.key == new.key && line.expected == new.expected)
        {
            continue;
        }
        let text = new.key.to_string();
        let line = cases.entry(&text).or_insert_with(|| value(InlineTable::new()));
        if let Some(line) = line.as_inline_table_mut() {
            entry::write(line, &new.expected);
        }
        if let (Some(mut key), Some(comment)) = (cases.key_mut(&text), comment.take()) {
            key.leaf_decor_mut().set_prefix(comment);
        }
    }
}
