//! The options of a backend, from the arguments of its worker.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;

use crate::BackendError;

/// Options by name. A backend takes the options that it knows; [`Options::finish`] then refuses the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    given: BTreeMap<String, String>,
    known: Vec<String>,
}

impl Options {
    /// Parses arguments of the form `--opt key=value`, each key at most once.
    pub fn from_args(arguments: impl IntoIterator<Item = OsString>) -> Result<Options, BackendError> {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let argument = argument.to_string_lossy().into_owned();
            if argument != "--opt" {
                return Err(wrong(
                    &argument,
                    "unknown argument; a worker takes `--opt key=value`, which can be repeated",
                ));
            }
            let pair = arguments
                .next()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| wrong(&pair, "has no value; write `key=value`"))?;
            if options.given.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(wrong(key, "given twice"));
            }
        }
        Ok(options)
    }

    /// Takes an option that the backend knows. `expects` describes its values in error messages.
    pub fn take<T>(&mut self, name: &str, expects: &str) -> Result<Option<T>, BackendError>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.known.push(name.to_owned());
        let Some(text) = self.given.remove(name) else {
            return Ok(None);
        };
        text.parse()
            .map(Some)
            .map_err(|error| wrong(name, format!("`{text}` is not {expects}: {error}")))
    }

    /// Takes every option whose name begins with `prefix`; the returned names are without it.
    pub fn take_below(&mut self, prefix: &str) -> BTreeMap<String, String> {
        self.known.push(format!("{prefix}NAME"));
        let taken = self.given.extract_if(.., |name, _| {
            name.len() > prefix.len() && name.starts_with(prefix)
        });
        let name = |name: String| name.get(prefix.len()..).unwrap_or_default().to_owned();
        taken.map(|(key, value)| (name(key), value)).collect()
    }

    /// Fails if an unknown option is left. Called after all known options are taken.
    pub fn finish(self) -> Result<(), BackendError> {
        match self.given.into_keys().next() {
            None => Ok(()),
            Some(name) if self.known.is_empty() => Err(wrong(&name, "unknown option; this backend has none")),
            Some(name) => Err(wrong(
                &name,
                format!("unknown option; known: {}", self.known.join(", ")),
            )),
        }
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Options {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Options {
        let given = pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        Options {
            given,
            known: Vec::new(),
        }
    }
}

fn wrong(option: &str, message: impl Into<String>) -> BackendError {
    BackendError::Option {
        option: option.to_owned(),
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(arguments: &[&str]) -> Result<u16, String> {
        let take = |mut options: Options| {
            let threads = options.take::<u16>("threads", "a number of threads")?;
            options.finish().map(|()| threads.unwrap_or(1))
        };
        let options = Options::from_args(arguments.iter().map(OsString::from));
        options.and_then(take).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_taken_or_refused() {
        assert_eq!(taken(&[]), Ok(1));
        assert_eq!(taken(&["--opt", "threads=4"]), Ok(4));
        for (arguments, expected) in [
            (
                &["--opt", "threads=four"][..],
                "option `threads`: `four` is not a number of threads: ",
            ),
            (
                &["--opt", "thread=4"],
                "option `thread`: unknown option; known: threads",
            ),
            (&["--opt", "threads"], "option `threads`: has no value"),
            (&["--opt"], "option ``: has no value"),
            (
                &["--opt", "threads=4", "--opt", "threads=5"],
                "option `threads`: given twice",
            ),
            (&["--verbose"], "option `--verbose`: unknown argument"),
        ] {
            let error = taken(arguments).expect_err(expected);
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn options_below_a_prefix_are_taken_together() {
        let given = [("ep.a", "1"), ("ep.b.c", "2"), ("ep.", "3"), ("epx", "4")];
        let mut options: Options = given.into_iter().collect();
        let expected = [("a", "1"), ("b.c", "2")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(options.take_below("ep."), BTreeMap::from(expected));
        let error = options.finish().expect_err("two are left").to_string();
        assert_eq!(error, "option `ep.`: unknown option; known: ep.NAME");
    }
}
