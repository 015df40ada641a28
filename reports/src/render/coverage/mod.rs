//! Coverage as text, CSV and JSON: what is exercised ([`coverage_text`] etc.), the gaps ([`gaps_text`]),
//! and the results of each backend ([`matrix_csv`]).

mod csv;
mod json;
mod text;

use std::collections::BTreeMap;

pub use self::csv::{coverage_csv, gaps_csv, matrix_csv};
pub use self::json::{CoverageJson, GapsJson, MatrixJson, coverage_json, gaps_json, matrix_json};
pub use self::text::{coverage_details, coverage_text, gaps_text};

use run_record::coverage::{Gap, VersionCoverage};

/// The version of the formats of coverage files.
const FORMAT: u32 = 1;

/// `T=float16 T1=int64`, `axis=1 mode=cubic`; several texts of one name are joined by `+`, and a name
/// without any text is written alone.
pub(super) fn assignments(texts: &BTreeMap<String, Vec<String>>) -> String {
    let words = texts.iter().map(|(name, texts)| match texts.as_slice() {
        [] => name.clone(),
        texts => format!("{name}={}", texts.join("+")),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The gaps of a version, ordered for reading.
#[derive(Default, serde::Serialize, schemars::JsonSchema)]
pub(super) struct Missing<'a> {
    /// Whether no case exercises the version.
    pub untouched: bool,
    /// Types without a case, by parameter.
    pub types: BTreeMap<&'a str, Vec<&'a str>>,
    /// Attributes that no node gives.
    pub attributes: Vec<&'a str>,
    /// Values without a case, by attribute.
    pub values: BTreeMap<&'a str, Vec<&'a str>>,
    /// Pairs that do not occur together.
    pub combinations: Vec<Apart<'a>>,
}

/// The types with which a value never occurs.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub(super) struct Apart<'a> {
    pub attribute: &'a str,
    pub value: &'a str,
    pub parameter: &'a str,
    pub types: Vec<&'a str>,
}

impl<'a> Missing<'a> {
    pub(super) fn of(version: &VersionCoverage<'a>) -> Self {
        let mut missing = Self::default();
        version.gaps().into_iter().for_each(|gap| missing.take(gap));
        missing
    }

    fn take(&mut self, gap: Gap<'a>) {
        match gap {
            Gap::Version => self.untouched = true,
            Gap::Type { parameter, of } => self.types.entry(parameter).or_default().push(of),
            Gap::Attribute { name } => self.attributes.push(name),
            Gap::Value { attribute, value } => self.values.entry(attribute).or_default().push(value),
            Gap::Combination {
                parameter,
                of,
                attribute,
                value,
            } => {
                let same = |apart: &&mut Apart| {
                    (apart.attribute, apart.value, apart.parameter) == (attribute, value, parameter)
                };
                match self.combinations.last_mut().filter(same) {
                    Some(apart) => apart.types.push(of),
                    None => self.combinations.push(Apart {
                        attribute,
                        value,
                        parameter,
                        types: vec![of],
                    }),
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        let Self {
            untouched,
            types,
            attributes,
            values,
            combinations,
        } = self;
        !untouched
            && types.is_empty()
            && attributes.is_empty()
            && values.is_empty()
            && combinations.is_empty()
    }
}
