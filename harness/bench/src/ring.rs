//! The inputs of a timed model: a ring of sets that differ, and sets that are new to every backend.

use backend_api::Named;
use harness_investigate::inputs::Role;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

use super::inputs::{Style, seeded};

/// The number of input sets that rotate.
pub(super) const RING: usize = 4;

/// A vector of floats with at most this number of elements may be a scale or a threshold that determines
/// shapes.
const SMALL: usize = 8;

/// The fraction by which floats of each further set are smaller, so that sets differ even if all
/// elements are equal.
const SHRINK: f64 = 1.0 / 256.0;

/// The fraction of the elements by which each further fresh set is rotated: no multiple of it is close
/// to an integer.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Sets of inputs with equal types and shapes.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    /// The sets that rotate: [`RING`], or one if nothing can be varied.
    pub sets: Vec<Vec<Named>>,
    maker: Maker,
}

/// The source of further sets.
#[derive(Clone, Debug)]
enum Maker {
    /// Random values in place of the floats of a template.
    Drawn {
        template: Vec<Named>,
        style: Style,
        seed: u64,
    },
    /// The elements of the first set, rotated for the inputs whose flag is set.
    Rotated { base: Vec<Named>, varied: Vec<bool> },
}

impl Ring {
    /// Sets of random values: new float32 tensors; other values are those of `template`.
    pub fn drawn(template: &[Named], style: Style, seed: u64) -> Result<Ring, TensorError> {
        let maker = Maker::Drawn {
            template: template.to_vec(),
            style,
            seed,
        };
        let sets = (0..RING as u64).map(|number| maker.set(number, number as f64));
        Ok(Ring {
            sets: sets.collect::<Result<_, _>>()?,
            maker,
        })
    }

    /// A ring of the given sets, at least one, with equal types and shapes. If they are too few, further
    /// sets have the same elements in a rotated order, floats also slightly smaller; inputs whose role
    /// requires certain values are unchanged.
    pub fn of(sets: Vec<Vec<Named>>, roles: &[Role]) -> Ring {
        let mut given: Vec<Vec<Named>> = Vec::new();
        for set in sets {
            if given.len() < RING && !given.iter().any(|known| same(known, &set)) {
                given.push(set);
            }
        }
        let base = given.first().cloned().unwrap_or_default();
        // Integers of unknown meaning may be shapes: they are varied only if nothing else is.
        let choices = [Caution::Careful, Caution::Bold].map(|caution| {
            let varied = base
                .iter()
                .zip(roles)
                .map(|((_, value), role)| varies(value, role, caution));
            Ring::rotated(given.clone(), &base, varied.collect())
        });
        let [careful, bold] = choices;
        if careful.sets.len() > 1 { careful } else { bold }
    }

    fn rotated(mut sets: Vec<Vec<Named>>, base: &[Named], varied: Vec<bool>) -> Ring {
        let maker = Maker::Rotated {
            base: base.to_vec(),
            varied,
        };
        for number in sets.len()..RING {
            match maker.set(number as u64, number as f64 / RING as f64) {
                Ok(set) if !sets.iter().any(|known| same(known, &set)) => sets.push(set),
                _ => {
                    // A small cache could hold a ring of two inputs.
                    sets.truncate(1);
                    break;
                }
            }
        }
        Ring { sets, maker }
    }

    /// The same sets with another first set.
    pub fn beginning_with(mut self, first: Vec<Named>) -> Ring {
        if let Some(place) = self.sets.first_mut() {
            *place = first;
        }
        self
    }

    /// Whether inputs differ between runs.
    pub fn varies(&self) -> bool {
        self.sets.len() == RING
    }

    /// The `number`-th set that is not in the ring; `None` if it cannot be made.
    pub fn fresh(&self, number: u64) -> Option<Vec<Named>> {
        let number = number + RING as u64;
        let set = self.maker.set(number, (number as f64 * GOLDEN).fract()).ok()?;
        (!self.sets.iter().any(|known| same(known, &set))).then_some(set)
    }
}

impl Maker {
    fn set(&self, number: u64, part: f64) -> Result<Vec<Named>, TensorError> {
        match self {
            Maker::Drawn {
                template,
                style,
                seed,
            } => seeded(template, *style, *seed, number),
            Maker::Rotated { base, varied } => base
                .iter()
                .zip(varied)
                .map(|((name, value), varied)| match value {
                    Value::Tensor(tensor) if *varied => {
                        // The shrinking starts again at the 64th set: a float is never smaller than
                        // three quarters of the first.
                        let shrink = 1.0 - SHRINK * (number % 64) as f64;
                        Ok((name.clone(), rotated(tensor, part, shrink)?.into()))
                    }
                    value => Ok((name.clone(), value.clone())),
                })
                .collect(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Caution {
    Careful,
    Bold,
}

/// Whether the values of an input may differ in the next run.
fn varies(value: &Value, role: &Role, caution: Caution) -> bool {
    let Value::Tensor(tensor) = value else {
        return false;
    };
    let float = tensor.dtype().is_float();
    match role {
        Role::Index { .. } | Role::Image => true,
        Role::Mask | Role::Position { .. } | Role::Length { .. } | Role::Compared(_) | Role::Operand(_) => {
            false
        }
        Role::Integer | Role::Other => {
            let parameter = tensor.rank() <= 1 && tensor.len() <= SMALL;
            caution == Caution::Bold || float && !parameter
        }
    }
}

/// The elements in an order that starts at the fraction `part` of them, floats multiplied by `shrink`.
fn rotated(tensor: &Tensor, part: f64, shrink: f64) -> Result<Tensor, TensorError> {
    let float = tensor.dtype().is_float();
    dispatch!(real, tensor.dtype(), T => {
        let mut elements = tensor.to_vec::<T>()?;
        let begin = ((elements.len() as f64 * part) as usize).min(elements.len());
        elements.rotate_left(begin);
        if float {
            for element in &mut elements {
                *element = <T as Real>::from_f64(<T as Real>::to_f64(*element) * shrink);
            }
        }
        Tensor::new(tensor.shape(), elements)
    })
}

/// Whether two sets are equal; values other than tensors count as equal, because they are not compared.
fn same(a: &[Named], b: &[Named]) -> bool {
    a.iter().zip(b).all(|((_, a), (_, b))| match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => a.same_bits(b),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tensor: Tensor) -> Vec<Named> {
        vec![("x".to_owned(), tensor.into())]
    }

    #[track_caller]
    fn check(tensor: Tensor, role: Role, varies: bool) {
        let ring = Ring::of(vec![named(tensor)], &[role]);
        assert_eq!(ring.varies(), varies);
        if varies {
            for (index, set) in ring.sets.iter().enumerate() {
                assert!(!ring.sets[..index].iter().any(|known| same(known, set)));
            }
            let fresh = ring.fresh(3).unwrap();
            assert!(!ring.sets.iter().any(|known| same(known, &fresh)));
        }
    }

    #[test]
    fn the_sets_of_a_ring_differ() {
        let floats = Tensor::new(&[4, 4], (0..16_u8).map(f32::from).collect()).unwrap();
        check(floats, Role::Other, true);
        check(
            Tensor::new(&[1, 3, 2, 2], vec![0.5_f32; 12]).unwrap(),
            Role::Image,
            true,
        );
        let ids = Tensor::vector((0..40_i64).collect());
        check(ids, Role::Index { rows: 40 }, true);
        // A model whose only input is a scalar: it is varied because nothing else can be.
        check(Tensor::scalar(2.0_f32), Role::Other, true);
    }

    #[test]
    fn each_given_set_is_used_once() {
        let set = |begin: u8| named(Tensor::vector((begin..begin + 20).map(f32::from).collect()));
        let ring = Ring::of(vec![set(0), set(0), set(1)], &[Role::Other]);
        assert!(ring.varies());
        assert!(same(&ring.sets[0], &set(0)) && same(&ring.sets[1], &set(1)));
        assert!(!same(&ring.sets[2], &set(0)));
    }

    #[test]
    fn inputs_that_cannot_be_varied_are_unchanged() {
        check(Tensor::vector(vec![1_i64; 8]), Role::Mask, false);
        check(Tensor::vector(vec![3_i64; 40]), Role::Index { rows: 4 }, false);
        check(Tensor::vector(vec![0.0_f32; 40]), Role::Other, false);
    }

    #[test]
    fn possible_shapes_are_unchanged_if_other_inputs_vary() {
        let image = (
            "x".to_owned(),
            Tensor::new(&[1, 1, 4, 4], vec![0.5_f32; 16]).unwrap().into(),
        );
        let shape = ("shape".to_owned(), Tensor::vector(vec![4_i64, 2, 2]).into());
        let ring = Ring::of(vec![vec![image, shape.clone()]], &[Role::Image, Role::Other]);
        assert!(ring.varies());
        for set in &ring.sets {
            assert!(same(&set[1..], std::slice::from_ref(&shape)));
        }
    }

    #[test]
    fn rotated_elements_are_those_of_the_first_set() {
        let tensor = Tensor::vector((0..8_i64).collect());
        let ids: Vec<i64> = rotated(&tensor, 0.25, 0.5).unwrap().to_vec().unwrap();
        assert_eq!(ids, [2, 3, 4, 5, 6, 7, 0, 1]);
        let tensor = Tensor::vector(vec![4.0_f32, 8.0]);
        let floats: Vec<f32> = rotated(&tensor, 0.5, 0.5).unwrap().to_vec().unwrap();
        assert_eq!(floats, [4.0, 2.0]);
    }
}
