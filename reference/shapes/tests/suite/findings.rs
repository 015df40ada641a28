//! What inference says of broken nodes, also in bodies and functions.

use onnx_rejections::model;
use onnx_shapes::infer;

/// The first finding of a model.
fn finding(text: &str) -> String {
    infer(&model(text))
        .findings
        .first()
        .map_or_else(String::new, ToString::to_string)
}

#[track_caller]
fn check(text: &str, part: &str) {
    let found = finding(text);
    assert!(found.contains(part), "{found:?} does not say {part:?} of\n{text}");
}

#[test]
fn flags_are_0_or_1() {
    let reduce =
        |value: &str| format!("graph x:float[2,3] -> y:float[a]\ny = ReduceMax(x) axes=[1] keepdims={value}");
    check(&reduce("2"), "`keepdims` is 2, expected 0 or 1");
    assert_eq!(finding(&reduce("0")), "");
    let pool = |outputs: &str| {
        format!(
            "graph x:float[1,1,4] -> y:float[a,b,c] i:int64[a,b,c]\n{outputs} = MaxPool(x) kernel_shape=[2] storage_order=2"
        )
    };
    check(&pool("y, i"), "`storage_order` is 2");
    assert_eq!(finding(&pool("y")), "", "no indices, no order of them");
}

#[test]
fn real_numbers_have_a_meaning() {
    let normalized = |outputs: &str, attributes: &str| {
        format!(
            "model 8 \"\"=14\ngraph x:float[2,3] s:float[3] -> y:float[a,b]\n{outputs} = BatchNormalization(x, s, s, s, s) {attributes}"
        )
    };
    check(
        &normalized("y", "epsilon=-1.0"),
        "`epsilon` is -1, expected a number of at least 0",
    );
    check(
        &normalized("y, m, v", "momentum=1.5 training_mode=1"),
        "`momentum` is 1.5, expected 0 to 1",
    );
    assert_eq!(
        finding(&normalized("y", "epsilon=0.0 momentum=1.5")),
        "",
        "statistics are not updated"
    );
    check(
        "model 8 \"\"=22\ngraph x:float[1,1,4,4] r:float[1,5] -> y:float[a,b,c,d]\ny = MaxRoiPool(x, r) pooled_shape=[2,2] spatial_scale=0.0",
        "`spatial_scale` is 0, expected a number above 0",
    );
}

#[test]
fn scalars_lists_and_new_elements_are_what_the_operator_takes() {
    check(
        "model 8 \"\"=13\ngraph x:float[2,3] k:int64[] -> y:float[a,b] i:int64[a,b]\ny, i = TopK(x, k)",
        "`K` has rank 0, expected 1",
    );
    check(
        "model 8 \"\"=20\ngraph x:float[1,8,1] a:int64[1] -> y:float[a,b,c]\ny = DFT(x, -, a)",
        "`axis` has rank 1, expected 0 (a scalar)",
    );
    check(
        "model 8 \"\"=13\ngraph s:seq(float) t:int64[2] -> r:seq(float)\nr = SequenceInsert(s, t)",
        "elements of type tensor(float) and a new one of type tensor(int64) differ",
    );
}

#[test]
fn pads_remove_no_more_than_there_is() {
    let pad = |extent: &str, pads: &str| {
        format!("graph x:float[{extent}] -> y:float[a]\np = Constant() value_ints=[{pads}]\ny = Pad(x, p)")
    };
    for (extent, pads) in [("4", "-4,0"), ("4", "-2,-2"), ("4", "-1,9"), ("n", "-5,5")] {
        assert_eq!(finding(&pad(extent, pads)), "", "{pads} of {extent}");
    }
    for (pads, left) in [
        ("-5,5", "-1"),
        ("5,-5", "-1"),
        ("-3,-2", "-1"),
        ("-9223372036854775808,9223372036854775807", "-9223372036854775804"),
    ] {
        check(
            &pad("4", pads),
            &format!("what negative pads leave: {left} is less than 0"),
        );
    }
}

#[test]
fn trees_have_roots_and_leaves() {
    let forest = |ids: &str, modes: &str, yes: &str, no: &str, votes: &str| {
        format!(
            "model 8 ai.onnx.ml=3\ngraph x:float[2,3] -> y:float[a,b]\ny = ai.onnx.ml::TreeEnsembleRegressor(x) n_targets=2 \
             nodes_treeids=[0,0,0] nodes_nodeids=[{ids}] nodes_featureids=[0,0,0] nodes_values=[0.5,0.5,0.5] nodes_modes=[{modes}] \
             nodes_truenodeids=[{yes}] nodes_falsenodeids=[{no}] target_treeids=[0,0] target_nodeids=[{votes}] target_ids=[0,1] \
             target_weights=[1.0,2.0]"
        )
    };
    let (branch, stump) = ("BRANCH_LEQ", "BRANCH_LEQ,LEAF,LEAF");
    assert_eq!(finding(&forest("0,1,2", stump, "1,0,0", "2,0,0", "1,2")), "");
    check(
        &forest("0,1,2", stump, "7,0,0", "2,0,0", "1,2"),
        "node 0 of tree 0 refers to node 7, which does not exist",
    );
    check(
        &forest("0,1,1", stump, "1,0,0", "1,0,0", "1,1"),
        "tree 0 has two nodes with id 1",
    );
    check(
        &forest("0,1,2", stump, "1,0,0", "2,0,0", "0,2"),
        "a vote is at node 0 of tree 0, which is not a leaf",
    );
    check(
        &forest(
            "0,1,2",
            &format!("{branch},{branch},LEAF"),
            "1,0,0",
            "2,2,0",
            "2,2",
        ),
        "a tree has a cycle",
    );
    check(
        &forest("0,1,2", stump, "1,0,0", "1,0,0", "1,2"),
        "tree 0 has 2 roots",
    );
    check(
        &forest("0,1,2", "BRANCH,LEAF,LEAF", "1,0,0", "2,0,0", "1,2"),
        "\"BRANCH\", which is no mode",
    );
}

#[test]
fn lists_that_belong_together_are_equally_long() {
    check(
        "model 8 ai.onnx.ml=3\ngraph x:float[2,3] -> y:float[a,b]\ny = ai.onnx.ml::TreeEnsembleRegressor(x) n_targets=1 \
         nodes_treeids=[0,0] nodes_nodeids=[0]",
        "`nodes_nodeids` has 1 entries, but `nodes_treeids` has 2",
    );
    check(
        "model 8 ai.onnx.ml=1\ngraph x:float[2,3] -> y:float[a,b]\ny = ai.onnx.ml::FeatureVectorizer(x) inputdimensions=[3,1]",
        "`inputdimensions` has 2 entries for 1 inputs",
    );
}

#[test]
fn scales_and_zero_points_fit() {
    let product = |zero: &str| {
        format!("graph a:uint8[2,3] b:uint8[3,4] z:uint8[{zero}] -> y:int32[m,n]\ny = MatMulInteger(a, b, z)")
    };
    check(
        &product("3"),
        "elements of a scale or zero point and rows or columns, 3 and 2 differ",
    );
    for fits in ["", "1", "2", "2,1"] {
        assert_eq!(finding(&product(fits)), "", "{fits}");
    }
    let convolution = |zero: &str| {
        format!(
            "graph x:uint8[1,2,4] w:uint8[3,2,2] p:uint8[] z:uint8[{zero}] -> y:int32[a,b,c]\ny = ConvInteger(x, w, p, z)"
        )
    };
    check(
        &convolution("2"),
        "scales or zero points and filters, 2 and 3 differ",
    );
    assert_eq!(finding(&convolution("3")), "");
}

#[test]
fn values_of_attributes_and_conditions_fit() {
    check(
        "graph s:int64[2] -> y:float[a,b]\nv = Constant() value_floats=[1.0,2.0]\nc = Constant() value_ints=[4]\ny = Compress(v, d)\n\
         d = Cast(e) to=9\ne = Constant() value_ints=[1,0,1]",
        "the extent of what a condition selects from: 2 is less than 3",
    );
    check(
        "graph x:float[4,3] l:int64[4] -> y:float[a,b]\ny = ReverseSequence(x, l) time_axis=1 batch_axis=1",
        "`batch_axis` 1 and `time_axis` 1 must be 0 and 1",
    );
}

#[test]
fn values_of_inputs_and_initializers_are_as_declared() {
    let add = |info: &str| {
        format!("graph x:float[4,2] -> y:float[a,b]\ninit w float 2\ninfo {info}\ny = Add(x, w)")
    };
    check(
        &add("x:float[4,3]"),
        "value `x` is declared as [4, 3], but is [4, 2]",
    );
    check(
        &add("w:float[1,2]"),
        "value `w` is declared as [1, 2], but is [2]",
    );
    assert_eq!(finding(&add("w:float[2]")), "");
    assert_eq!(finding(&add("x:float[n,2]")), "");
}

#[test]
fn attributes_and_operands_that_exclude_each_other() {
    let conv = |attributes: &str| {
        format!("graph x:float[1,1,5] w:float[1,1,2] -> y:float[a,b,c]\ny = Conv(x, w) {attributes}")
    };
    check(
        &conv("auto_pad=VALID pads=[1,1]"),
        "`auto_pad` and `pads` are mutually exclusive",
    );
    assert_eq!(finding(&conv("auto_pad=VALID pads=[0,0]")), "");
    let resize = |operands: &str| {
        format!("graph x:float[1,4] s:float[2] n:int64[2] e:float[0] -> y:float[a,b]\ny = Resize({operands})")
    };
    check(&resize("x, e, s, n"), "both scales and sizes are given");
    assert_eq!(finding(&resize("x, e, e, n")), "");
}

#[test]
fn shapes_and_axes_are_lists() {
    for (node, name) in [
        ("Reshape(x, i)", "shape"),
        ("ConstantOfShape(i)", "input"),
        ("Slice(x, i, l)", "starts"),
        ("Slice(x, l, l, l, i)", "steps"),
        ("ReduceSum(x, i)", "axes"),
        ("ReduceMax(x, i)", "axes"),
    ] {
        let graph = |node: &str| {
            format!("model 8 \"\"=18\ngraph x:float[4] i:int64[] l:int64[1] -> y:float[a]\ny = {node}")
        };
        check(&graph(node), &format!("`{name}` has rank 0, expected 1"));
        assert_eq!(
            finding(&graph(&node.replace("i)", "l)").replace("i,", "l,"))),
            "",
            "{node}"
        );
    }
}

#[test]
fn bounds_and_sizes_are_scalars() {
    let range =
        |limit: &str| format!("graph s:int64[] l:int64{limit} d:int64[] -> y:int64[a]\ny = Range(s, l, d)");
    check(&range("[1,1]"), "`limit` has rank 2, expected 0 (a scalar)");
    assert_eq!(finding(&range("[1]")), "", "as in the body of AffineGrid-20");
    check(
        "model 8 \"\"=17\ngraph s:int64[1] -> y:float[a]\ny = HannWindow(s)",
        "`size` has rank 1, expected 0 (a scalar)",
    );
    let one_hot = |depth: &str| {
        format!(
            "graph i:int64[3] v:float[2] -> y:float[a,b]\nd = Constant() value_int={depth}\ny = OneHot(i, d, v)"
        )
    };
    check(&one_hot("-6"), "`depth` is -6, expected at least 0");
    assert_eq!(finding(&one_hot("6")), "");
}

#[test]
fn bodies_and_functions_are_held_to_the_same() {
    let branch = |node: &str, declared: &str| {
        format!(
            "graph c:bool[] x:float[2,3] -> y:float*\nbody t -> p:float{declared}\n{node}\nend\nbody e -> q:float*\nq = Identity(x)\nend\n\
             y = If(c) then_branch={{t}} else_branch={{e}}"
        )
    };
    check(
        &branch("p = Softmax(x) axis=2", "*"),
        "axis 2 is outside of rank 2",
    );
    check(&branch("p = Relu(x)", "[2,4]"), "extent 1 is 3, not 4");
    assert_eq!(finding(&branch("p = Relu(x)", "[2,3]")), "");
    check(
        "model 8 \"\"=13 d=1\ngraph x:float[2,3] -> y:float[a,b]\nfunction d.f(x) \"\"=13 -> y\ny = Concat(x, x) axis=2\nend\ny = d::f(x)",
        "axis 2 is outside of rank 2",
    );
}

#[test]
fn operators_of_the_runtime_are_held_to_their_texts() {
    let own = |graph: &str| format!("model 8 \"\"=13 com.microsoft=1\n{graph}");
    check(
        &own(
            "graph x:float[2,3,8] s:float[2,3,8] g:float[7] -> y:float[a,b,c]\ny = com.microsoft::SkipSimplifiedLayerNormalization(x, s, g)",
        ),
        "elements of a parameter and of the last axis, 7 and 8 differ",
    );
    check(
        &own(
            "graph a:float[2,32] b:uint8[4,1,16] s:float[5] -> y:float[m,n]\ny = com.microsoft::MatMulNBits(a, b, s) K=32 N=4 block_size=32",
        ),
        "`scales` has 5 elements, expected 4 × 1",
    );
    check(
        &own(
            "graph a:float[2,4] b:float[4,3] -> y:float[m,n]\ny = com.microsoft::FusedMatMul(a, b) transA=1",
        ),
        "inner extents 2 and 4 differ",
    );
}
