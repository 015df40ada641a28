//! Models as text, one statement per line:
//!
//! ```text
//! model 8 ""=13 ai.onnx.ml=2      the IR version and the imports
//! graph x:float y:int64[2,n] -> z:float     main graph; `?` for no type, no brackets for a shape of rank 1 named `n`
//! init w float 3                  an initializer with as many elements (0 for an empty one)
//! z = Add(x, w) axis=1 name=n0    a node; `-` is an empty name; `domain::Op`
//! y = If(c) then_branch={b}       `{b}` is the body named `b`
//! body b x -> y:float             starts a body; its nodes follow; `end` closes it
//! function d.f(x) attrs(a) defaults(b=1) ""=13 -> y     starts a function; `end` closes it
//! ```

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, SparseTensor, Tensor, Value, ValueType};

/// The current block: the main graph, a body or a function.
enum Open {
    Main,
    Body(String, Graph),
    Function(Function),
}

/// The model that a text describes. Bodies come before the nodes that use them.
///
/// # Panics
/// The text has another form: texts are constants of this project.
#[track_caller]
pub fn model(text: &str) -> Model {
    let mut model = Model::new(13, Graph::default());
    let mut main = Graph::default();
    let mut bodies: HashMap<String, Arc<Graph>> = HashMap::new();
    let mut open = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "model" => {
                let (version, list) = rest.split_once(' ').unwrap_or((rest, ""));
                model.ir_version = version.parse().expect("an IR version");
                model.opset_imports = imports(list);
            }
            "graph" => main = signature("main", rest),
            "body" => {
                let (name, rest) = rest.split_once(' ').expect("a body has a name");
                open.push(Open::Body(name.to_owned(), signature(name, rest)));
            }
            "function" => open.push(Open::Function(function(rest))),
            "end" => match open.pop().unwrap_or(Open::Main) {
                Open::Body(name, graph) => drop(bodies.insert(name, Arc::new(graph))),
                Open::Function(function) => model.functions.push(Arc::new(function)),
                Open::Main => panic!("`end` without a block"),
            },
            "unnamed" => main.name.clear(),
            "init" | "sparse" => {
                let initializer = initializer(word, rest);
                match open.last_mut() {
                    Some(Open::Body(_, graph)) => graph.initializers.push(initializer),
                    _ => main.initializers.push(initializer),
                }
            }
            "info" => main.value_info.push(info(rest)),
            _ => {
                let node = node(line, &bodies);
                match open.last_mut() {
                    Some(Open::Body(_, graph)) => graph.nodes.push(node),
                    Some(Open::Function(function)) => function.nodes.push(node),
                    _ => main.nodes.push(node),
                }
            }
        }
    }
    model.graph = Arc::new(main);
    model
}

fn imports(list: &str) -> BTreeMap<String, i64> {
    let pair = |pair: &str| {
        let (domain, opset) = pair.split_once('=').expect("domain=opset");
        (
            domain.trim_matches('"').to_owned(),
            opset.parse().expect("an opset"),
        )
    };
    list.split_whitespace().map(pair).collect()
}

fn signature(name: &str, text: &str) -> Graph {
    let (inputs, outputs) = text.split_once("->").expect("inputs -> outputs");
    let infos = |list: &str| list.split_whitespace().map(info).collect();
    Graph {
        name: name.to_owned(),
        inputs: infos(inputs),
        outputs: infos(outputs),
        ..Graph::default()
    }
}

/// `x:float`, `x:float[2,n]`, `x:seq(float)`, `x:?` without a type, `x:float[]*` without a shape.
fn info(text: &str) -> ValueInfo {
    let (name, kind) = text.split_once(':').unwrap_or((text, "?"));
    ValueInfo {
        name: names(name).pop().unwrap_or_default(),
        value_type: (kind != "?").then(|| value_type(kind)),
    }
}

fn value_type(text: &str) -> ValueType {
    let inside = |prefix: &str| {
        text.strip_prefix(prefix)?
            .strip_suffix(')')
            .map(|inner| Box::new(value_type(inner)))
    };
    if let Some(element) = inside("seq(") {
        return ValueType::Sequence(element);
    }
    if let Some(element) = inside("optional(") {
        return ValueType::Optional(element);
    }
    if let Some(value) = inside("map(int64,") {
        return ValueType::Map {
            key: DType::Int64,
            value,
        };
    }
    let (name, shape) = match (text.strip_suffix('*'), text.split_once('[')) {
        (Some(name), _) => (name, None),
        (None, Some((name, dims))) => (
            name,
            Some(
                dims.trim_end_matches(']')
                    .split(',')
                    .filter(|d| !d.is_empty())
                    .map(dim)
                    .collect(),
            ),
        ),
        (None, None) => (text, Some(vec![Dim::Named("n".to_owned())])),
    };
    ValueType::Tensor {
        dtype: dtype(name),
        shape,
    }
}

fn dim(text: &str) -> Dim {
    text.parse()
        .map_or_else(|_| Dim::Named(text.to_owned()), Dim::Fixed)
}

fn dtype(name: &str) -> DType {
    DType::from_onnx_name(name).expect("an element type")
}

fn tensor(dtype: DType, count: usize) -> Tensor {
    match dtype {
        DType::Float => Tensor::vector(vec![1_f32; count]),
        DType::Double => Tensor::vector(vec![1_f64; count]),
        DType::Int64 => Tensor::vector(vec![1_i64; count]),
        DType::String => Tensor::vector(vec![String::new(); count]),
        other => panic!("unknown constant: {other}"),
    }
}

fn initializer(word: &str, text: &str) -> (String, Value) {
    let mut words = text.split_whitespace();
    let name = names(words.next().expect("a name")).pop().unwrap_or_default();
    let dtype = dtype(words.next().expect("an element type"));
    let count = words.next().expect("a count").parse().expect("a count");
    let tensor = tensor(dtype, count);
    let value = match word {
        "sparse" => Value::Sparse(SparseTensor {
            values: tensor,
            indices: Tensor::vector((0..count as i64).collect()),
            shape: vec![count],
        }),
        _ => Value::Tensor(tensor),
    };
    (name, value)
}

fn names(list: &str) -> Vec<String> {
    let name = |name: &str| if name == "-" { "" } else { name }.to_owned();
    list.split([',', ' '])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(name)
        .collect()
}

fn node(line: &str, bodies: &HashMap<String, Arc<Graph>>) -> Node {
    let (outputs, call) = line.split_once(" = ").expect("outputs = Op(inputs)");
    let (operator, rest) = call.split_once('(').expect("Op(inputs)");
    let (inputs, attributes) = rest.split_once(')').expect("a closing parenthesis");
    let (domain, operator) = operator.split_once("::").unwrap_or(("", operator));
    let (operator, overload) = operator.split_once(':').unwrap_or((operator, ""));
    let mut node = Node {
        domain: domain.to_owned(),
        operator: operator.to_owned(),
        overload: overload.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        ..Node::default()
    };
    for pair in attributes.split_whitespace() {
        let (name, value) = pair.split_once('=').expect("name=value");
        match name {
            "name" => node.name = value.to_owned(),
            _ => node.attributes.push(attribute(name, value, bodies)),
        }
    }
    node
}

/// `1`, `0.5`, `text`, `[1,2]`, `[0.5,1.0]`, `[a,b]`, `{body}`, `@reference`, `<float>` for a tensor of one
/// element, `|seq(float)|` for a type.
fn attribute(name: &str, text: &str, bodies: &HashMap<String, Arc<Graph>>) -> Attribute {
    let enclosed = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    let value = if let Some(body) = enclosed('{', '}') {
        AttributeValue::Graph(Arc::clone(bodies.get(body).expect("a body before its use")))
    } else if let Some(list) = enclosed('[', ']') {
        let items: Vec<&str> = list.split(',').filter(|item| !item.is_empty()).collect();
        match items
            .iter()
            .map(|item| item.parse())
            .collect::<Result<Vec<i64>, _>>()
        {
            Ok(ints) => AttributeValue::Ints(ints),
            Err(_)
                if items
                    .iter()
                    .all(|item| item.contains('.') && item.parse::<f32>().is_ok()) =>
            {
                AttributeValue::Floats(items.iter().filter_map(|item| item.parse().ok()).collect())
            }
            Err(_) => AttributeValue::Strings(items.iter().map(|item| item.as_bytes().to_vec()).collect()),
        }
    } else if let Some(name) = enclosed('<', '>') {
        AttributeValue::Tensor(tensor(dtype(name), 1))
    } else if let Some(kind) = enclosed('|', '|') {
        AttributeValue::Type(value_type(kind))
    } else if let Some(target) = text.strip_prefix('@') {
        AttributeValue::Reference(target.to_owned(), None)
    } else if let Ok(int) = text.parse() {
        AttributeValue::Int(int)
    } else if let Ok(float) = text.parse() {
        AttributeValue::Float(float)
    } else {
        AttributeValue::String(text.as_bytes().to_vec())
    };
    Attribute {
        name: name.to_owned(),
        value,
    }
}

/// `d.f:overload(x, y) attrs(a) defaults(b=1) ""=13 -> z`
fn function(text: &str) -> Function {
    let (head, outputs) = text.split_once("->").expect("-> outputs");
    let (name, rest) = head.split_once('(').expect("f(inputs)");
    let (inputs, mut rest) = rest.split_once(')').expect("a closing parenthesis");
    let mut lists = HashMap::new();
    for key in ["attrs(", "defaults("] {
        if let Some((list, after)) = rest
            .trim_start()
            .strip_prefix(key)
            .and_then(|rest| rest.split_once(')'))
        {
            lists.insert(key, list);
            rest = after;
        }
    }
    let (name, overload) = name.split_once(':').unwrap_or((name, ""));
    let (domain, name) = name.split_once('.').expect("domain.name");
    let default = |pair: &str| {
        let (name, value) = pair.split_once('=').expect("name=value");
        attribute(name, value, &HashMap::new())
    };
    Function {
        domain: domain.to_owned(),
        name: name.to_owned(),
        overload: overload.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes: lists.get("attrs(").map_or_else(Vec::new, |list| names(list)),
        attribute_defaults: lists
            .get("defaults(")
            .map_or_else(Vec::new, |list| list.split(',').map(default).collect()),
        opset_imports: imports(rest),
        nodes: Vec::new(),
    }
}
