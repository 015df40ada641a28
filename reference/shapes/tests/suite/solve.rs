//! Extents and indices that fit a model.

use std::collections::BTreeMap;

use onnx_rejections::model;
use onnx_shapes::{Unsolved, Wishes, infer, solve};

/// The extents of the inputs and the bounds of indices of a model, as text.
fn solved(text: &str, given: &[(&str, usize, i64)]) -> Result<String, Unsolved> {
    let model = model(text);
    let wishes = Wishes {
        given: given
            .iter()
            .map(|(name, axis, extent)| ((*name).to_owned(), *axis, *extent))
            .collect(),
        preferred: BTreeMap::new(),
    };
    let solution = solve(&model, &infer(&model), &wishes)?;
    let mut words: Vec<String> = solution
        .extents
        .iter()
        .map(|(name, extents)| format!("{name}{extents:?}"))
        .collect();
    words.extend(
        solution
            .indices
            .iter()
            .map(|(name, (least, end))| format!("{name} in [{least}, {end})")),
    );
    for (name, elements) in &solution.elements {
        let decided = elements.iter().flatten().collect::<Vec<_>>();
        if !decided.is_empty() {
            words.push(format!("{name} = {decided:?}"));
        }
    }
    Ok(words.join(" "))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(solved(text, &[]).as_deref(), Ok(expected), "{text}");
}

#[test]
fn weights_and_concatenations_fix_extents() {
    check(
        "graph x:float[n,k] w:float[7,5] -> y:float[a,b]\ny = MatMul(x, w)",
        "w[7, 5] x[4, 7]",
    );
    check(
        "graph x:float[n,k] s:float[m,3] w:float[10,5] -> y:float[a,b]\nc = Concat(x, s) axis=1\ny = MatMul(c, w)",
        "s[4, 3] w[10, 5] x[4, 7]",
    );
    check(
        "graph x:float[a,b] s:float[c,d] -> y:float[e,f]\ny = Concat(x, s) axis=0",
        "s[4, 4] x[4, 4]",
    );
}

/// An image without a patch has one position, which broadcasts with all.
#[test]
fn patches_are_as_many_as_positions() {
    let text = "graph x:float[1,3,h,w] k:float[4,3,8,8] p:float[1,5,4] -> y:float[a,b,c]\n\
        f = Conv(x, k) strides=[8,8]\ns = Constant() value_ints=[1,4,-1]\nr = Reshape(f, s)\n\
        t = Transpose(r) perm=[0,2,1]\nq = Constant() value_ints=[1,1,4]\nz = ConstantOfShape(q)\n\
        u = Concat(z, t) axis=1\ny = Add(u, p)";
    let model = model(text);
    let preferred = [(("x".to_owned(), 2), 96), (("x".to_owned(), 3), 128)];
    let wishes = Wishes {
        given: Vec::new(),
        preferred: preferred.into(),
    };
    let solution = solve(&model, &infer(&model), &wishes).expect("a solution");
    let extents = &solution.extents["x"];
    assert_eq!((extents[2] / 8) * (extents[3] / 8), 4, "{extents:?}");
}

#[test]
fn reshapes_and_splits_need_multiples() {
    check(
        "graph x:float[n,c,3] -> y:float[d,e]\ns = Constant() value_ints=[-1,8]\ny = Reshape(x, s)",
        "x[4, 4, 3]",
    );
    check(
        "graph x:float[1,c,3] -> y:float[d,e]\ns = Constant() value_ints=[-1,8]\ny = Reshape(x, s)",
        "x[1, 8, 3]",
    );
    check(
        "graph x:float[c] -> y:float[d] z:float[e] v:float[f]\ny, z, v = Split(x) axis=0",
        "x[6]",
    );
}

/// The wishes are those of a caller whose names suggest 16 tokens in all, and one node or step.
#[test]
fn nothing_is_so_small_that_a_mistake_would_not_show() {
    let check = |text: &str, wished: &[(&str, usize, i64)], expected: &[(&str, &[i64])]| {
        let model = model(text);
        let wishes = Wishes {
            preferred: wished
                .iter()
                .map(|(name, axis, extent)| (((*name).to_owned(), *axis), *extent))
                .collect(),
            ..Wishes::default()
        };
        let solution = solve(&model, &infer(&model), &wishes).expect("a solution");
        for (name, extents) in expected {
            assert_eq!(solution.extents[*name], *extents, "{name} of {text}");
        }
    };
    // A mask over a past and new tokens, which nothing but the addition connects.
    check(
        "graph x:float[seq,8] mask:float[total] past:float[p,8] -> y:float[a,b]\n\
         c = Concat(past, x) axis=0\nt = Transpose(c) perm=[1,0]\ny = Add(t, mask)",
        &[("x", 0, 16), ("mask", 0, 16), ("past", 0, 16)],
        &[("x", &[16, 8]), ("past", &[4, 8]), ("mask", &[20])],
    );
    // Rows that indices choose.
    check(
        "graph x:float[nodes,6] i:int64[edges] -> y:float[a,b]\ny = Gather(x, i)",
        &[("x", 0, 1), ("i", 0, 16)],
        &[("x", &[4, 6]), ("i", &[16])],
    );
    // Steps of a recurrence.
    check(
        "graph x:float[t,b,3] w:float[1,8,3] r:float[1,8,2] -> y:float[c,d,e,f]\n\
         y = LSTM(x, w, r) hidden_size=2",
        &[("x", 0, 1), ("x", 1, 1)],
        &[("x", &[4, 1, 3])],
    );
}

#[test]
fn windows_have_a_least_extent() {
    check(
        "graph x:float[n,2,h,w] f:float[8,2,9,1] -> y:float[a,b,c,d]\ny = Conv(x, f)",
        "f[8, 2, 9, 1] x[4, 2, 9, 4]",
    );
    check(
        "graph x:float[n,2,h] f:float[2,2,3] -> y:float[a,b,c]\np = Conv(x, f) strides=[2]\nq = Conv(p, f) strides=[2]\n\
         y = Conv(q, f) strides=[2]",
        "f[2, 2, 3] x[4, 2, 15]",
    );
}

#[test]
fn predictors_fix_the_number_of_features() {
    let check = |call: &str, expected: &str| {
        let text = format!("model 8 ai.onnx.ml=5\ngraph x:float[n,f] -> y:float\ny = ai.onnx.ml::{call}");
        self::check(&text, expected);
    };
    check("Scaler(x) offset=[1.0,2.0,3.0] scale=[1.0,2.0,3.0]", "x[4, 3]");
    check("Scaler(x) offset=[1.0] scale=[1.0]", "x[4, 4]");
    check("Imputer(x) imputed_value_floats=[1.0,2.0]", "x[4, 2]");
    check(
        "LinearRegressor(x) targets=2 coefficients=[1.0,2.0,3.0,4.0,5.0,6.0]",
        "x[4, 3]",
    );
    check("SVMRegressor(x) coefficients=[1.0,2.0,3.0] rho=[0.5]", "x[4, 3]");
    check(
        "SVMRegressor(x) n_supports=2 coefficients=[1.0,2.0] rho=[0.5] support_vectors=[1.0,2.0,3.0,4.0,5.0,6.0]",
        "x[4, 3]",
    );
    check(
        "TreeEnsembleRegressor(x) n_targets=1 nodes_featureids=[6,9] nodes_modes=[BRANCH_LEQ,LEAF]",
        "x[4, 7]",
    );
    for (classes, expected) in [("1,2,3", "x[4, 2]"), ("1,2", "x[4, 6]")] {
        let text = format!(
            "model 8 ai.onnx.ml=5\ngraph x:float[n,f] -> l:int64 y:float\nl, y = ai.onnx.ml::LinearClassifier(x) \
             classlabels_ints=[{classes}] coefficients=[1.0,2.0,3.0,4.0,5.0,6.0]"
        );
        self::check(&text, expected);
    }
}

#[test]
fn a_constant_offset_fixes_the_windows_of_a_deformed_convolution() {
    check(
        "model 9 \"\"=19\ngraph x:float[1,1,h,w] k:float[1,1,2,2] -> y:float[a,b,c,d]\ns = Constant() value_ints=[1,8,3,4]\n\
         o = ConstantOfShape(s)\ny = DeformConv(x, k, o)",
        "k[1, 1, 2, 2] x[1, 1, 4, 5]",
    );
}

#[test]
fn indices_are_below_the_extent_of_what_they_index() {
    check(
        "graph t:float[30,4] i:int64[n,m] -> y:float[a,b,c]\nc = Cast(i) to=6\ny = Gather(t, c) axis=0",
        "i[4, 4] t[30, 4] i in [-30, 30)",
    );
    check(
        "graph t:float[r,4] i:int64[n] -> y:float[a,b]\ny = Gather(t, i) axis=0",
        "i[4] t[4, 4] i in [-4, 4)",
    );
}

#[test]
fn constant_indices_demand_an_extent() {
    let indices = |numbers: &str| format!("i = Constant() value_ints=[{numbers}]\n");
    for (numbers, expected) in [("2,7", "x[8]"), ("-9,0", "x[9]"), ("1,3", "x[4]")] {
        let text = format!(
            "graph x:float[n] -> y:float[a]\n{}y = Gather(x, i)",
            indices(numbers)
        );
        check(&text, expected);
    }
    let tuples = "s = Constant() value_ints=[2,2]\nt = Reshape(i, s)\n";
    check(
        &format!(
            "graph x:float[n,m] -> y:float[a]\n{}{tuples}y = GatherND(x, t)",
            indices("5,0,1,-7")
        ),
        "x[6, 7]",
    );
    check(
        &format!(
            "graph x:float[n,m] u:float[2] -> y:float[a,b]\n{}{tuples}y = ScatterND(x, t, u)",
            indices("5,0,1,-7")
        ),
        "u[2] x[6, 7]",
    );
}

#[test]
fn what_pads_repeat_is_there() {
    for (mode, expected) in [("reflect", 7), ("wrap", 6), ("edge", 4), ("constant", 4)] {
        let text = format!(
            "model 9 \"\"=19\ngraph x:float[n] -> y:float[a]\np = Constant() value_ints=[2,6]\ny = Pad(x, p) mode={mode}"
        );
        check(&text, &format!("x[{expected}]"));
    }
}

/// Pads as PyTorch writes them in convolutions with `padding_mode="circular"`.
#[test]
fn circular_pads_of_many_layers_are_followed() {
    let mut text = "graph x0:float[1,1,n] k:float[1,1,3] -> x6:float[a,b,c]\nz = Constant() value_ints=[0]\n\
        o = Constant() value_ints=[1]\nt = Constant() value_ints=[2]\nm = Constant() value_ints=[9223372036854775807]\n"
        .to_owned();
    for layer in 0..6 {
        let (pad, next) = (1 << layer, layer + 1);
        text += &format!(
            "p{layer} = Constant() value_ints=[{pad}]\nn{layer} = Constant() value_ints=[-{pad}]\n\
             a{layer} = Slice(x{layer}, n{layer}, m, t, o)\nb{layer} = Slice(x{layer}, z, p{layer}, t, o)\n\
             c{layer} = Concat(a{layer}, x{layer}, b{layer}) axis=2\nd{layer} = Conv(c{layer}, k) dilations=[{pad}]\n\
             x{next} = Add(d{layer}, x{layer})\n"
        );
    }
    check(&text, "k[1, 1, 3] x0[1, 1, 32]");
}

#[test]
fn a_loop_keeps_the_extents_that_its_body_demands() {
    let model = model(
        "graph m:int64[] c:bool[] x:float[n,k] w:float[5,5] -> y:float*\nbody b i:int64[] t:bool[] s:float* -> u:bool[] r:float*\n\
         u = Identity(t)\nr = MatMul(s, w)\nend\ny = Loop(m, c, x) body={b}",
    );
    let mut inference = infer(&model);
    let shape = inference.shape("y").expect("a rank");
    let texts: Vec<String> = shape
        .iter()
        .map(|extent| inference.symbols.text(extent))
        .collect();
    assert_eq!(texts, ["n", "k"]);
}

#[test]
fn counted_indices_are_below_the_extent_of_a_table() {
    let counted = |limit: &str| {
        format!(
            "graph x:float[n] t:float[3,5] -> y:float[a,b]\nz = Constant() value_int=0\no = Constant() value_int=1\n\
             s = Shape(x)\nl = Squeeze(s)\n{limit}r = Range(z, m, o)\na = Unsqueeze(r, v)\ny = Gather(t, a)"
        )
    };
    let axes = "v = Constant() value_ints=[0]\n";
    check(&counted(&format!("{axes}m = Identity(l)\n")), "t[3, 5] x[3]");
    check(&counted(&format!("{axes}m = Add(l, o)\n")), "t[3, 5] x[2]");
}

#[test]
fn given_extents_win_or_are_refused() {
    let text = "graph x:float[n,k] w:float[7,5] -> y:float[a,b]\ny = MatMul(x, w)";
    assert_eq!(solved(text, &[("x", 0, 2)]).as_deref(), Ok("w[7, 5] x[2, 7]"));
    let refused = solved(text, &[("x", 1, 6)]).expect_err("7 rows").to_string();
    assert!(
        refused.contains("extent 1 of input `x` cannot be 6: it is 7"),
        "{refused}"
    );
}

/// What is declared of other values holds where nothing contradicts it, but for one row of an output.
#[test]
fn declared_outputs_choose_extents() {
    let text = |shape: &str| format!("graph x:float[?,?] -> y:float{shape}\ny = Relu(x)");
    check(&text("[7,9]"), "x[7, 9]");
    check(&text("[1,9]"), "x[4, 9]");
    assert_eq!(solved(&text("[7,9]"), &[("x", 0, 2)]).as_deref(), Ok("x[2, 9]"));
}

#[test]
fn elements_of_a_shape_are_chosen() {
    check(
        "graph x:float[n] k:int64[1] -> v:float[a] i:int64[b]\nv, i = TopK(x, k)",
        "k[1] x[4] k = [1]",
    );
}

#[test]
fn bodies_have_conditions_too() {
    check(
        "graph c:bool[1] x:float[n,k] w:float[7,5] -> y:float[a,b]\nbody t -> p:float[a,b]\np = MatMul(x, w)\nend\n\
         body e -> q:float[a,b]\nq = Identity(w)\nend\ny = If(c) then_branch={t} else_branch={e}",
        "c[1] w[7, 5] x[4, 7]",
    );
}

#[test]
fn nothing_is_empty_in_what_runs() {
    let convolution = "y = Conv(x, f)";
    let inside = [
        format!("function d.g(x, f) \"\"=13 -> y\n{convolution}\nend\ny = d::g(x, f)"),
        "body t -> p:float[a,b,c]\np = Conv(x, f)\nend\nbody e -> q:float[a,b,c]\nq = Identity(x)\nend\n\
         c = Constant() value_int=1\nd = Cast(c) to=9\ny = If(d) then_branch={t} else_branch={e}"
            .to_owned(),
    ];
    for nodes in inside {
        let text =
            format!("model 8 \"\"=13 d=1\ngraph x:float[1,2,n] f:float[2,2,9] -> y:float[a,b,c]\n{nodes}");
        check(&text, "f[2, 2, 9] x[1, 2, 9]");
    }
}

/// Pads as PyTorch writes them: filled up, reversed as pairs, and turned into begins and ends.
#[test]
fn computed_pads_are_followed() {
    let pads = "p = Constant() value_ints=[1,2,0,0,0,0]\nw = Constant() value_ints=[-1,2]\nm = Reshape(p, w)\n\
        s = Constant() value_ints=[-1]\ne = Constant() value_ints=[-9223372036854775807]\nz = Constant() value_ints=[0]\n\
        r = Slice(m, s, e, z, s)\nt = Transpose(r) perm=[1,0]\nf = Reshape(t, s)\nq = Pad(x, f)";
    check(
        &format!("graph x:float[1,2,n] k:float[2,2,9] -> y:float[a,b,c]\n{pads}\ny = Conv(q, k)"),
        "k[2, 2, 9] x[1, 2, 6]",
    );
}
