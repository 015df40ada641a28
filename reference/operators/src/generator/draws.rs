//! The core of the random operators: tensors of draws, computed in f64 and rounded once. The generator:
//! `shared/random.rs`.

use onnx_tensor::{DType, Real, Tensor, dispatch};
use rand_distr::{Distribution, Normal, Uniform};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::layout;
use crate::shared::random::generator;

/// Shape and element type of the output, from the attributes `shape` and `dtype`.
pub fn by_attributes(call: &Call<'_>) -> Result<(Vec<usize>, DType), OpError> {
    Ok((
        layout::extents(&call.ints("shape")?)?,
        call.dtype_attribute("dtype")?,
    ))
}

/// Shape and element type of the output, from input 0; `dtype` overrides the type.
pub fn like_input(call: &Call<'_>) -> Result<(Vec<usize>, DType), OpError> {
    let input = call.tensor(0)?;
    let dtype = call.optional_dtype_attribute("dtype")?.unwrap_or(input.dtype());
    Ok((input.shape().to_vec(), dtype))
}

/// Draws from the normal distribution with mean `mean` and standard deviation `scale`.
pub fn normal(call: &Call<'_>, (shape, dtype): (Vec<usize>, DType)) -> Result<Outputs, OpError> {
    let (mean, scale) = (f64::from(call.float("mean")?), f64::from(call.float("scale")?));
    let distribution = Some(scale)
        .filter(|scale| *scale >= 0.0 && mean.is_finite())
        .and_then(|scale| Normal::new(mean, scale).ok())
        .ok_or_else(|| {
            OpError::invalid(format!(
                "there is no normal distribution with mean {mean} and scale {scale}"
            ))
        })?;
    fill(call, &shape, dtype, distribution)
}

/// Draws from the uniform distribution from `low` to `high`. A draw below `high` may be rounded up to it.
pub fn uniform(call: &Call<'_>, (shape, dtype): (Vec<usize>, DType)) -> Result<Outputs, OpError> {
    let (low, high) = (f64::from(call.float("low")?), f64::from(call.float("high")?));
    let none = |_| OpError::invalid(format!("there is no uniform distribution from {low} to {high}"));
    if low == high && low.is_finite() {
        return fill(
            call,
            &shape,
            dtype,
            Uniform::new_inclusive(low, high).map_err(none)?,
        );
    }
    fill(call, &shape, dtype, Uniform::new(low, high).map_err(none)?)
}

fn fill(
    call: &Call<'_>,
    shape: &[usize],
    dtype: DType,
    distribution: impl Distribution<f64>,
) -> Result<Outputs, OpError> {
    let dtype = call.output_dtype(0, dtype)?;
    call.reserve(shape, dtype)?;
    let mut generator = generator(call)?;
    dispatch!(float, dtype, T => {
        let count = layout::count(shape);
        let draws = (0..count).map(|_| <T as Real>::from_f64(distribution.sample(&mut generator)));
        one(Tensor::new(shape, draws.collect())?)
    })
}

#[cfg(test)]
mod tests {
    use onnx_randomness::{Contract, reproducible};
    use onnx_tensor::{Value, bf16, f16};

    use super::*;
    use crate::frame::testing::{attribute, evaluate, refused};

    /// Checks that each version follows its contract and that two runs with one seed are equal.
    fn check(name: &'static str, inputs: &[Value], attributes: &[onnx_model::Attribute], dtype: DType) {
        for schema in onnx_schema::versions("", name)
            .iter()
            .filter(|schema| !schema.deprecated)
        {
            let draw = || {
                evaluate(("", name, schema.since), inputs, attributes)
                    .expect(name)
                    .remove(0)
            };
            let (first, second) = (draw(), draw());
            let (Some(first), Some(second)) = (first.as_tensor(), second.as_tensor()) else {
                panic!("{name} returns no tensor")
            };
            assert_eq!(first.dtype(), dtype, "{name}");
            let inputs: Vec<_> = inputs.iter().cloned().map(Some).collect();
            let contract = Contract::of_node(schema, attributes, &inputs).expect("a contract");
            contract
                .judge(first)
                .unwrap_or_else(|broken| panic!("{name}-{}: {broken}", schema.since));
            reproducible(first, second).expect(name);
        }
    }

    fn seed() -> onnx_model::Attribute {
        attribute("seed", 7.5_f32)
    }

    #[test]
    fn normal_and_uniform_operators_follow_their_contracts() {
        let shape = attribute("shape", [50_i64, 200]);
        let like = [Tensor::new(&[100, 100], vec![0_u8; 10_000])
            .expect("a tensor")
            .into()];
        let halves = [Tensor::vector(vec![f16::ZERO; 10_000]).into()];
        let named = |dtype: i64| attribute("dtype", dtype);
        let bell = [
            attribute("mean", -4.0_f32),
            attribute("scale", 0.5_f32),
            seed(),
            shape.clone(),
            named(11),
        ];
        check("RandomNormal", &[], &bell[2..4], DType::Float);
        check("RandomNormal", &[], &bell, DType::Double);
        check("RandomNormalLike", &like, &[seed(), named(10)], DType::Float16);
        check("RandomNormalLike", &halves, &[seed()], DType::Float16);
        let [low, high] = [attribute("low", -2.5_f32), attribute("high", 7.0_f32)];
        check(
            "RandomUniform",
            &[],
            &[low.clone(), high.clone(), seed(), shape],
            DType::Float,
        );
        check(
            "RandomUniformLike",
            &like,
            &[low, high, seed(), named(1)],
            DType::Float,
        );
        check("RandomUniformLike", &halves, &[seed()], DType::Float16);
    }

    #[test]
    fn operators_with_an_input_follow_their_contracts() {
        let probabilities: Vec<f32> = (0..10_000).map(|index| index as f32 / 9_999.0).collect();
        let probabilities = [Tensor::vector(probabilities).into()];
        check("Bernoulli", &probabilities, &[seed()], DType::Float);
        check(
            "Bernoulli",
            &probabilities,
            &[seed(), attribute("dtype", 9_i64)],
            DType::Bool,
        );
        let logarithms = vec![0.0, 1.0, f64::NEG_INFINITY, -3.0, 700.0, 700.0, 690.0, 699.0];
        let logarithms = [Tensor::new(&[2, 4], logarithms).expect("a tensor").into()];
        check(
            "Multinomial",
            &logarithms,
            &[seed(), attribute("sample_size", 5_000_i64)],
            DType::Int32,
        );
    }

    #[test]
    fn dropout_in_training_follows_its_contract() {
        let data = Value::from(Tensor::vector(vec![2.0_f32; 10_000]));
        let training = [
            data.clone(),
            Tensor::scalar(0.25_f32).into(),
            Tensor::scalar(true).into(),
        ];
        for schema in onnx_schema::versions("", "Dropout") {
            let (inputs, seeded) = if schema.since >= 12 {
                (&training[..], true)
            } else {
                (&training[..1], false)
            };
            let inputs_of_node: Vec<_> = inputs.iter().cloned().map(Some).collect();
            let Some(contract) = Contract::of_node(schema, &[], &inputs_of_node) else {
                assert!([7, 10].contains(&schema.since), "Dropout-{} trains", schema.since);
                continue;
            };
            let attributes = [attribute("seed", 3_i64)];
            let attributes = if seeded { &attributes[..] } else { &[] };
            let output = evaluate(("", "Dropout", schema.since), inputs, attributes)
                .expect("Dropout")
                .remove(0);
            contract
                .judge(output.as_tensor().expect("a tensor"))
                .expect("Dropout");
        }
    }

    #[test]
    fn invalid_distributions_are_rejected() {
        let shape = || attribute("shape", [2_i64]);
        let of = |value: f32| [Value::from(Tensor::vector(vec![value]))];
        refused(
            ("", "RandomNormal", 1),
            &[],
            &[shape(), attribute("scale", -1.0_f32)],
            "scale -1",
        );
        refused(
            ("", "RandomUniform", 1),
            &[],
            &[shape(), attribute("low", 2.0_f32)],
            "from 2 to 1",
        );
        refused(
            ("", "RandomUniform", 1),
            &[],
            &[attribute("shape", [-2_i64])],
            "-2",
        );
        refused(
            ("", "RandomUniform", 1),
            &[],
            &[shape(), attribute("dtype", 16_i64)],
            "bfloat16",
        );
        refused(("", "Bernoulli", 15), &of(1.5), &[], "1.5");
        refused(("", "Multinomial", 7), &of(1.0), &[], "[1]");
        let nothing = Tensor::new(&[1, 2], vec![bf16::NEG_INFINITY; 2]).expect("a tensor");
        refused(("", "Multinomial", 22), &[nothing.into()], &[], "row 0");
    }
}
