//! Profiles: the cases that must pass for a claim.
//!
//! A profile selects cases by what they exercise, so that new cases of later releases are included
//! without an edit. The profiles are in `onnx-tests/profiles.toml`, which describes each field.

use std::collections::{BTreeMap, BTreeSet};

use run_record::{CaseExercises, Exercise};
use serde::Deserialize;

/// The built-in file of profiles.
pub const EMBEDDED: &str = include_str!("../../../onnx-tests/profiles.toml");

/// The name of the profile that includes every case of a run.
pub const ALL: &str = "all";

/// Why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The file is invalid.
    #[error("the profiles are invalid: {0}")]
    Format(String),
    /// A profile has no requirements.
    #[error("profile `{0}` has none of `domains`, `operators` and `types`: it would include every case")]
    Empty(String),
    /// There is no profile with this name.
    #[error("there is no profile `{name}`; expected one of: {known}")]
    Unknown {
        name: String,
        /// The known names, separated by commas.
        known: String,
    },
}

/// The profiles of a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// In the order of the file.
    #[serde(default)]
    profile: Vec<Profile>,
}

/// A claim, and the cases on which it depends. An omitted rule excludes no case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The name on the command line: `opset21-inference-float32`.
    pub name: String,
    /// The title in reports.
    pub title: String,
    /// Every operator of a case must belong to one of these domains (`ai.onnx` for the default one).
    #[serde(default)]
    pub domains: Option<BTreeSet<String>>,
    /// Every operator of a case must be the current version at the opset of its domain.
    #[serde(default)]
    pub opsets: BTreeMap<String, u32>,
    /// At least one operator of a case must be one of these.
    #[serde(default)]
    pub operators: Option<BTreeSet<String>>,
    /// Every type of a case must be one of these.
    #[serde(default)]
    pub types: Option<BTreeSet<String>>,
}

impl Profiles {
    /// The built-in profiles.
    ///
    /// # Errors
    /// None as long as the tests of this crate pass.
    pub fn embedded() -> Result<Profiles, ProfileError> {
        Profiles::parse(EMBEDDED)
    }

    /// Reads a file of profiles.
    ///
    /// # Errors
    /// The text is not valid TOML, has unknown fields, or has a profile without requirements.
    pub fn parse(text: &str) -> Result<Profiles, ProfileError> {
        let profiles: Profiles =
            toml::from_str(text).map_err(|error| ProfileError::Format(error.to_string()))?;
        let empty = profiles.profile.iter().find(|profile| {
            profile.domains.is_none() && profile.operators.is_none() && profile.types.is_none()
        });
        match empty {
            Some(profile) => Err(ProfileError::Empty(profile.name.clone())),
            None => Ok(profiles),
        }
    }

    /// All, in the order of the file.
    pub fn all(&self) -> &[Profile] {
        &self.profile
    }

    /// The profile with a name; `None` for [`ALL`], which has no requirements.
    ///
    /// # Errors
    /// There is no profile with this name.
    pub fn find(&self, name: &str) -> Result<Option<&Profile>, ProfileError> {
        if name == ALL {
            return Ok(None);
        }
        let found = self.profile.iter().find(|profile| profile.name == name);
        found.map(Some).ok_or_else(|| {
            let names = self.profile.iter().map(|profile| profile.name.as_str());
            ProfileError::Unknown {
                name: name.to_owned(),
                known: std::iter::once(ALL).chain(names).collect::<Vec<_>>().join(", "),
            }
        })
    }
}

impl Profile {
    /// Whether the profile includes a case. A case that exercises nothing, because it cannot be decoded,
    /// is in no profile.
    pub fn holds(&self, case: &CaseExercises) -> bool {
        let exercises = &case.exercises;
        let wanted = |exercise: &Exercise| {
            let operators = self.operators.as_ref();
            operators.is_none_or(|operators| {
                split(&exercise.operator).is_some_and(|(_, name, _)| operators.contains(name))
            })
        };
        !exercises.is_empty()
            && exercises.iter().all(|exercise| self.allows(exercise))
            && exercises.iter().any(wanted)
    }

    fn allows(&self, exercise: &Exercise) -> bool {
        let Some((domain, name, since)) = split(&exercise.operator) else {
            return false;
        };
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        let in_domain = self
            .domains
            .as_ref()
            .is_none_or(|domains| domains.contains(shown));
        let in_force = self.opsets.get(shown).is_none_or(|opset| {
            onnx_schema::lookup(domain, name, *opset).is_some_and(|schema| schema.since == since)
        });
        let types = exercise.types.values().flatten();
        let typed = self
            .types
            .as_ref()
            .is_none_or(|allowed| types.clone().all(|name| allowed.contains(name)));
        in_domain && in_force && typed
    }
}

/// Domain, name and since-version of `Softmax-13` or `ai.onnx.ml.Scaler-1`.
fn split(operator: &str) -> Option<(&str, &str, u32)> {
    let (path, since) = operator.rsplit_once('-')?;
    let (domain, name) = path.rsplit_once('.').unwrap_or(("", path));
    Some((domain, name, since.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(exercises: &[(&str, &[&str])]) -> CaseExercises {
        let exercise = |(operator, types): &(&str, &[&str])| Exercise {
            operator: (*operator).to_owned(),
            types: [(
                "T".to_owned(),
                types.iter().map(|name| (*name).to_owned()).collect(),
            )]
            .into(),
            attributes: BTreeMap::new(),
            optional: Vec::new(),
        };
        CaseExercises {
            case: "onnx/node/test".to_owned(),
            exercises: exercises.iter().map(exercise).collect(),
        }
    }

    #[track_caller]
    fn check(profile: &str, exercises: &[(&str, &[&str])], expected: bool) {
        let profiles = Profiles::embedded().expect("profiles");
        let profile = profiles.find(profile).expect("a profile").expect("not all");
        assert_eq!(
            profile.holds(&case(exercises)),
            expected,
            "{} of {exercises:?}",
            profile.name
        );
    }

    #[test]
    fn cases_are_selected_by_what_they_exercise() {
        let float32 = "opset21-inference-float32";
        check(float32, &[("Softmax-13", &["float"])], true);
        check(float32, &[("Softmax-11", &["float"])], false);
        check(float32, &[("Softmax-13", &["float16"])], false);
        check(
            float32,
            &[("Softmax-13", &["float"]), ("ai.onnx.ml.Scaler-1", &["float"])],
            false,
        );
        check(float32, &[], false);
        check("ai.onnx.ml", &[("ai.onnx.ml.Scaler-1", &["double"])], true);
        check("ai.onnx.ml", &[("Add-14", &["float"])], false);
        check(
            "quantized-int8",
            &[
                ("QuantizeLinear-21", &["uint8", "float"]),
                ("Conv-11", &["float"]),
            ],
            true,
        );
        check("quantized-int8", &[("Conv-11", &["float"])], false);
        check(
            "quantized-int8",
            &[("QuantizeLinear-21", &["float8e4m3fn", "float"])],
            false,
        );
        check(
            "training",
            &[("ai.onnx.preview.training.Adam-1", &["float"])],
            true,
        );
    }

    #[test]
    fn invalid_names_and_files_are_refused() {
        let profiles = Profiles::embedded().expect("profiles");
        assert_eq!(profiles.find(ALL), Ok(None));
        let error = profiles.find("opset22").expect_err("unknown").to_string();
        assert!(
            error.starts_with("there is no profile `opset22`; expected one of: all, opset21-"),
            "{error}"
        );
        for (text, expected) in [
            ("[[profile]]\nname = 'a'\ntitle = 'b'", "profile `a` has none of"),
            ("[[profile]]\nname = 'a'\nkind = 'b'", "unknown field `kind`"),
        ] {
            let error = Profiles::parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
