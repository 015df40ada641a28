//! Maps a node to its distribution.

use onnx_model::{Attribute, AttributeValue};
use onnx_schema::{DefaultValue, OperatorSchema};
use onnx_tensor::{Tensor, Value};

use crate::Contract;
use crate::contract::reals;

/// A node with the schema of its version.
struct Node<'a> {
    schema: &'a OperatorSchema,
    attributes: &'a [Attribute],
    inputs: &'a [Option<Value>],
}

/// The operators of the default domain that [`Contract::of_node`] supports.
pub(crate) const OPERATORS: [&str; 7] = [
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Bernoulli",
    "Multinomial",
    "Dropout",
];

impl Contract {
    /// The distribution of the first output of a node. `None` for an operator that is not random (including
    /// Dropout outside of training), and for invalid parameters.
    pub fn of_node(
        schema: &OperatorSchema,
        attributes: &[Attribute],
        inputs: &[Option<Value>],
    ) -> Option<Contract> {
        let node = Node {
            schema,
            attributes,
            inputs,
        };
        match (schema.domain, schema.name) {
            ("", "RandomNormal") => node.normal(node.shape_attribute()?),
            ("", "RandomNormalLike") => node.normal(node.tensor(0)?.len()),
            ("", "RandomUniform") => node.uniform(node.shape_attribute()?),
            ("", "RandomUniformLike") => node.uniform(node.tensor(0)?.len()),
            ("", "Bernoulli") => node.bernoulli(),
            ("", "Multinomial") => node.multinomial(),
            ("", "Dropout") => node.dropout(),
            _ => None,
        }
    }
}

impl Node<'_> {
    fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        let mut given = self.attributes.iter();
        given
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    }

    /// A numeric attribute: from the node, otherwise the default of the schema.
    fn number(&self, name: &str) -> Option<f64> {
        match self.attribute(name) {
            Some(AttributeValue::Float(value)) => Some((*value).into()),
            Some(AttributeValue::Int(value)) => Some(*value as f64),
            Some(_) => None,
            None => match self.schema.attribute(name)?.default? {
                DefaultValue::Float(value) => Some(value.into()),
                DefaultValue::Int(value) => Some(value as f64),
                _ => None,
            },
        }
    }

    fn shape_attribute(&self) -> Option<usize> {
        let AttributeValue::Ints(extents) = self.attribute("shape")? else {
            return None;
        };
        extents.iter().try_fold(1_usize, |count, &extent| {
            count.checked_mul(usize::try_from(extent).ok()?)
        })
    }

    fn tensor(&self, index: usize) -> Option<&Tensor> {
        self.inputs.get(index)?.as_ref()?.as_tensor()
    }

    fn reals(&self, index: usize) -> Option<Vec<f64>> {
        reals(self.tensor(index)?).ok()
    }

    fn normal(&self, count: usize) -> Option<Contract> {
        let (mean, deviation) = (self.number("mean")?, self.number("scale")?);
        (mean.is_finite() && deviation.is_finite() && deviation >= 0.0).then_some(Contract::Normal {
            mean,
            deviation,
            count,
        })
    }

    fn uniform(&self, count: usize) -> Option<Contract> {
        let (low, high) = (self.number("low")?, self.number("high")?);
        (low.is_finite() && high.is_finite() && low <= high).then_some(Contract::Uniform { low, high, count })
    }

    fn bernoulli(&self) -> Option<Contract> {
        let probabilities = self.reals(0)?;
        let proper = probabilities.iter().all(|p| (0.0..=1.0).contains(p));
        proper.then_some(Contract::Bernoulli { probabilities })
    }

    fn multinomial(&self) -> Option<Contract> {
        let (&[_, classes], logarithms) = (self.tensor(0)?.shape(), self.reals(0)?) else {
            return None;
        };
        let rows = logarithms
            .chunks(classes.max(1))
            .map(softmax)
            .collect::<Option<_>>()?;
        let samples = self.number("sample_size").filter(|samples| *samples >= 0.0)? as usize;
        Some(Contract::Multinomial { rows, samples })
    }

    /// Below version 12 the node trains unless `is_test` is set (which 7 and 10 do not have: they never
    /// train); since then input 2 enables training and input 1 is the ratio.
    fn dropout(&self) -> Option<Contract> {
        let has = |name: &str| self.schema.attribute(name).is_some();
        let (training, ratio) = if has("is_test") {
            (self.number("is_test")? == 0.0, self.number("ratio")?)
        } else if has("ratio") {
            (false, 0.0)
        } else {
            let training = matches!(self.tensor(2), Some(Tensor::Bool(flag)) if flag.first() == Some(&true));
            let ratio = self
                .tensor(1)
                .map_or(Some(0.5), |_| self.reals(1)?.first().copied())?;
            (training, ratio)
        };
        let data = self.reals(0)?;
        (training && (0.0..1.0).contains(&ratio)).then_some(Contract::Dropout { data, ratio })
    }
}

/// The probabilities of unnormalised log-probabilities; `None` if there are none.
fn softmax(logarithms: &[f64]) -> Option<Vec<f64>> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|value| (value - greatest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    (greatest.is_finite() && sum.is_finite()).then(|| weights.iter().map(|weight| weight / sum).collect())
}
