//! What a profile claims: operators, their versions, and element types.

use std::str::FromStr;

use harness_corpus::pattern::CasePattern;
use onnx_schema::{TypeRef, canonical_domain, lookup};
use onnx_tensor::DType;
use run_record::Exercise;
use schemars::JsonSchema;
use serde::Deserialize;

/// Operators that the provider claims to run.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Names with their domain, except that of ai.onnx, or globs: `Conv`, `Reduce*`, `com.microsoft.Gelu`.
    operators: Vec<CasePattern>,
    /// The since-versions.
    versions: Versions,
    /// The element types of the operator's data; empty for all.
    types: Vec<DType>,
}

/// An inclusive range of since-versions: `13`, `7..13`, `13..` or `..13`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Versions {
    first: u32,
    last: u32,
}

/// Operators that the provider claims to run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenClaim {
    /// Names or globs, with the domain unless it is ai.onnx: `Conv`, `Reduce*`, `com.microsoft.Gelu`.
    #[schemars(length(min = 1))]
    operators: Vec<String>,
    /// The since-versions: `13`, `7..13`, `13..` or `..13`; all by default.
    #[schemars(regex(pattern = "^[0-9]*(\\.\\.[0-9]*)?$"))]
    versions: Option<String>,
    /// The element types of the first input, or of the first output of an operator without inputs, which
    /// must be a tensor; all types and kinds of values by default.
    #[serde(default)]
    types: Vec<String>,
}

impl WrittenClaim {
    /// The claim, or what is wrong with it.
    pub fn read(self) -> Result<Claim, String> {
        if self.operators.is_empty() {
            return Err("`operators` is empty: name at least one, or `*`".to_owned());
        }
        let pattern = |text: &String| CasePattern::new(text).map_err(|error| error.to_string());
        let operators = self.operators.iter().map(pattern).collect::<Result<_, _>>()?;
        let versions = self.versions.as_deref().unwrap_or("..");
        let types = self.types.iter().map(|name| dtype(name));
        Ok(Claim {
            operators,
            versions: versions.parse()?,
            types: types.collect::<Result<_, _>>()?,
        })
    }
}

impl Claim {
    /// Whether it covers this use of an operator.
    pub fn covers(&self, exercise: &Exercise) -> bool {
        let Some((operator, since)) = exercise.operator.rsplit_once('-') else {
            return false;
        };
        let Ok(since) = since.parse::<u32>() else {
            return false;
        };
        (self.versions.first..=self.versions.last).contains(&since)
            && self.operators.iter().any(|pattern| pattern.matches(operator))
            && self.covers_types(operator, since, exercise)
    }

    /// A use with sequences, maps or optionals, or with unknown types, is covered by a claim of all types
    /// only.
    fn covers_types(&self, operator: &str, since: u32, exercise: &Exercise) -> bool {
        if self.types.is_empty() {
            return true;
        }
        let types = data_types(operator, since, exercise);
        let known = |name: &String| self.types.iter().any(|dtype| name == dtype.onnx_name());
        !types.is_empty() && types.iter().all(known)
    }
}

/// The types of the operator's data: those of its first input, or of its first output if it has none.
fn data_types<'e>(operator: &str, since: u32, exercise: &'e Exercise) -> &'e [String] {
    let (domain, name) = operator.rsplit_once('.').unwrap_or(("", operator));
    let found = lookup(canonical_domain(domain), name, since)
        .and_then(|schema| schema.inputs.first().or(schema.outputs.first()));
    let key = found.map(|formal| match formal.type_ref {
        TypeRef::Constraint(variable) => variable,
        TypeRef::Concrete(_) => formal.name,
    });
    let types = key.and_then(|key| exercise.types.get(key));
    types.map_or(&[], Vec::as_slice)
}

pub(super) fn dtype(name: &str) -> Result<DType, String> {
    DType::from_onnx_name(name)
        .map_err(|_| format!("`{name}` is not an element type, as in float16 or int64"))
}

impl FromStr for Versions {
    type Err = String;

    fn from_str(text: &str) -> Result<Versions, String> {
        let wanted = || format!("`{text}` is not a range of versions, as in 13, 7..13 or 13..");
        let number = |text: &str, default: u32| match text.trim() {
            "" => Ok(default),
            digits => digits.parse().map_err(|_| wanted()),
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first, 1)?, number(last, u32::MAX)?),
            None => {
                let only = text.trim().parse().map_err(|_| wanted())?;
                (only, only)
            }
        };
        if first <= last {
            Ok(Versions { first, last })
        } else {
            Err(wanted())
        }
    }
}
