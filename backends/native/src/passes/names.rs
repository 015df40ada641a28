//! The names of the passes, as the option `without` lists them.

use std::str::FromStr;

use super::{LOADING, Pass, SPECIALIZING};
use crate::rewrites::Rewrites;

/// Returns the name of each pass once, in the order in which they first run.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all = || LOADING.iter().chain(&SPECIALIZING).map(|pass: &Pass| pass.name);
    all()
        .enumerate()
        .filter(move |&(at, name)| all().position(|other| other == name) == Some(at))
        .map(|(_, name)| name)
}

/// Parses the names of disabled passes, joined by `+`, because an option cannot contain a comma.
impl FromStr for Rewrites {
    type Err = String;

    fn from_str(text: &str) -> Result<Rewrites, String> {
        let named = text.split('+').filter(|name| !name.is_empty());
        let known = named.map(|name| {
            names().find(|known| *known == name).ok_or_else(|| {
                let all: Vec<_> = names().collect();
                format!("unknown pass `{name}`; known: {}", all.join(", "))
            })
        });
        Ok(Rewrites::without(known.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use crate::rewrites::Rewrites;

    #[test]
    fn disabled_passes_are_parsed_and_written_by_name() {
        for (text, wants_scales, wants_layout) in [
            ("", true, true),
            ("scales", false, true),
            ("layout+scales", false, false),
        ] {
            let rewrites: Rewrites = text.parse().expect(text);
            assert_eq!(rewrites.to_string(), text);
            let wanted = (rewrites.want("scales"), rewrites.want("layout"));
            assert_eq!(wanted, (wants_scales, wants_layout), "{text}");
        }
        let error = "scale".parse::<Rewrites>().expect_err("unknown pass");
        assert!(
            error.starts_with("unknown pass `scale`; known: compositions, qdq, weights, identity, "),
            "{error}"
        );
        assert!(error.ends_with(", layout"), "{error}");
    }
}
