//! The subjects: functions in formats, and casts.

use std::fmt;

use onnx_exact::{BF16, Consts, F16, F32, FUNCTIONS, Format, Function, correctly_rounded};
use onnx_tensor::DType;

use crate::exhaustive::codes;

/// Formats whose complete set of inputs takes only seconds.
pub const NARROW: [DType; 2] = [DType::Float16, DType::Bfloat16];

/// The number of inputs per request.
const CHUNK: u64 = 1 << 20;

/// A function in a format, or a cast.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// A unary function.
    Function {
        function: &'static Function,
        /// The type of its input and output.
        dtype: DType,
    },
    Cast {
        /// The type of the input.
        from: DType,
        /// The type of the output.
        to: DType,
        /// The value of `saturate`; `None` if the output is not an 8-bit float.
        saturate: Option<bool>,
    },
}

/// A part of the inputs of a subject.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub subject: Subject,
    /// The number of the part.
    pub chunk: u64,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Function { function, dtype } => {
                write!(f, "{}-{} {dtype}", function.operator, function.since)
            }
            Subject::Cast { from, to, saturate } => {
                write!(f, "Cast {from} to {to}")?;
                match saturate {
                    Some(false) => f.write_str(", saturate 0"),
                    Some(true) | None => Ok(()),
                }
            }
        }
    }
}

impl Subject {
    /// The type of the input.
    pub fn input(&self) -> DType {
        match self {
            Subject::Function { dtype, .. } => *dtype,
            Subject::Cast { from, .. } => *from,
        }
    }

    /// Its parts.
    pub fn jobs(self) -> impl Iterator<Item = Job> {
        let inputs = codes::count(self.input()).unwrap_or_default();
        (0..inputs.div_ceil(CHUNK)).map(move |chunk| Job { subject: self, chunk })
    }
}

impl Job {
    /// The bit patterns of the inputs.
    pub fn inputs(&self) -> Vec<u32> {
        let all = codes::count(self.subject.input()).unwrap_or_default();
        let first = self.chunk * CHUNK;
        (first..(first + CHUNK).min(all))
            .map(|code| code as u32)
            .collect()
    }

    /// The exact output of each input; `None` if it is unknown.
    pub fn expected(&self, inputs: &[u32]) -> Vec<Option<f64>> {
        match self.subject {
            Subject::Cast { from, to, saturate } => inputs
                .iter()
                .map(|code| codes::cast(codes::value(from, *code), to, saturate.unwrap_or(true)))
                .collect(),
            Subject::Function { function, dtype } => {
                let (Some(format), Ok(mut consts)) = (format(dtype), Consts::new()) else {
                    return vec![None; inputs.len()];
                };
                let value = |code: &u32| {
                    correctly_rounded(function, codes::value(dtype, *code), &format, &mut consts)
                };
                inputs.iter().map(value).collect()
            }
        }
    }
}

fn format(dtype: DType) -> Option<Format> {
    match dtype {
        DType::Float16 => Some(F16),
        DType::Bfloat16 => Some(BF16),
        DType::Float => Some(F32),
        _ => None,
    }
}

/// The functions of the operator with this name, or all, in a format.
pub fn functions(dtype: DType, names: &[String]) -> Vec<Subject> {
    let wanted =
        |function: &&Function| names.is_empty() || names.iter().any(|name| name == function.operator);
    let subject = |function| Subject::Function { function, dtype };
    FUNCTIONS.iter().filter(wanted).map(subject).collect()
}

/// Source types of casts: all types with few inputs.
const SOURCES: [DType; 16] = [
    DType::Float16,
    DType::Bfloat16,
    DType::Float8E4M3Fn,
    DType::Float8E4M3Fnuz,
    DType::Float8E5M2,
    DType::Float8E5M2Fnuz,
    DType::Float8E8M0,
    DType::Float4E2M1,
    DType::Float6E2M3,
    DType::Float6E3M2,
    DType::Int8,
    DType::Uint8,
    DType::Int4,
    DType::Uint4,
    DType::Int2,
    DType::Uint2,
];

/// Every cast between narrow types, and from them to float and double. Casts to float8e8m0 are omitted:
/// the specification does not define the result for a number that has no positive power of two near it.
pub fn casts() -> Vec<Subject> {
    let mut all = Vec::new();
    for from in SOURCES {
        let targets = SOURCES.into_iter().chain([DType::Float, DType::Double]);
        for to in targets.filter(|to| *to != from && *to != DType::Float8E8M0) {
            let saturates = match to {
                DType::Float8E4M3Fn | DType::Float8E4M3Fnuz | DType::Float8E5M2 | DType::Float8E5M2Fnuz => {
                    &[Some(true), Some(false)][..]
                }
                _ => &[None],
            };
            all.extend(
                saturates
                    .iter()
                    .map(|&saturate| Subject::Cast { from, to, saturate }),
            );
        }
    }
    all
}
