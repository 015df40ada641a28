//! Names that a person asks for and that a history does not have.

use run_record::common::unversioned;

use crate::trends::tests_of;
use crate::{History, HistoryError};

/// The maximum number of near names.
const NEAR: usize = 3;

/// The least similarity (Jaro and Winkler) of a near name.
const SIMILAR: f64 = 0.7;

impl History {
    /// Fails if no case of the history is about the operator.
    ///
    /// # Errors
    /// [`HistoryError::Operator`] with the operators whose names are near, or SQLite cannot read the file.
    pub fn expect_operator(&self, operator: &str) -> Result<(), HistoryError> {
        let tests = tests_of(&self.connection, operator).map_err(self.failed())?;
        if !tests.is_empty() {
            return Ok(());
        }
        let known = self.names("SELECT DISTINCT name FROM operator JOIN uses ON uses.operator = operator.id WHERE uses.about = 1");
        Err(HistoryError::Operator {
            name: operator.to_owned(),
            near: near(operator, known?),
        })
    }

    /// Fails if the history has no backend of this name.
    ///
    /// # Errors
    /// [`HistoryError::Backend`] with the backends of the history, or SQLite cannot read the file.
    pub fn expect_backend(&self, backend: &str) -> Result<(), HistoryError> {
        let known =
            self.names("SELECT DISTINCT name FROM backend UNION SELECT DISTINCT kind FROM backend")?;
        if known.iter().any(|name| name == backend) {
            Ok(())
        } else {
            Err(HistoryError::Backend {
                name: backend.to_owned(),
                known: self.backends()?,
            })
        }
    }

    fn names(&self, query: &str) -> Result<Vec<String>, HistoryError> {
        let read = || -> Result<Vec<String>, rusqlite::Error> {
            let mut statement = self.connection.prepare(query)?;
            statement
                .query_map([], |row| row.get::<_, String>(0))?
                .collect::<Result<Vec<_>, rusqlite::Error>>()
        };
        read().map_err(self.failed())
    }
}

/// The names that are most like the asked one, without since-versions.
fn near(asked: &str, known: Vec<String>) -> Vec<String> {
    let plain = |name: &str| unversioned(name).to_owned();
    let asked = plain(asked).to_lowercase();
    let mut names: Vec<String> = known.iter().map(|name| plain(name)).collect();
    names.sort_unstable();
    names.dedup();
    let mut scored: Vec<(f64, String)> = names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&asked, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(NEAR).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn near_names_are_those_with_few_differences() {
        let known = || {
            [
                "Softmax-13",
                "Softmax-11",
                "Softplus-1",
                "Conv-11",
                "ai.onnx.ml.Scaler-1",
            ]
            .map(str::to_owned)
            .to_vec()
        };
        let check = |asked: &str, expected: &[&str]| assert_eq!(near(asked, known()), expected, "{asked}");
        check("softmax", &["Softmax"]);
        check("SofMax-13", &["Softmax"]);
        check("conv", &["Conv"]);
        check("Qqq", &[]);
    }
}
