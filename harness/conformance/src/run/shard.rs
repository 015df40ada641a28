//! Shards: several runs that share the selected cases, for example the jobs of a CI matrix.

use std::fmt;
use std::str::FromStr;

use harness_corpus::{CaseDefect, CaseFiles, CaseId, Sha256};

/// One part of the selected cases. A case belongs to the same shard in every run with the same
/// number of shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// From 1 to `count`.
    index: u32,
    count: u32,
}

/// Why a shard is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShardError {
    /// The text is not of the form K/N.
    #[error("`{0}` is not a shard: expected K/N with K from 1 to N, as in 2/8")]
    Form(String),
    /// No environment variable specifies a shard.
    #[error("no shard: give `--shard K/N`, or set {}", known())]
    None,
    /// A variable has an invalid value.
    #[error("the variables {index} and {count} specify no shard: {index} is {values}")]
    Variables {
        /// The variable of the number.
        index: &'static str,
        /// The variable of the count.
        count: &'static str,
        /// The two values.
        values: String,
    },
}

/// The variables by which a CI system or a scheduler numbers its jobs.
struct Variables {
    system: &'static str,
    index: &'static str,
    count: &'static str,
    /// The variable with the first number, or the number itself.
    first: First,
}

enum First {
    Number(u32),
    Variable(&'static str),
}

/// The first of these whose `index` is set is used.
const VARIABLES: [Variables; 5] = [
    Variables {
        system: "any system",
        index: "SHARD_INDEX",
        count: "SHARD_COUNT",
        first: First::Number(1),
    },
    Variables {
        system: "GitLab",
        index: "CI_NODE_INDEX",
        count: "CI_NODE_TOTAL",
        first: First::Number(1),
    },
    Variables {
        system: "Bazel",
        index: "TEST_SHARD_INDEX",
        count: "TEST_TOTAL_SHARDS",
        first: First::Number(0),
    },
    Variables {
        system: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        count: "SLURM_ARRAY_TASK_COUNT",
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
    },
    // A job of Kubernetes does not know the number of completions: the manifest sets the second
    // variable.
    Variables {
        system: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        count: "JOB_COMPLETIONS",
        first: First::Number(0),
    },
];

fn known() -> String {
    let names = VARIABLES.map(|one| format!("{} and {} ({})", one.index, one.count, one.system));
    names.join(", ")
}

impl Shard {
    /// The shard that the environment variables specify.
    ///
    /// # Errors
    /// The variables are not set, or specify no shard.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, ShardError> {
        let found = VARIABLES.iter().find_map(|one| Some((one, variable(one.index)?)));
        let (one, index) = found.ok_or(ShardError::None)?;
        let count = variable(one.count);
        let first = match one.first {
            First::Number(number) => Some(number),
            First::Variable(name) => variable(name).and_then(|text| text.parse().ok()),
        };
        let shard = || {
            let (index, first): (u32, u32) = (index.parse().ok()?, first?);
            Shard::new(
                index.checked_sub(first)?.checked_add(1)?,
                count.as_deref()?.parse().ok()?,
            )
        };
        shard().ok_or_else(|| ShardError::Variables {
            index: one.index,
            count: one.count,
            values: match &count {
                Some(count) => format!("`{index}`, {} is `{count}`", one.count),
                None => format!("`{index}`, {} is not set", one.count),
            },
        })
    }

    fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Whether the case belongs to this shard. A variant belongs to the shard of its plain case, with
    /// which it is compared.
    pub fn has(&self, id: &CaseId) -> bool {
        let digest = Sha256::of(id.plain().to_string().as_bytes());
        let [a, b, c, d, ..] = *digest.bytes();
        u32::from_be_bytes([a, b, c, d]) % self.count == self.index - 1
    }

    /// The cases and defects of this shard.
    pub fn share(self, cases: &mut Vec<CaseFiles>, defects: &mut Vec<CaseDefect>) {
        cases.retain(|case| self.has(&case.id));
        defects.retain(|defect| self.has(&defect.id));
    }

    /// The shard as a record of the log.
    pub fn record(self, selected: u64) -> run_record::Shard {
        run_record::Shard {
            index: self.index,
            count: self.count,
            selected,
        }
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parsed = text
            .split_once('/')
            .and_then(|(index, count)| Shard::new(index.parse().ok()?, count.parse().ok()?));
        parsed.ok_or_else(|| ShardError::Form(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_case_belongs_to_one_shard() {
        let shards: Vec<Shard> = (1..=7).map(|index| Shard { index, count: 7 }).collect();
        let mut sizes = [0; 7];
        for number in 0..7_000 {
            let id: CaseId = format!("onnx-1.22.0/node/test_{number}").parse().expect("an id");
            let of = shards.iter().filter(|shard| shard.has(&id));
            let of: Vec<_> = of.collect();
            assert_eq!(of.len(), 1, "{id}");
            sizes[of[0].index as usize - 1] += 1;
        }
        assert!(sizes.iter().all(|size| (850..1150).contains(size)), "{sizes:?}");
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let set: BTreeMap<_, _> = variables.iter().copied().collect();
        let found = Shard::from_variables(|name| set.get(name).map(|text| (*text).to_owned()));
        match (found, expected) {
            (Ok(shard), Ok(text)) => assert_eq!(shard.to_string(), text),
            (Err(error), Err(text)) => assert!(format!("{error}$").contains(text), "{error}"),
            (found, expected) => panic!("expected {expected:?}, got {found:?}"),
        }
    }

    #[test]
    fn the_variables_of_each_system_specify_a_shard() {
        check(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "8")], Ok("2/8"));
        check(
            &[("TEST_SHARD_INDEX", "0"), ("TEST_TOTAL_SHARDS", "3")],
            Ok("1/3"),
        );
        let slurm = [("SLURM_ARRAY_TASK_ID", "12"), ("SLURM_ARRAY_TASK_COUNT", "8")];
        let [id, count] = slurm;
        check(&[id, count, ("SLURM_ARRAY_TASK_MIN", "10")], Ok("3/8"));
        check(&slurm, Err("SLURM_ARRAY_TASK_ID is `12`"));
        check(
            &[("JOB_COMPLETION_INDEX", "7"), ("JOB_COMPLETIONS", "8")],
            Ok("8/8"),
        );
        check(
            &[("JOB_COMPLETION_INDEX", "7")],
            Err("JOB_COMPLETION_INDEX is `7`, JOB_COMPLETIONS is not set$"),
        );
        check(
            &[("CI_NODE_INDEX", "9"), ("CI_NODE_TOTAL", "8")],
            Err("CI_NODE_TOTAL is `8`"),
        );
        check(&[], Err("give `--shard K/N`"));
    }

    #[test]
    fn shards_are_numbered_from_1() {
        assert_eq!("2/8".parse(), Ok(Shard { index: 2, count: 8 }));
        for text in ["0/8", "9/8", "1/0", "1", "a/b", "-1/2", "1/2/3", ""] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Form(text.to_owned())));
        }
    }
}
