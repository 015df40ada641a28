//! Attributes of which a node needs one or all, and numbers that have a meaning only within bounds.

use std::sync::Arc;

use onnx_model::{AttributeKind, AttributeValue};
use onnx_rejections::model;
use onnx_shapes::infer;

/// A node with its inputs and outputs: right with `right`, and broken as `part` says with each of the others.
#[track_caller]
fn check(graph: &str, node: &str, right: &str, wrong: &[(&str, &str)]) {
    let finding = |attributes: &str| {
        let text =
            format!("model 11 \"\"=24 ai.onnx.ml=5 com.microsoft=1\ngraph {graph}\n{node} {attributes}");
        let found = infer(&model(&text)).findings;
        found.first().map_or_else(String::new, ToString::to_string)
    };
    assert_eq!(finding(right), "", "{node} {right}");
    for (attributes, part) in wrong {
        let found = finding(attributes);
        assert!(
            found.contains(part),
            "{node} {attributes}\n{found:?} does not say {part:?}"
        );
    }
}

/// Operators with labels: their outputs, other attributes, and the name of the integer labels.
const LABELLED: &[(&str, &str, &str, &str)] = &[
    (
        "LinearClassifier",
        "y:int64[2] z:float[2,2]",
        "coefficients=[1.0,2.0,3.0,4.0]",
        "classlabels_ints",
    ),
    (
        "SVMClassifier",
        "y:int64[2] z:float[2,2]",
        "coefficients=[1.0,2.0,3.0,4.0]",
        "classlabels_ints",
    ),
    (
        "TreeEnsembleClassifier",
        "y:int64[2] z:float[2,2]",
        "",
        "classlabels_int64s",
    ),
    ("ZipMap", "y:seq(map(int64,float))", "", "classlabels_int64s"),
];

/// The names of outputs, as a node lists them.
fn outputs(declared: &str) -> String {
    let names = declared.split(' ').filter_map(|output| output.split(':').next());
    names.collect::<Vec<_>>().join(", ")
}

#[test]
fn exactly_one_list_is_given() {
    check(
        "x:string[3] -> y:int64[3]",
        "y = ai.onnx.ml::LabelEncoder(x)",
        "keys_strings=[a,b] values_int64s=[1,2]",
        &[
            ("values_int64s=[1,2]", "one of `keys_strings`, "),
            (
                "keys_strings=[a] values_int64s=[1] values_floats=[0.5]",
                "only one of `values_strings`, ",
            ),
            (
                "keys_floats=[0.5] values_int64s=[1]",
                "`keys_floats` is for elements of type float, but the input has string",
            ),
        ],
    );
    check(
        "x:int64[3] -> y:float[3,2]",
        "y = ai.onnx.ml::OneHotEncoder(x)",
        "cats_int64s=[1,2] cats_strings=[]",
        &[
            ("", "one of `cats_int64s`, `cats_strings` must be set"),
            ("cats_int64s=[1,2] cats_strings=[a]", "only one of"),
        ],
    );
    for (operator, output, attributes, labels) in LABELLED {
        let right = format!("{attributes} {labels}=[1,2] classlabels_strings=[]");
        let wrong = ["", "=[]", "=[1,2] classlabels_strings=[a,b]"].map(|given| match given {
            "" => (*attributes).to_owned(),
            given => format!("{attributes} {labels}{given}"),
        });
        let one = format!("one of `{labels}`, `classlabels_strings` m");
        check(
            &format!("x:float[2,2] -> {output}"),
            &format!("{} = ai.onnx.ml::{operator}(x)", outputs(output)),
            &right,
            &wrong.each_ref().map(|wrong| (wrong.as_str(), one.as_str())),
        );
    }
    check(
        "x:string[3] -> y:int64[3]",
        "y = ai.onnx.ml::LabelEncoder(x)",
        "keys_strings=[] values_int64s=[]",
        &[],
    );
    check(
        "x:string[3] -> y:int64[3]",
        "y = ai.onnx.ml::CategoryMapper(x)",
        "cats_strings=[a] cats_int64s=[1]",
        &[("cats_strings=[a]", "`cats_int64s` is not set")],
    );
    check(
        "x:float[2,3] -> y:float[2,1]",
        "y = ai.onnx.ml::LinearRegressor(x)",
        "coefficients=[1.0,2.0,3.0]",
        &[("targets=1", "`coefficients` is not set")],
    );
}

#[test]
fn numbers_have_bounds() {
    let normal = "x:float[1,4,2,2] -> y:float[1,4,2,2]";
    check(
        normal,
        "y = LRN(x)",
        "size=2",
        &[("size=0", "`size` is 0, expected at least 1")],
    );
    check(
        normal,
        "y = LpNormalization(x)",
        "p=1",
        &[("p=3", "`p` is 3, expected 1 to 2")],
    );
    check(
        "x:float[1,2,8,8] r:float[3,4] b:int64[3] -> y:float[3,2,1,1]",
        "y = RoiAlign(x, r, b)",
        "",
        &[("sampling_ratio=-1", "`sampling_ratio` is -1, expected at least 0")],
    );
    check(
        "x:float[2,3] i:int64[2,1] -> y:float[2]",
        "y = GatherND(x, i)",
        "batch_dims=1",
        &[("batch_dims=-1", "`batch_dims` is -1")],
    );
    check(
        "x:float[1,2,5,5] g:float[1,3,3,2] -> y:float[1,2,3,3]",
        "y = GridSample(x, g)",
        "mode=linear",
        &[(
            "mode=bilinear",
            "`mode` is `bilinear`, which version 20 calls `linear`",
        )],
    );
    check(
        "x:float[2,3] z:float[4,3] -> y:float[2,4]",
        "y = com.microsoft::CDist(x, z)",
        "metric=euclidean",
        &[(
            "metric=manhattan",
            "`metric` is `manhattan`, expected one of euclidean, sqeuclidean",
        )],
    );
}

#[test]
fn gates_have_as_many_functions_as_the_text_says() {
    let gru = "x:float[5,2,3] w:float[1,12,3] r:float[1,12,4] -> y:float[5,1,2,4]";
    check(
        gru,
        "y = GRU(x, w, r)",
        "hidden_size=4 activations=[Sigmoid,tanh]",
        &[
            (
                "hidden_size=4 activations=[Sigmoid]",
                "`activations` has 1 functions, expected 2",
            ),
            (
                "hidden_size=4 activations=[Sigmoid,Tanhh]",
                "\"Tanhh\", which is no function",
            ),
            (
                "hidden_size=4 clip=-1.5",
                "`clip` is -1.5, expected a number of at least 0",
            ),
        ],
    );
}

#[test]
fn parts_of_models_fit_each_other() {
    let grams = "x:int64[5] -> y:float[3]";
    let attributes = |counts: &str, indexes: &str, least: &str| {
        format!(
            "mode=TF min_gram_length={least} max_gram_length=2 max_skip_count=0 ngram_counts={counts} ngram_indexes={indexes} pool_int64s=[1,2,3,4]"
        )
    };
    check(
        grams,
        "y = TfIdfVectorizer(x)",
        &attributes("[0,2]", "[0,1,2]", "1"),
        &[
            (
                &attributes("[0,9]", "[0,1,2]", "1"),
                "`ngram_counts` has 9, outside of a pool of 4",
            ),
            (
                &attributes("[2,0]", "[0,1,2]", "1"),
                "`ngram_counts` does not ascend",
            ),
            (&attributes("[0,2]", "[0,1,-2]", "1"), "`ngram_indexes` has -2"),
            (
                &attributes("[0,2]", "[0,1,2]", "3"),
                "`min_gram_length` is 3, more than",
            ),
        ],
    );
    let vectors = "kernel_type=RBF n_supports=2 support_vectors=[1.0,2.0,3.0,4.0,5.0,6.0]";
    let machine = |rest: &str| format!("{vectors} {rest}");
    check(
        "x:float[2,3] -> y:float[2,1]",
        "y = ai.onnx.ml::SVMRegressor(x)",
        &machine("kernel_params=[0.1,0.0,3.0] coefficients=[1.0,-1.0] rho=[0.5]"),
        &[
            (
                &machine("kernel_params=[0.1] coefficients=[1.0,-1.0] rho=[0.5]"),
                "`kernel_params` has 1 entries",
            ),
            (
                &machine("kernel_params=[0.1,0.0,3.0] coefficients=[1.0] rho=[0.5]"),
                "1 coefficients for 2 support vectors",
            ),
            (
                &machine("kernel_params=[0.1,0.0,3.0] coefficients=[1.0,-1.0]"),
                "`rho` is not set",
            ),
        ],
    );
    check(
        "x:float[6] -> y:float[3] z:float[3]",
        "y, z = Split(x)",
        "axis=0 num_outputs=2",
        &[],
    );
    check(
        "x:float[6] s:int64[2] -> y:float[a] z:float[b]",
        "y, z = Split(x, s)",
        "axis=0",
        &[("axis=0 num_outputs=2", "`split` and `num_outputs` are both given")],
    );
    check(
        "x:float[2,3] s:float z:uint8 -> y:uint8[2,3]",
        "y = QuantizeLinear(x, s, z)",
        "output_dtype=2",
        &[(
            "output_dtype=3",
            "`output_dtype` is 3, but the zero point is of uint8, 2",
        )],
    );
    check(
        "x:float[2,3] z:float[3,4] -> y:float[2,4]",
        "y = Einsum(x, z)",
        "equation=ij,jk->ik",
        &[("equation=i1,jk->ik", "`equation` has '1', expected letters")],
    );
    check(
        "-> y:optional(float[a])",
        "y = Optional()",
        "type=|float[a]|",
        &[("", "without an input, `type` must be set")],
    );
}

#[test]
fn scans_have_an_axis_and_a_direction_for_each() {
    check(
        "z:float[2] x:float[5,2] -> y:float[2] s:float[5,2]\nbody b v:float[2] e:float[2] -> w:float[2] o:float[2]\n\
         w = Add(v, e)\no = Relu(w)\nend",
        "y, s = Scan(z, x)",
        "body={b} num_scan_inputs=1 scan_input_axes=[-2] scan_output_directions=[1]",
        &[
            (
                "body={b} num_scan_inputs=1 scan_input_axes=[0,0]",
                "`scan_input_axes` has 2 entries, expected 1",
            ),
            (
                "body={b} num_scan_inputs=1 scan_input_directions=[2]",
                "`scan_input_directions` has 2, expected 0",
            ),
            (
                "body={b} num_scan_inputs=1 scan_output_axes=[2]",
                "axis 2 is outside of rank 2",
            ),
            (
                "body={b} num_scan_inputs=1 scan_output_directions=[0,0]",
                "has 2 entries, expected 1",
            ),
        ],
    );
}

#[test]
fn references_state_the_type_of_the_attribute() {
    let finding = |kind: AttributeKind| {
        let mut model = model(
            "model 10 \"\"=21 d=1\ngraph x:float[2] -> y:float[2]\nfunction d.f(a) attrs(k) \"\"=21 -> b\n\
             b = LeakyRelu(a) alpha=@k\nend\ny = d::f(x) k=0.5",
        );
        let functions = model.functions.iter_mut().map(Arc::make_mut);
        for attribute in functions
            .flat_map(|function| &mut function.nodes)
            .flat_map(|node| &mut node.attributes)
        {
            if let AttributeValue::Reference(_, stated) = &mut attribute.value {
                *stated = Some(kind);
            }
        }
        let found = infer(&model).findings;
        found.first().map_or_else(String::new, ToString::to_string)
    };
    assert_eq!(finding(AttributeKind::Float), "");
    let found = finding(AttributeKind::Int);
    assert!(
        found.contains("`alpha` refers to `k` as to an attribute of type Int, expected Float"),
        "{found}"
    );
}

/// RE2 has neither backreferences nor a look ahead.
#[test]
fn an_expression_is_in_the_syntax_of_re2() {
    check(
        "x:string[3] -> y:bool[3]",
        "y = RegexFullMatch(x)",
        "pattern=[a-z]+",
        &[
            ("", "`pattern` is not set"),
            ("pattern=(?=a)a", "`pattern`: the pattern is not valid RE2"),
            (r"pattern=(a)\1", "`pattern`: the pattern is not valid RE2"),
            ("pattern=(a", "a group without `)`"),
        ],
    );
    let tokens = "mark=1 mincharnum=1 pad_value=#";
    for (right, wrong, part) in [
        ("tokenexp=[a-z]+", "tokenexp=a**", "`tokenexp`: "),
        ("separators=[a]", "separators=[a,*]", "`separators`: "),
    ] {
        check(
            "x:string[3] -> y:string[3,k]",
            "y = com.microsoft::Tokenizer(x)",
            &format!("{tokens} {right}"),
            &[(&format!("{tokens} {wrong}"), part)],
        );
    }
}

#[test]
fn the_ends_of_an_early_clip_are_an_interval() {
    let finding = |opset: u32, attributes: &str| {
        let text = format!("model 8 \"\"={opset}\ngraph x:float[3] -> y:float[3]\ny = Clip(x) {attributes}");
        let found = infer(&model(&text)).findings;
        found.first().map_or_else(String::new, ToString::to_string)
    };
    for right in ["", "min=-1.0", "max=2.0", "min=1.0 max=1.0"] {
        assert_eq!(finding(10, right), "", "{right}");
    }
    let found = finding(10, "min=5.0 max=1.0");
    assert!(
        found.contains("`min` is 5 and `max` 1: they are no interval"),
        "{found}"
    );
    let found = finding(6, "min=nan");
    assert!(found.contains("`min` is NaN"), "{found}");
}

#[test]
fn the_function_of_a_fused_operator_is_known() {
    check(
        "x:float[1,3,8,8] w:float[4,3,3,3] -> y:float[1,4,6,6]",
        "y = com.microsoft::FusedConv(x, w)",
        "activation=Clip activation_params=[0.0,6.0]",
        &[
            (
                "activation=Clip activation_params=[0.0]",
                "`activation_params` has no number 1",
            ),
            ("activation=LeakyRelu", "`activation_params` has no number 0"),
            (
                "activation=relu",
                "`activation` is `relu`, expected one of Relu, ",
            ),
            ("activation=Elu activation_params=[1.0]", "`activation` is `Elu`"),
        ],
    );
    check(
        "x:float[2,3] w:float[3,4] -> y:float[2,4]",
        "y = com.microsoft::FusedGemm(x, w)",
        "activation=LeakyRelu activation_alpha=0.5",
        &[
            ("activation=LeakyRelu", "`activation_alpha` is not set"),
            ("activation=Gelu", "`activation` is `Gelu`"),
        ],
    );
}
