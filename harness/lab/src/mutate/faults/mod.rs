//! The table of faults.

mod element;
mod form;
mod model;
mod names;
mod whole;

use super::fault::{Fault, Plant};

const fn tensor(name: &'static str, what: &'static str, plant: TensorPlant) -> Fault {
    let plant = Plant::Tensor(plant);
    Fault { name, what, plant }
}

const fn model(name: &'static str, what: &'static str, plant: ModelPlant) -> Fault {
    let plant = Plant::Model(plant);
    Fault { name, what, plant }
}

const fn outputs(name: &'static str, what: &'static str, plant: OutputsPlant) -> Fault {
    let plant = Plant::Outputs(plant);
    Fault { name, what, plant }
}

type OutputsPlant =
    fn(&[backend_api::Named], &mut rand_chacha::ChaCha8Rng) -> Option<Vec<backend_api::Named>>;
type TensorPlant = fn(&super::fault::Leaf<'_>, &mut rand_chacha::ChaCha8Rng) -> Option<onnx_tensor::Tensor>;
type ModelPlant = fn(&onnx_model::Model, &harness_conformance::case::DataSet) -> Option<onnx_model::Model>;

/// Every kind of fault.
pub const FAULTS: [Fault; 23] = [
    tensor(
        "ulp-beyond-bound",
        "one element is the first value beyond its bound",
        element::beyond,
    ),
    tensor("infinity", "one finite element is +Inf", element::infinity),
    tensor(
        "finite-for-infinity",
        "one infinity is the largest finite number",
        element::finite,
    ),
    tensor("nan", "one element is NaN", element::nan),
    tensor(
        "zero-sign",
        "one copied zero has the other sign",
        element::zero_sign,
    ),
    tensor(
        "integer-off-by-one",
        "one integer is off by one",
        element::off_by_one,
    ),
    tensor(
        "between-answers",
        "one element with several right answers is between two of them",
        element::between_answers,
    ),
    tensor(
        "string-case",
        "one letter of a string is in the other case",
        element::string_case,
    ),
    tensor(
        "wrong-dtype",
        "equal values in another element type",
        form::wrong_dtype,
    ),
    tensor(
        "transposed-shape",
        "the axes' extents are in reverse order",
        form::transposed_shape,
    ),
    tensor(
        "truncated",
        "the last slice along the first axis is missing",
        form::truncated,
    ),
    Fault {
        name: "missing-element",
        what: "one element of a sequence is missing",
        plant: Plant::Value(form::missing_element),
    },
    outputs(
        "renamed-output",
        "one output has a name that the graph does not have",
        names::renamed,
    ),
    outputs("missing-output", "one output is missing", names::missing),
    outputs("repeated-output", "one output is returned twice", names::repeated),
    outputs(
        "additional-output",
        "there is an output that the graph does not have",
        names::additional,
    ),
    tensor(
        "swapped-axes",
        "two axes of equal extent are swapped",
        whole::swapped_axes,
    ),
    tensor(
        "index-off-by-one",
        "every element is shifted by one position along an axis",
        whole::shifted,
    ),
    tensor(
        "stale-last",
        "the last element was not written",
        whole::stale_last,
    ),
    tensor("constant-zero", "every element is zero", whole::zero),
    model(
        "quantizer-rounding",
        "a quantizer rounds down",
        model::quantizer_rounds_down,
    ),
    model(
        "epsilon-dropped",
        "a normalization omits its epsilon",
        model::epsilon_dropped,
    ),
    model(
        "pool-rounding",
        "a pool uses floor instead of ceil, or ceil instead of floor",
        model::pool_rounding,
    ),
];
