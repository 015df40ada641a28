//! Options whose value is one of a few words.

/// Defines an enum whose values are words: `FromStr` parses them, `Display` writes them.
///
/// ```
/// backend_api::choice! {
///     /// The optimization level of a graph.
///     Level { Basic = "basic", All = "all" }
/// }
/// assert_eq!("all".parse(), Ok(Level::All));
/// assert_eq!("most".parse::<Level>(), Err("use basic or all".to_owned()));
/// assert_eq!(Level::Basic.to_string(), "basic");
/// ```
#[macro_export]
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "the variants are named after their words")]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl ::std::str::FromStr for $name {
            type Err = ::std::string::String;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                match text {
                    $($text => Ok($name::$variant),)*
                    _ => Err($crate::use_one_of(&[$($text),*])),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(match self {
                    $($name::$variant => $text),*
                })
            }
        }
    };
}

choice! {
    /// A switch.
    Switch { On = "on", Off = "off" }
}

/// Lists the allowed words of an option: `use a, b or c`.
#[doc(hidden)]
pub fn use_one_of(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("use {} or {last}", first.join(", ")),
        _ => format!("use {}", words.concat()),
    }
}
