//! Ensembles of trees: two trees of three leaves each, every one with two comparisons.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::Declaration;
use super::learned::{class_labels, features, ml, weights};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    ml("TreeEnsemble", ensemble),
    ml("TreeEnsembleClassifier", |d| {
        let classes = 2 + d.draws.below(2);
        class_labels(d, "classlabels_int64s", classes)?;
        listed(d, "class", classes)
    }),
    ml("TreeEnsembleRegressor", |d| {
        let targets = 1 + d.draws.below(2);
        d.int("n_targets", targets as i64);
        d.mode("aggregate_function");
        listed(d, "target", targets)
    }),
];

const COMPARISONS: [&str; 6] = [
    "BRANCH_LEQ",
    "BRANCH_LT",
    "BRANCH_GTE",
    "BRANCH_GT",
    "BRANCH_EQ",
    "BRANCH_NEQ",
];

/// Nodes as lists: 0 branches to 1 and 2, 1 to the leaves 3 and 4; 2 is a leaf.
fn listed(d: &mut Draft, kind: &str, ids: usize) -> Made {
    d.mode("post_transform");
    let mode = d.pick("comparison", &COMPARISONS);
    let columns = features(d, Domain::whole(-3.0, 3.0))?;
    let tree = [mode, mode, "LEAF", "LEAF", "LEAF"];
    d.texts("nodes_modes", &tree.repeat(2));
    d.ints("nodes_treeids", &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    d.ints("nodes_nodeids", &[0, 1, 2, 3, 4].repeat(2));
    d.ints("nodes_truenodeids", &[1, 3, 0, 0, 0].repeat(2));
    d.ints("nodes_falsenodeids", &[2, 4, 0, 0, 0].repeat(2));
    let used: Vec<i64> = (0..10).map(|_| d.draws.below(columns) as i64).collect();
    d.ints("nodes_featureids", &used);
    let splits: Vec<f32> = (0..10).map(|_| d.draws.between(-2, 2) as f32).collect();
    let doubles = d.has("nodes_values_as_tensor") && d.input_dtype(0)? == onnx_tensor::DType::Double;
    let tensor =
        |values: &[f32]| Tensor::vector(values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>());
    if doubles {
        d.attribute("nodes_values_as_tensor", AttributeValue::Tensor(tensor(&splits)));
    } else {
        d.floats("nodes_values", &splits);
    }
    if d.whether("missing values") {
        d.ints("nodes_missing_value_tracks_true", &[1, 0, 0, 0, 0].repeat(2));
    }
    d.ints(&format!("{kind}_treeids"), &[0, 0, 0, 1, 1, 1]);
    d.ints(&format!("{kind}_nodeids"), &[2, 3, 4].repeat(2));
    let ids: Vec<i64> = (0..6).map(|number| (number % ids) as i64).collect();
    d.ints(&format!("{kind}_ids"), &ids);
    let values: Vec<f32> = (0..6).map(|_| d.draws.between(-16, 16) as f32 / 8.0).collect();
    if doubles {
        d.attribute(
            &format!("{kind}_weights_as_tensor"),
            AttributeValue::Tensor(tensor(&values)),
        );
    } else {
        d.floats(&format!("{kind}_weights"), &values);
    }
    let count = ids.iter().max().map_or(1, |most| *most as usize + 1);
    if !doubles && d.whether("base values") {
        weights(d, "base_values", count);
    }
    Ok(())
}

/// Branches and leaves in lists of their own.
fn ensemble(d: &mut Draft) -> Made {
    let dtype = d.dtype("T")?;
    d.mode("post_transform");
    d.mode("aggregate_function");
    let mode = d
        .pick("comparison", &["0", "1", "2", "3", "4", "5"])
        .parse::<u8>()
        .unwrap_or(0);
    let columns = features(d, Domain::whole(-3.0, 3.0))?;
    let targets = 1 + d.draws.below(3) as i64;
    d.int("n_targets", targets);
    // Tree 0 has the branches 0 and 1, tree 1 the branches 2 and 3.
    d.ints("tree_roots", &[0, 2]);
    let used: Vec<i64> = (0..4).map(|_| d.draws.below(columns) as i64).collect();
    d.ints("nodes_featureids", &used);
    d.attribute(
        "nodes_modes",
        AttributeValue::Tensor(Tensor::vector(vec![mode; 4])),
    );
    let splits: Vec<i64> = (0..4).map(|_| d.draws.between(-2, 2)).collect();
    d.attribute(
        "nodes_splits",
        AttributeValue::Tensor(crate::whole(dtype, &[4], &splits)?),
    );
    d.ints("nodes_truenodeids", &[1, 0, 3, 3]);
    d.ints("nodes_trueleafs", &[0, 1, 0, 1]);
    d.ints("nodes_falsenodeids", &[1, 2, 4, 5]);
    d.ints("nodes_falseleafs", &[1, 1, 1, 1]);
    let ids: Vec<i64> = (0..6).map(|number| number % targets).collect();
    d.ints("leaf_targetids", &ids);
    let values: Vec<i64> = (0..6).map(|_| d.draws.between(-4, 4)).collect();
    d.attribute(
        "leaf_weights",
        AttributeValue::Tensor(crate::whole(dtype, &[6], &values)?),
    );
    Ok(())
}
