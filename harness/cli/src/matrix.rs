//! `--matrix`: backends with every combination of the values of some options.

use std::collections::BTreeSet;

use harness_worker::BackendArg;

use super::CliError;

/// The maximum number of combinations: each is a worker and a column.
const MAX_COMBINATIONS: usize = 256;

/// Options with their values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Matrix {
    /// An option with its values, in the given order.
    pub axes: Vec<(String, Vec<String>)>,
}

/// A value for each option of a matrix.
pub(super) type Options = Vec<(String, String)>;

/// A backend with all combinations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The backend as given on the command line.
    pub backend: BackendArg,
    /// Each combination with its options.
    pub corners: Vec<(BackendArg, Options)>,
}

impl Group {
    /// The backend of each combination.
    pub fn backends(&self) -> Vec<BackendArg> {
        self.corners.iter().map(|(backend, _)| backend.clone()).collect()
    }
}

impl Matrix {
    /// Parses texts of the form `KEY=V1,V2`.
    ///
    /// # Errors
    /// A text has another form, an option or value is given twice, or there are more than
    /// [`MAX_COMBINATIONS`] combinations.
    pub fn parse(texts: &[String]) -> Result<Matrix, CliError> {
        let mut matrix = Matrix::default();
        for text in texts {
            let form = || {
                CliError::Usage(format!(
                    "`{text}` is not of the form KEY=V1,V2, as in threads=1,2"
                ))
            };
            let (key, list) = text
                .split_once('=')
                .filter(|(key, _)| !key.is_empty())
                .ok_or_else(form)?;
            let values: Vec<String> = list.split(',').map(str::to_owned).collect();
            if values.iter().any(String::is_empty) {
                return Err(form());
            }
            let distinct: BTreeSet<&String> = values.iter().collect();
            if distinct.len() < values.len() || matrix.axes.iter().any(|(known, _)| known == key) {
                return Err(CliError::Usage(format!(
                    "--matrix `{text}` gives an option or a value twice"
                )));
            }
            matrix.axes.push((key.to_owned(), values));
        }
        let count = matrix
            .axes
            .iter()
            .try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
        match count.filter(|count| *count <= MAX_COMBINATIONS) {
            Some(_) => Ok(matrix),
            None => Err(CliError::Usage(format!(
                "--matrix has more than {MAX_COMBINATIONS} combinations"
            ))),
        }
    }

    /// Every combination; one without options if there is no matrix.
    fn combinations(&self) -> Vec<Options> {
        self.axes
            .iter()
            .fold(vec![Vec::new()], |combinations, (key, values)| {
                let with = |options: &Options| {
                    let options = options.clone();
                    values.iter().map(move |value| {
                        let pair = (key.clone(), value.clone());
                        options.iter().cloned().chain([pair]).collect::<Options>()
                    })
                };
                combinations.iter().flat_map(with).collect()
            })
    }

    /// Each backend with all combinations.
    ///
    /// # Errors
    /// A backend has no options.
    pub fn groups(&self, backends: &[BackendArg]) -> Result<Vec<Group>, CliError> {
        let group = |backend: &BackendArg| {
            let corner = |options: Options| Ok((with_options(backend, &options)?, options));
            let corners = self
                .combinations()
                .into_iter()
                .map(corner)
                .collect::<Result<_, CliError>>()?;
            Ok(Group {
                backend: backend.clone(),
                corners,
            })
        };
        backends.iter().map(group).collect()
    }
}

/// A backend with additional options.
///
/// # Errors
/// The backend has no options, or not this value.
pub(super) fn with_options(
    backend: &BackendArg,
    options: &[(String, String)],
) -> Result<BackendArg, CliError> {
    backend.with_options(options).ok_or_else(|| {
        let options: Vec<String> = options
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        CliError::Usage(format!(
            "backend `{}` does not accept the options {}",
            backend.name(),
            options.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<Matrix, CliError> {
        Matrix::parse(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    fn named(texts: &[&str]) -> Vec<BackendArg> {
        texts
            .iter()
            .map(|text| text.parse().expect("a backend"))
            .collect()
    }

    fn texts(group: &Group) -> Vec<String> {
        group.backends().iter().map(BackendArg::to_string).collect()
    }

    #[test]
    fn every_combination_is_a_backend() {
        let matrix = parse(&["optimization=disable,all", "threads=1,2"]).expect("a matrix");
        let groups = matrix.groups(&named(&["ort", "new=native"])).expect("groups");
        assert_eq!(
            texts(&groups[0]),
            [
                "ort:optimization=disable,threads=1",
                "ort:optimization=disable,threads=2",
                "ort:optimization=all,threads=1",
                "ort:optimization=all,threads=2",
            ]
        );
        assert_eq!(
            texts(&groups[1])[3],
            "new-all-2=native:optimization=all,threads=2"
        );
        let none = Matrix::default().groups(&named(&["ort"])).expect("groups");
        assert_eq!(texts(&none[0]), ["ort"]);
    }

    #[test]
    fn a_malformed_matrix_is_an_error() {
        let many: Vec<String> = (0..300).map(|number| number.to_string()).collect();
        let many = format!("a={}", many.join(","));
        for (texts, said) in [
            (&["threads"][..], "is not of the form KEY=V1,V2"),
            (&["=1"], "is not of the form KEY=V1,V2"),
            (&["threads=1,"], "is not of the form KEY=V1,V2"),
            (&["threads=1,1"], "twice"),
            (&["threads=1", "threads=2"], "twice"),
            (&[&many], "more than 256 combinations"),
        ] {
            let error = parse(texts).expect_err("it is refused").to_string();
            assert!(error.contains(said), "{error}");
        }
        let matrix = parse(&["threads=1,2"]).expect("a matrix");
        let error = matrix
            .groups(&named(&["onnx-backend:m"]))
            .expect_err("it is refused")
            .to_string();
        assert!(error.contains("does not accept the options threads=1"), "{error}");
    }
}
