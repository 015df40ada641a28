//! Symbolic dimensions of inputs.

use std::collections::BTreeMap;

use onnx_model::ValueInfo;
use onnx_shapes::Wishes;
use onnx_tensor::{Dim, Value, ValueType};

use super::request::Otherwise;
use super::shown;
use super::usual::{BATCH, HEIGHT, LARGE, OTHER, WIDTH, batches, default, key, place, shape, timed};
use crate::error::InputProblem;

/// By how much other extents than the usual ones are greater, and less: windows may need many samples, and
/// tables may have few rows.
const FACTORS: [usize; 3] = [4, 16, 64];

/// The greatest usual extent where greater ones take too long.
pub(super) const FEW: usize = 6;

/// The source of an extent that nothing decides.
pub(super) const DEFAULT: &str = "default";
/// The source of an extent that conditions of the model decide.
pub(super) const FITTING: &str = "fits the model";

/// Whether an extent from this source may be another one.
pub(super) fn is_chosen(source: &str) -> bool {
    [DEFAULT, FITTING].contains(&source)
}

/// The symbolic dimensions of a model's inputs with their known extents.
#[derive(Clone, Debug)]
pub(crate) struct Dims {
    /// The extent of each dimension, by name, with its source.
    known: BTreeMap<String, Option<(usize, &'static str)>>,
    /// The shapes of inputs for which the model declares none.
    undeclared: BTreeMap<String, Vec<usize>>,
    /// The usual extent of each dimension that is a batch, for all inputs that have it.
    batches: BTreeMap<String, usize>,
    /// Which of several extents open dimensions get; 0 for the defaults.
    variant: usize,
    /// Extents that are preferred to the defaults, by input.
    near: BTreeMap<String, Vec<i64>>,
    /// Whether a batch is one sample.
    is_single: bool,
    /// What is drawn in place of the usual extents.
    otherwise: Otherwise,
}

impl Dims {
    /// The dimensions of `inputs`, with the extents of `dims` (`NAME=EXTENT`) and `shapes`
    /// (`INPUT=1x3x224x224`).
    pub fn new(inputs: &[ValueInfo], dims: &[String], shapes: &[String]) -> Result<Dims, InputProblem> {
        let axes = inputs.iter().flat_map(|info| {
            shape(info)
                .into_iter()
                .flatten()
                .enumerate()
                .map(move |(axis, dim)| (info, axis, dim))
        });
        let mut found = Dims {
            known: axes
                .filter_map(|(info, axis, dim)| Some((key(info, axis, dim)?, None)))
                .collect(),
            undeclared: BTreeMap::new(),
            batches: batches(inputs, |_| false),
            variant: 0,
            near: BTreeMap::new(),
            is_single: false,
            otherwise: Otherwise::Usual,
        };
        for text in dims {
            found.dim(text)?;
        }
        for text in shapes {
            found.shape(inputs, text)?;
        }
        Ok(found)
    }

    /// The dimensions of inputs, of which these have ids of something in an embedding.
    pub fn of_ids(self, inputs: &[ValueInfo], has_ids: impl Fn(&ValueInfo) -> bool) -> Dims {
        let batches = batches(inputs, has_ids);
        Dims { batches, ..self }
    }

    /// The dimensions whose open extents are those of a variant.
    pub fn of_variant(self, variant: usize) -> Dims {
        Dims { variant, ..self }
    }

    /// The dimensions, of which a batch is one sample if `is_single`.
    pub fn of_one_sample(self, is_single: bool) -> Dims {
        Dims { is_single, ..self }
    }

    /// The dimensions after a refusal.
    pub fn otherwise(self, otherwise: Otherwise) -> Dims {
        Dims { otherwise, ..self }
    }

    /// The extent that an axis gets if nothing else decides it.
    fn usual(&self, info: &ValueInfo, name: &str, axis: usize) -> usize {
        let rank = shape(info).unwrap_or_default().len();
        let batch = || {
            if self.is_single {
                1
            } else {
                self.batches.get(name).copied().unwrap_or(BATCH)
            }
        };
        let known = default(&info.name, name, place(info, axis), rank);
        let known = if self.is_single { known.map(timed) } else { known };
        let extent = known.unwrap_or_else(batch);
        let extent = match self.otherwise {
            Otherwise::FewElements => extent.min(FEW),
            Otherwise::Square if extent == WIDTH => HEIGHT,
            _ => extent,
        };
        let Some(variant) = self.variant.checked_sub(1) else {
            return extent;
        };
        let step = variant / 3 + 1;
        let factor = FACTORS.get(step - 1).copied().unwrap_or(step + 1);
        match (variant % 3, extent) {
            (0, _) | (1, ..=1) => extent.saturating_add(step),
            (1, _) if known.is_none() => extent.saturating_add(step),
            (1, ..LARGE) => extent.saturating_mul(factor),
            (1, _) => extent.saturating_mul(step + 1),
            _ => (extent / factor).max(1),
        }
    }

    fn dim(&mut self, text: &str) -> Result<(), InputProblem> {
        let form = || InputProblem::Form {
            text: text.to_owned(),
            form: "NAME=EXTENT, as in batch=1",
        };
        // A name may contain `=`, the number cannot.
        let (name, extent) = text.rsplit_once('=').ok_or_else(form)?;
        let extent = extent.parse().map_err(|_| form())?;
        if !self.known.contains_key(name) {
            return Err(InputProblem::UnknownDim {
                name: name.to_owned(),
                known: self.names(),
            });
        }
        self.set(name, extent, "--dim")
    }

    fn shape(&mut self, inputs: &[ValueInfo], text: &str) -> Result<(), InputProblem> {
        let form = || InputProblem::Form {
            text: text.to_owned(),
            form: "INPUT=EXTENTxEXTENT…, as in image=1x3x224x224",
        };
        let (name, extents) = text.rsplit_once('=').ok_or_else(form)?;
        let extents: Vec<usize> = extents
            .split('x')
            .map(|extent| extent.parse().map_err(|_| form()))
            .collect::<Result<_, _>>()?;
        let info = super::known(inputs, name)?;
        let unfit = || InputProblem::Shape {
            name: name.to_owned(),
            given: text.rsplit_once('=').map_or(text, |(_, given)| given).to_owned(),
            declared: info
                .value_type
                .as_ref()
                .map_or_else(|| "no type".to_owned(), shown),
        };
        let declared = match &info.value_type {
            Some(ValueType::Tensor { shape, .. }) => shape,
            _ => return Err(unfit()),
        };
        let Some(declared) = declared else {
            self.undeclared.insert(name.to_owned(), extents);
            return Ok(());
        };
        if declared.len() != extents.len() {
            return Err(unfit());
        }
        for (axis, (dim, extent)) in declared.iter().zip(extents).enumerate() {
            match (dim, key(info, axis, dim)) {
                (Dim::Fixed(fixed), _) if *fixed != extent => return Err(unfit()),
                (_, Some(key)) => self.set(&key, extent, "--shape")?,
                (_, None) => {}
            }
        }
        Ok(())
    }

    /// Sets the extent of a dimension; an error if it already has another one.
    fn set(&mut self, name: &str, extent: usize, by: &'static str) -> Result<(), InputProblem> {
        match self.known.insert(name.to_owned(), Some((extent, by))).flatten() {
            Some((other, who)) if other != extent => Err(InputProblem::DimConflict {
                name: name.to_owned(),
                one: format!("{other} ({who})"),
                other: format!("{extent} ({by})"),
            }),
            _ => Ok(()),
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.known.keys().map(|name| format!("`{name}`")).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    }

    /// Sets extents from the shape of a given value.
    ///
    /// # Errors
    /// An extent differs from the one set before.
    pub fn learn(&mut self, info: &ValueInfo, value: &Value) -> Result<(), InputProblem> {
        let found = value.value_type();
        let ValueType::Tensor {
            shape: Some(found), ..
        } = found
        else {
            return Ok(());
        };
        for (axis, (dim, found)) in shape(info).into_iter().flatten().zip(found).enumerate() {
            if let (Some(key), Dim::Fixed(extent)) = (key(info, axis, dim), found) {
                self.set(&key, extent, "an input")?;
            }
        }
        Ok(())
    }

    /// The extents that are known of each axis, and otherwise those that its axes get by default.
    pub fn wishes<'i>(&self, inputs: impl Iterator<Item = &'i ValueInfo>) -> Wishes {
        let mut wishes = Wishes::default();
        for info in inputs {
            let dims = shape(info).unwrap_or_default();
            for (axis, dim) in dims.iter().enumerate() {
                let Some(key) = key(info, axis, dim) else { continue };
                match self.known.get(&key).copied().flatten() {
                    Some((extent, _)) => wishes.given.push((info.name.clone(), axis, extent as i64)),
                    None => {
                        let near = self.near.get(&info.name).and_then(|near| near.get(axis)).copied();
                        let extent = near.unwrap_or_else(|| self.usual(info, &key, axis) as i64);
                        wishes.preferred.insert((info.name.clone(), axis), extent);
                    }
                }
            }
        }
        wishes
    }

    /// The same dimensions, whose open extents are to be near these.
    pub fn near(&self, extents: &BTreeMap<String, Vec<i64>>) -> Dims {
        Dims {
            near: extents.clone(),
            ..self.clone()
        }
    }

    /// Sets the open extents of an input to those that fit the model.
    pub fn fit(&mut self, info: &ValueInfo, extents: &[i64]) {
        let dims = shape(info).unwrap_or_default();
        for (axis, (dim, &extent)) in dims.iter().zip(extents).enumerate() {
            let (Some(key), Ok(extent)) = (key(info, axis, dim), usize::try_from(extent)) else {
                continue;
            };
            let usual = self.usual(info, &key, axis);
            let place = self.known.entry(key).or_default();
            place.get_or_insert((extent, if extent == usual { DEFAULT } else { FITTING }));
        }
    }

    /// The extents of an input; `None` if it has no shape.
    pub fn resolve(&mut self, info: &ValueInfo) -> Option<Vec<usize>> {
        let Some(dims) = shape(info) else {
            return self.undeclared.get(&info.name).cloned();
        };
        let extents = dims
            .iter()
            .enumerate()
            .map(|(axis, dim)| match (dim, key(info, axis, dim)) {
                (Dim::Fixed(extent), _) => *extent,
                (_, Some(key)) => {
                    let usual = self.usual(info, &key, axis);
                    let place = self.known.entry(key).or_default();
                    place.get_or_insert((usual, DEFAULT)).0
                }
                (_, None) => OTHER,
            });
        Some(extents.collect())
    }

    /// The extents of a tensor in a sequence, a map or an optional.
    pub fn nested(&self, declared: Option<&[Dim]>) -> Vec<usize> {
        const RANKS: [&[usize]; 4] = [&[3, OTHER], &[OTHER], &[2, 3, OTHER], &[2, 3, OTHER, OTHER]];
        let Some(declared) = declared else {
            return RANKS[self.variant % RANKS.len()].to_vec();
        };
        let extent = |dim: &Dim| match dim {
            Dim::Fixed(extent) => *extent,
            Dim::Named(name) => self
                .known
                .get(name)
                .copied()
                .flatten()
                .map_or(OTHER, |(extent, _)| extent),
            Dim::Unknown => OTHER,
        };
        declared.iter().map(extent).collect()
    }

    /// The extent that an axis would get; does not set it.
    pub fn peek(&self, info: &ValueInfo) -> Option<Vec<Option<usize>>> {
        let dims = shape(info)?;
        let extents = dims.iter().enumerate().map(|(axis, dim)| match dim {
            Dim::Fixed(extent) => Some(*extent),
            dim => key(info, axis, dim)
                .and_then(|key| self.known.get(&key).copied().flatten())
                .map(|(extent, _)| extent),
        });
        Some(extents.collect())
    }

    /// Every dimension whose extent was used.
    pub fn used(&self) -> Vec<(String, usize, &'static str)> {
        let known = self
            .known
            .iter()
            .filter_map(|(name, found)| Some((name, (*found)?)));
        known
            .map(|(name, (extent, why))| (name.clone(), extent, why))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::DType;

    use super::*;

    fn input(name: &str, shape: Vec<Dim>) -> ValueInfo {
        ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(shape),
            }),
        }
    }

    #[test]
    fn a_dimension_has_one_extent_in_all_inputs() {
        let named = |name: &str| Dim::Named(name.to_owned());
        let a = input("a", vec![named("batch"), named("seq"), Dim::Fixed(3)]);
        let b = input("b", vec![named("seq"), Dim::Unknown]);
        let inputs = [a.clone(), b.clone()];
        let mut dims = Dims::new(&inputs, &["seq=5".to_owned()], &[]).unwrap();
        assert_eq!(dims.resolve(&a), Some(vec![2, 5, 3]));
        assert_eq!(dims.resolve(&b), Some(vec![5, 16]));
        let used = dims.used();
        assert!(used.contains(&("seq".to_owned(), 5, "--dim")), "{used:?}");
        assert!(used.contains(&("b:1".to_owned(), 16, "default")), "{used:?}");
    }

    #[test]
    fn variants_have_other_extents_where_nothing_decides_them() {
        let named = |name: &str| Dim::Named(name.to_owned());
        let info = input("a", vec![named("batch"), named("seq"), named("k")]);
        let check = |variant: usize, expected: [usize; 3]| {
            let dims = Dims::new(std::slice::from_ref(&info), &["k=7".to_owned()], &[]).unwrap();
            let found = dims.of_variant(variant).resolve(&info);
            assert_eq!(found, Some(expected.to_vec()), "variant {variant}");
        };
        check(0, [2, 16, 7]);
        check(1, [3, 17, 7]);
        check(2, [3, 64, 7]);
        check(8, [5, 1024, 7]);
        check(3, [1, 4, 7]);
        check(4, [4, 18, 7]);
    }

    #[test]
    fn invalid_dimensions_are_errors() {
        let inputs = [input("a", vec![Dim::Named("batch".to_owned())])];
        for (text, part) in [
            (
                "sequence=1",
                "no symbolic dimension `sequence`; the inputs have `batch`",
            ),
            ("batch", "NAME=EXTENT"),
            ("batch=-1", "NAME=EXTENT"),
        ] {
            let error = Dims::new(&inputs, &[text.to_owned()], &[])
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_shape_gives_symbolic_dimensions_their_extents() {
        let named = |name: &str| Dim::Named(name.to_owned());
        let image = input("image", vec![named("n"), Dim::Fixed(3), Dim::Unknown]);
        let mut free = input("free", vec![]);
        free.value_type = Some(ValueType::tensor(DType::Float));
        let inputs = [image.clone(), free.clone()];
        let shapes = ["image=8x3x20", "free=2x5"].map(str::to_owned);
        let mut dims = Dims::new(&inputs, &[], &shapes).unwrap();
        assert_eq!(dims.resolve(&image), Some(vec![8, 3, 20]));
        assert_eq!(dims.resolve(&free), Some(vec![2, 5]));
        for (dims, shape, part) in [
            (
                &[][..],
                "image=8x3",
                "shape 8x3 does not fit tensor(float)[n, 3, ?]",
            ),
            (&[], "image=8x4x20", "shape 8x4x20 does not fit"),
            (&[], "image=8xax20", "INPUT=EXTENTxEXTENT"),
            (&[], "image", "INPUT=EXTENTxEXTENT"),
            (&[], "other=1", "no input `other`"),
            (
                &["n=1".to_owned()],
                "image=8x3x20",
                "dimension `n` has the extents 1 (--dim) and 8 (--shape)",
            ),
        ] {
            let error = Dims::new(&inputs, dims, &[shape.to_owned()])
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{shape}: {error}");
        }
    }

    #[test]
    fn a_value_with_another_extent_than_given_is_an_error() {
        let inputs = [input("a", vec![Dim::Named("batch".to_owned())])];
        let mut dims = Dims::new(&inputs, &["batch=8".to_owned()], &[]).unwrap();
        let value = |count: usize| Value::from(onnx_tensor::Tensor::vector(vec![0.0_f32; count]));
        dims.learn(&inputs[0], &value(8)).unwrap();
        let error = dims.learn(&inputs[0], &value(1)).unwrap_err().to_string();
        assert!(
            error.contains("`batch` has the extents 8 (an input) and 1 (an input)"),
            "{error}"
        );
    }
}
