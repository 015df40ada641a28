//! A pattern as text, and its model.

use onnx_tensor::{DType, Dim, I4, Tensor, Value, ValueType};

use super::super::tensor;
use super::Case;

#[derive(Debug)]
pub struct Pattern {
    pub name: &'static str,
    /// A model in the form of `onnx_rejections::model`. Lines `const NAME TYPE[EXTENTS] NUMBERS…` are its
    /// initializers; `~` stands for varied numbers.
    pub text: &'static str,
}

impl Pattern {
    /// The model, with varied inputs.
    pub fn case(&self) -> Case {
        self.case_of("float")
    }

    /// The model with this element type instead of float: each number is the nearest of the type.
    pub fn case_of(&self, float: &str) -> Case {
        let text = self.text.replace("float[", &format!("{float}["));
        let (constants, text): (Vec<&str>, Vec<&str>) = text
            .lines()
            .map(str::trim)
            .partition(|line| line.starts_with("const "));
        let mut model = onnx_rejections::model(&text.join("\n"));
        let mut graph = (*model.graph).clone();
        graph.initializers = constants.into_iter().map(constant).collect();
        let inputs = graph.inputs.iter().map(|input| match &input.value_type {
            Some(ValueType::Tensor {
                dtype,
                shape: Some(dims),
            }) => {
                let extent = |dim: &Dim| match dim {
                    Dim::Fixed(extent) => *extent,
                    other => panic!("{}: {other:?} is not an extent", self.name),
                };
                let shape: Vec<usize> = dims.iter().map(extent).collect();
                (input.name.clone(), Value::Tensor(varied(*dtype, &shape, 0.61)))
            }
            other => panic!("{}: {other:?} is not the type of an input", self.name),
        });
        let inputs = inputs.collect();
        model.graph = graph.into();
        Case { model, inputs }
    }
}

fn constant(line: &str) -> (String, Value) {
    let mut words = line.split_whitespace().skip(1);
    let (name, kind) = (words.next().expect("a name"), words.next().expect("a type"));
    let (dtype, extents) = kind.split_once('[').expect("extents");
    let dtype = DType::from_onnx_name(dtype).expect("an element type");
    let extents = extents
        .trim_end_matches(']')
        .split(',')
        .filter(|extent| !extent.is_empty());
    let shape: Vec<usize> = extents.map(|extent| extent.parse().expect("an extent")).collect();
    let words: Vec<&str> = words.collect();
    let value = match words[..] {
        ["~"] => varied(dtype, &shape, 0.37),
        _ => {
            let numbers: Vec<f64> = words.iter().map(|word| word.parse().expect("a number")).collect();
            of(dtype, &shape, &numbers)
        }
    };
    (name.to_owned(), Value::Tensor(value))
}

/// Numbers between −1.25 and 2.75, or small integers.
fn varied(dtype: DType, shape: &[usize], step: f64) -> Tensor {
    let count = shape.iter().product::<usize>();
    let number = |at: usize| match dtype {
        DType::Float | DType::Double | DType::Float16 | DType::Bfloat16 => {
            (at as f64 * step).sin().mul_add(2.0, 0.75)
        }
        DType::Bool => f64::from(u8::from(!at.is_multiple_of(3))),
        _ => (at * 5 % 7) as f64,
    };
    of(dtype, shape, &(0..count).map(number).collect::<Vec<f64>>())
}

fn of(dtype: DType, shape: &[usize], numbers: &[f64]) -> Tensor {
    match dtype {
        DType::Bool => Tensor::new(
            shape,
            numbers.iter().map(|number| *number != 0.0).collect::<Vec<bool>>(),
        ),
        DType::Int4 => Tensor::new(
            shape,
            numbers
                .iter()
                .map(|number| I4::wrap(*number as i64))
                .collect::<Vec<I4>>(),
        ),
        _ => return tensor(dtype, shape, numbers),
    }
    .expect("as many numbers as the shape has")
}

pub const fn pattern(name: &'static str, text: &'static str) -> Pattern {
    Pattern { name, text }
}
