//! The declaration of a backend's options: each once, with name, type, default and help.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::num::{IntErrorKind, NonZeroU16, NonZeroUsize};
use std::str::FromStr;

use super::Options;
use crate::BackendError;

/// Defines a struct whose fields are the options of a backend. A doc comment is the line of help; a field
/// without a default is `None` if the option is not given.
///
/// ```
/// use backend_api::{Switch, Threads};
///
/// backend_api::settings! {
///     /// The options in effect.
///     Settings {
///         /// on (default) or off: optimize the graph
///         optimize: Switch = Switch::On => "a switch";
///         /// 1 (default) to 64: threads of the pool
///         threads: Threads<64> = Threads::ONE => "a number of threads";
///         /// file for the time of each step (default none)
///         time_file: String => "a file";
///     }
/// }
///
/// let settings = Settings::from_options([("threads", "4")].into_iter().collect()).unwrap();
/// assert_eq!((settings.optimize, settings.threads.get(), settings.time_file.clone()), (Switch::On, 4, None));
/// assert_eq!(settings.in_effect()["threads"], "4");
/// assert_eq!(Settings::help()["time-file"], "file for the time of each step (default none)");
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* $name:ident {
        $($(#[doc = $help:literal])+ $field:ident $(($text:literal))? : $kind:ty $(= $default:expr)? => $noun:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name {
            $($(#[doc = $help])+ pub $field: $crate::settings!(@kind $kind $(= $default)?),)*
        }

        impl ::std::default::Default for $name {
            fn default() -> Self {
                $name { $($field: $crate::settings!(@default $($default)?),)* }
            }
        }

        impl $name {
            /// Reads options by name; others keep their defaults.
            ///
            /// # Errors
            /// [`BackendError::Option`](backend_api::BackendError::Option) for an unknown name or an invalid
            /// value.
            pub fn from_options(
                mut options: $crate::Options,
            ) -> ::std::result::Result<Self, $crate::BackendError> {
                let settings = $name {
                    $($field: {
                        let name = $crate::settings!(@name $field $($text)?);
                        let found = <$kind as $crate::Setting>::take(&mut options, &name, $noun)?;
                        $crate::settings!(@or found $(, $default)?)
                    },)*
                };
                options.finish()?;
                Ok(settings)
            }

            /// The options that have a value, by name, for a report; [`Self::from_options`] reads them again.
            pub fn in_effect(&self) -> ::std::collections::BTreeMap<String, String> {
                let mut all = ::std::collections::BTreeMap::new();
                $(
                    let name = $crate::settings!(@name $field $($text)?);
                    if let Some(value) = $crate::settings!(@given self.$field $(, $default)?) {
                        all.extend($crate::Setting::entries(value, &name));
                    }
                )*
                all
            }

            /// The options with one line of help each.
            pub fn help() -> ::std::collections::BTreeMap<String, String> {
                let lines = [$(
                    ($crate::settings!(@name $field $($text)?), concat!($($help),+).trim().to_owned()),
                )*];
                lines.into()
            }
        }
    };
    (@kind $kind:ty) => { ::std::option::Option<$kind> };
    (@kind $kind:ty = $default:expr) => { $kind };
    (@default) => { ::std::option::Option::None };
    (@default $default:expr) => { $default };
    (@or $found:ident) => { $found };
    (@or $found:ident, $default:expr) => { $found.unwrap_or_else(|| $default) };
    (@given $value:expr) => { $value.as_ref() };
    (@given $value:expr, $default:expr) => { ::std::option::Option::Some(&$value) };
    (@name $field:ident) => { stringify!($field).replace('_', "-") };
    (@name $field:ident $text:literal) => { $text.to_owned() };
}

/// A type of options.
pub trait Setting: Sized {
    /// Takes the option `name`; `None` if it is not given. `noun` describes its values in error messages.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an invalid value.
    fn take(options: &mut Options, name: &str, noun: &str) -> Result<Option<Self>, BackendError>;

    /// The option with its value, by name.
    fn entries(&self, name: &str) -> Vec<(String, String)>;
}

impl<T> Setting for T
where
    T: FromStr + Display,
    T::Err: Display,
{
    fn take(options: &mut Options, name: &str, noun: &str) -> Result<Option<Self>, BackendError> {
        options.take(name, noun)
    }

    fn entries(&self, name: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), self.to_string())]
    }
}

/// Options of the runtime itself, by their names there. The option `ep.NAME` takes all that begin with `ep.`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Below(pub BTreeMap<String, String>);

impl Below {
    fn prefix(name: &str) -> &str {
        name.trim_end_matches("NAME")
    }
}

impl Setting for Below {
    fn take(options: &mut Options, name: &str, _: &str) -> Result<Option<Self>, BackendError> {
        Ok(Some(Below(options.take_below(Below::prefix(name)))))
    }

    fn entries(&self, name: &str) -> Vec<(String, String)> {
        let entry =
            |(key, value): (&String, &String)| (format!("{}{key}", Below::prefix(name)), value.clone());
        self.0.iter().map(entry).collect()
    }
}

/// A number of threads from 1 to `MAX`; a larger number is a typing error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads<const MAX: u16>(NonZeroU16);

impl<const MAX: u16> Threads<MAX> {
    /// One thread.
    pub const ONE: Self = Threads(NonZeroU16::MIN);

    /// The number.
    pub fn get(self) -> u16 {
        self.0.get()
    }
}

impl<const MAX: u16> From<Threads<MAX>> for NonZeroUsize {
    fn from(threads: Threads<MAX>) -> NonZeroUsize {
        threads.0.into()
    }
}

impl<const MAX: u16> FromStr for Threads<MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<NonZeroU16>() {
            Ok(threads) if threads.get() > MAX => Err(format!("the maximum is {MAX}")),
            Ok(threads) => Ok(Threads(threads)),
            Err(error) if *error.kind() == IntErrorKind::Zero => Err("the least is 1".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl<const MAX: u16> Display for Threads<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::settings! {
        /// Options of a test.
        Settings {
            /// 1 (default) to 64: threads
            threads: Threads<64> = Threads::ONE => "a number of threads";
            /// a file
            output_file: String => "a file";
            /// an option of the provider
            provider("ep.NAME"): Below = Below::default() => "an option";
        }
    }

    fn check(given: &[(&str, &str)], expected: Result<&[(&str, &str)], &str>) {
        let found = Settings::from_options(given.iter().copied().collect());
        match (found.map(|settings| settings.in_effect()), expected) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
                assert_eq!(found, expected, "{given:?}");
            }
            (Err(found), Err(expected)) => assert_eq!(found.to_string(), expected, "{given:?}"),
            (found, expected) => panic!("{given:?}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn options_are_read_and_written_as_declared() {
        check(&[], Ok(&[("threads", "1")]));
        let all = [("ep.a.b", "2"), ("output-file", "x"), ("threads", "64")];
        check(&all, Ok(&all));
        let many = "option `threads`: `65` is not a number of threads: the maximum is 64";
        check(&[("threads", "65")], Err(many));
        let none = "option `threads`: `0` is not a number of threads: the least is 1";
        check(&[("threads", "0")], Err(none));
        let unknown = "option `thread`: unknown option; known: threads, output-file, ep.NAME";
        check(&[("thread", "1")], Err(unknown));
        assert_eq!(Settings::help()["output-file"], "a file");
    }
}
