//! Types that the signature does not determine: the declared output is the expected type.

use onnx_checker::{check, usage};
use onnx_tensor::{DType, ValueType};

use onnx_rejections::model;

/// Nodes that compute `z` from `x`, and its type; an output that is declared with another type must be a
/// finding.
#[track_caller]
fn infers(imports: &str, x: &str, nodes: &str, z: &str) {
    let text = |z: &str| format!("model 10 {imports}\ngraph x:{x} -> z:{z}\n{nodes}");
    let found = check(&model(&text(z)));
    assert!(found.is_empty(), "{nodes}\n{:#?}", found.list);
    let uses = usage(&model(&text(z)));
    let last = uses
        .last()
        .and_then(|node| node.outputs.iter().find(|output| output.given));
    assert!(
        last.is_some_and(|output| output.value_type.is_some()),
        "{nodes}: nothing is inferred"
    );
    let other = check(&model(&text("optional(bool)")));
    assert_eq!(other.list.len(), 1, "{nodes}\n{:#?}", other.list);
}

#[test]
fn attributes_name_element_types() {
    infers("\"\"=13", "float", "z = Cast(x) to=11", "double");
    infers("\"\"=5", "float", "z = Cast(x) to=INT64", "int64");
    infers("\"\"=26", "float", "z = BitCast(x) to=6", "int32");
    infers("\"\"=22", "float", "z = EyeLike(x)", "float");
    infers("\"\"=22", "float", "z = EyeLike(x) dtype=7", "int64");
    infers("\"\"=22", "int64", "z = ConstantOfShape(x)", "float");
    infers(
        "\"\"=22",
        "int64",
        "z = ConstantOfShape(x) value=<int64>",
        "int64",
    );
    infers("\"\"=22", "float", "z = RandomNormal() shape=[2]", "float");
    infers("\"\"=22", "float", "z = Bernoulli(x) dtype=9", "bool");
    infers("\"\"=22", "float", "z = Multinomial(x)", "int32");
    infers(
        "\"\"=22",
        "int64[]",
        "z = HannWindow(x) output_datatype=11",
        "double",
    );
}

#[test]
fn quantization_takes_its_type_from_the_zero_point_or_the_attribute() {
    infers("\"\"=13", "float", "z = QuantizeLinear(x, x)", "uint8");
    infers(
        "\"\"=21",
        "float",
        "z = QuantizeLinear(x, x) output_dtype=3",
        "int8",
    );
    infers(
        "\"\"=13",
        "float",
        "p = Cast(x) to=3\nz = QuantizeLinear(x, x, p)",
        "int8",
    );
    infers(
        "\"\"=13",
        "uint8",
        "s = Cast(x) to=1\nz = DequantizeLinear(x, s)",
        "float",
    );
    infers(
        "\"\"=23",
        "uint8",
        "s = Cast(x) to=1\nz = DequantizeLinear(x, s) output_dtype=10",
        "float16",
    );
}

#[test]
fn sequences_and_optionals_wrap_and_unwrap() {
    infers("\"\"=13", "float", "z = SequenceConstruct(x, x)", "seq(float)");
    infers("\"\"=13", "float", "z = SequenceEmpty() dtype=7", "seq(int64)");
    infers(
        "\"\"=13",
        "seq(float)",
        "i = Constant() value_int=0\nz = SequenceAt(x, i)",
        "float",
    );
    infers("\"\"=13", "float", "z = SplitToSequence(x)", "seq(float)");
    infers(
        "\"\"=13",
        "seq(double)",
        "z = ConcatFromSequence(x) axis=0",
        "double",
    );
    infers("\"\"=13", "seq(double)", "z = SequenceLength(x)", "int64");
    infers("\"\"=18", "float", "z = Optional(x)", "optional(float)");
    infers(
        "\"\"=18",
        "float",
        "z = Optional() type=|seq(int64)|",
        "optional(seq(int64))",
    );
    infers(
        "\"\"=18",
        "optional(seq(float))",
        "z = OptionalGetElement(x)",
        "seq(float)",
    );
    infers("\"\"=18", "float", "z = OptionalGetElement(x)", "float");
}

#[test]
fn outputs_have_the_types_of_body_outputs() {
    let sound = "c = Constant() value_int=1\nb = Cast(c) to=9\n";
    infers(
        "\"\"=13",
        "float",
        &format!("{sound}body t -> r\nr = Cast(x) to=11\nend\nz = If(b) then_branch={{t}} else_branch={{t}}"),
        "double",
    );
    infers(
        "\"\"=13",
        "float",
        "m = Constant() value_int=3\nbody l i c s -> c s r\nr = Cast(s) to=11\nend\nw, z = Loop(m, -, x) body={l}",
        "double",
    );
    infers(
        "\"\"=13",
        "float",
        "body s a b -> a r\nr = Cast(b) to=7\nend\nw, z = Scan(x, x) body={s} num_scan_inputs=1",
        "int64",
    );
    infers(
        "\"\"=8",
        "float",
        "body s a b -> a r\nr = Cast(b) to=7\nend\nw, z = Scan(-, x, x) body={s} num_scan_inputs=1",
        "int64",
    );
    infers(
        "\"\"=17",
        "seq(float)",
        "body m e -> r\nr = Cast(e) to=7\nend\nz = SequenceMap(x) body={m}",
        "seq(int64)",
    );
}

#[test]
fn labels_and_maps_of_ai_onnx_ml() {
    let ml = "\"\"=13 ai.onnx.ml=2";
    infers(
        ml,
        "string",
        "z = ai.onnx.ml::CategoryMapper(x) cats_strings=[a] cats_int64s=[1]",
        "int64",
    );
    infers(
        ml,
        "int64",
        "z = ai.onnx.ml::LabelEncoder(x) keys_int64s=[1] values_strings=[a]",
        "string",
    );
    infers(
        ml,
        "float",
        "z = ai.onnx.ml::ZipMap(x) classlabels_int64s=[1]",
        "seq(map(int64,float))",
    );
    infers(
        ml,
        "map(int64,float)",
        "z = ai.onnx.ml::DictVectorizer(x) int64_vocabulary=[1]",
        "float",
    );
    infers(
        ml,
        "map(int64,float)",
        "z = ai.onnx.ml::CastMap(x) cast_to=TO_INT64",
        "int64",
    );
    let labels = |labels: &str, z: &str| {
        infers(
            ml,
            "float",
            &format!("z, s = ai.onnx.ml::SVMClassifier(x) {labels}"),
            z,
        );
    };
    labels("classlabels_ints=[0,1]", "int64");
    labels("classlabels_strings=[a,b]", "string");
}

#[test]
fn optimizers_return_parameters_and_states() {
    let text = "model 10 ai.onnx.preview.training=1
        graph r:float[] t:int64[] x:float y:double g:float h:double v:float w:double -> a:float b:double
        a, b, c, d = ai.onnx.preview.training::Momentum(r, t, x, y, g, h, v, w) alpha=0.5 beta=0.5 mode=standard norm_coefficient=0.5";
    assert!(check(&model(text)).is_empty(), "{:#?}", check(&model(text)).list);
    let uses = usage(&model(text));
    let kinds: Vec<_> = uses[0]
        .outputs
        .iter()
        .map(|output| output.value_type.clone())
        .collect();
    let expected = [DType::Float, DType::Double, DType::Float, DType::Double];
    assert_eq!(kinds, expected.map(|dtype| Some(ValueType::tensor(dtype))));
}

/// The output of a foreign operator is unknown, and so are values computed from it.
#[test]
fn unknown_types_are_not_guessed() {
    let text = "model 8 \"\"=13 mine=1\ngraph x:float -> y:float\na = mine::Own(x)\nb = Add(a, x)\nc = mine::Own(b)\ny = Relu(c)";
    assert!(check(&model(text)).is_empty());
    assert_eq!(usage(&model(text))[0].outputs[0].value_type, None);
}
