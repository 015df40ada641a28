//! The structure of trees in attributes: children and roots that exist, no cycles, votes at leaves.

use std::collections::HashMap;

use onnx_model::AttributeValue;

use crate::call::Call;
use crate::finding::{Outcome, Stop, known, parameter};

/// A child of a row: another row, or a leaf.
type Children = Vec<[Option<usize>; 2]>;

/// TreeEnsembleClassifier and TreeEnsembleRegressor: each row of the lists `nodes_*` is a node of a tree, or
/// a leaf, with an id.
pub(super) fn listed(call: &Call<'_, '_>, votes: &str) -> Outcome<()> {
    known(listed_nodes(call, votes)).map(drop)
}

fn listed_nodes(call: &Call<'_, '_>, votes: &str) -> Outcome<()> {
    let ints = |name: &str| call.ints(name).ok_or(Stop::Unknown);
    let (trees, ids) = (ints("nodes_treeids")?, ints("nodes_nodeids")?);
    let (yes, no) = (ints("nodes_truenodeids")?, ints("nodes_falsenodeids")?);
    let modes = match call.attribute("nodes_modes") {
        Some(AttributeValue::Strings(modes)) => modes,
        _ => return Err(Stop::Unknown),
    };
    if [trees.len(), yes.len(), no.len(), modes.len()] != [ids.len(); 4] {
        // Another rule says so.
        return Err(Stop::Unknown);
    }
    let mut rows = HashMap::with_capacity(ids.len());
    for (at, place) in trees.iter().copied().zip(ids.iter().copied()).enumerate() {
        if rows.insert(place, at).is_some() {
            return parameter(format!("tree {} has two nodes with id {}", place.0, place.1));
        }
    }
    let is_leaf = |at: usize| modes.get(at).is_some_and(|mode| mode == b"LEAF");
    let mut children: Children = Vec::with_capacity(ids.len());
    let mut is_child = vec![false; ids.len()];
    for (at, (((tree, id), yes), no)) in trees.iter().zip(&ids).zip(&yes).zip(&no).enumerate() {
        if is_leaf(at) {
            children.push([None, None]);
            continue;
        }
        let mut below = [None, None];
        for (child, place) in [yes, no].into_iter().zip(&mut below) {
            let Some(&row) = rows.get(&(*tree, *child)) else {
                return parameter(format!(
                    "node {id} of tree {tree} refers to node {child}, which does not exist"
                ));
            };
            if let Some(is_child) = is_child.get_mut(row) {
                *is_child = true;
            }
            *place = Some(row);
        }
        children.push(below);
    }
    acyclic(&children)?;
    let mut roots: HashMap<i64, usize> = HashMap::new();
    for (tree, is_child) in trees.iter().zip(&is_child) {
        *roots.entry(*tree).or_default() += usize::from(!is_child);
    }
    if let Some((tree, count)) = roots.iter().filter(|(_, count)| **count != 1).min() {
        return parameter(format!("tree {tree} has {count} roots"));
    }
    let (of_trees, of_nodes) = (
        ints(&format!("{votes}_treeids"))?,
        ints(&format!("{votes}_nodeids"))?,
    );
    for (tree, node) in of_trees.iter().zip(&of_nodes) {
        if !rows.get(&(*tree, *node)).is_some_and(|&at| is_leaf(at)) {
            return parameter(format!(
                "a vote is at node {node} of tree {tree}, which is not a leaf"
            ));
        }
    }
    Ok(())
}

/// TreeEnsemble: children are rows of `nodes_*` or of `leaf_*`.
pub(super) fn indexed(call: &Call<'_, '_>) -> Outcome<()> {
    known(indexed_nodes(call)).map(drop)
}

fn indexed_nodes(call: &Call<'_, '_>) -> Outcome<()> {
    let ints = |name: &str| call.ints(name).ok_or(Stop::Unknown);
    let (yes, no) = (ints("nodes_truenodeids")?, ints("nodes_falsenodeids")?);
    let (yes_leaves, no_leaves) = (ints("nodes_trueleafs")?, ints("nodes_falseleafs")?);
    let (roots, leaves) = (ints("tree_roots")?, ints("leaf_targetids")?);
    if [no.len(), yes_leaves.len(), no_leaves.len()] != [yes.len(); 3] {
        return Err(Stop::Unknown);
    }
    let within = |what: &str, at: i64, end: usize| match usize::try_from(at).ok().filter(|&at| at < end) {
        Some(at) => Ok(at),
        None => parameter(format!("{what} is {at}, outside of [0, {end})")),
    };
    let mut children: Children = vec![[None, None]; yes.len()];
    for (side, (ids, are_leaves)) in [(&yes, &yes_leaves), (&no, &no_leaves)].into_iter().enumerate() {
        for (at, (&id, &is_leaf)) in ids.iter().zip(are_leaves).enumerate() {
            let child = match is_leaf {
                0 => Some(within("a child", id, yes.len())?),
                _ => {
                    within("a leaf of a tree", id, leaves.len())?;
                    None
                }
            };
            if let Some(place) = children.get_mut(at).and_then(|pair| pair.get_mut(side)) {
                *place = child;
            }
        }
    }
    for root in roots {
        within("an entry of `tree_roots`", root, yes.len())?;
    }
    acyclic(&children)
}

/// No row is below itself: rows without parents are taken away until none is left.
fn acyclic(children: &Children) -> Outcome<()> {
    let mut parents = vec![0_usize; children.len()];
    for below in children.iter().flatten().flatten() {
        if let Some(count) = parents.get_mut(*below) {
            *count += 1;
        }
    }
    let mut free: Vec<usize> = (0..parents.len())
        .filter(|&at| parents.get(at) == Some(&0))
        .collect();
    let mut left = children.len();
    while let Some(at) = free.pop() {
        left -= 1;
        for &below in children.get(at).into_iter().flatten().flatten() {
            if let Some(count) = parents.get_mut(below) {
                *count -= 1;
                if *count == 0 {
                    free.push(below);
                }
            }
        }
    }
    match left {
        0 => Ok(()),
        _ => parameter("a tree has a cycle"),
    }
}

/// The targets or classes for which leaves vote exist.
pub(super) fn targets(call: &Call<'_, '_>, ids: &str, count: Option<i64>) -> Outcome<()> {
    let (Some(ids_given), Some(count)) = (call.ints(ids), count) else {
        return Ok(());
    };
    match ids_given.iter().find(|id| !(0..count).contains(*id)) {
        Some(id) => parameter(format!("`{ids}` has {id}, outside of [0, {count})")),
        None => Ok(()),
    }
}

/// The names of comparisons and of leaves.
pub(super) fn modes(call: &Call<'_, '_>) -> Outcome<()> {
    const MODES: [&[u8]; 7] = [
        b"BRANCH_LEQ",
        b"BRANCH_LT",
        b"BRANCH_GTE",
        b"BRANCH_GT",
        b"BRANCH_EQ",
        b"BRANCH_NEQ",
        b"LEAF",
    ];
    match call.attribute("nodes_modes") {
        Some(AttributeValue::Strings(modes)) => {
            match modes.iter().find(|mode| !MODES.contains(&mode.as_slice())) {
                Some(mode) => parameter(format!(
                    "`nodes_modes` has {:?}, which is no mode",
                    String::from_utf8_lossy(mode)
                )),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
