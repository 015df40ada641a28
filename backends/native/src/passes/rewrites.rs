//! Which passes run: all, unless a person wants to know what one of them is worth, or whether it is to blame.

use std::fmt;
use std::str::FromStr;

use super::{PASSES, SETTLING};

/// The passes that run, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrites {
    left_out: Vec<&'static str>,
}

impl Rewrites {
    /// All of them.
    pub const ALL: Rewrites = Rewrites { left_out: Vec::new() };

    /// None of them.
    pub fn none() -> Rewrites {
        Rewrites {
            left_out: names().collect(),
        }
    }

    /// Whether a pass runs.
    pub fn want(&self, name: &str) -> bool {
        !self.left_out.contains(&name)
    }
}

/// Each pass once, in the order in which they first run.
fn names() -> impl Iterator<Item = &'static str> {
    let all = || PASSES.map(|(name, _)| name).into_iter().chain(SETTLING);
    all()
        .enumerate()
        .filter(move |&(at, name)| all().position(|other| other == name) == Some(at))
        .map(|(_, name)| name)
}

/// What is left out, the names joined by `+`: an option cannot hold a comma.
impl FromStr for Rewrites {
    type Err = String;

    fn from_str(text: &str) -> Result<Rewrites, String> {
        let named = text.split('+').filter(|name| !name.is_empty());
        let known = named.map(|name| {
            names().find(|known| *known == name).ok_or_else(|| {
                let all: Vec<_> = names().collect();
                format!("there is no pass `{name}`; there are {}", all.join(", "))
            })
        });
        Ok(Rewrites {
            left_out: known.collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Display for Rewrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.left_out.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::Rewrites;

    #[test]
    fn what_is_left_out_is_read_and_written_by_name() {
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
        let error = "scale".parse::<Rewrites>().expect_err("there is no such pass");
        assert!(
            error.starts_with("there is no pass `scale`; there are qdq, constants, dead, hoist, "),
            "{error}"
        );
        assert!(error.ends_with(", layout"), "{error}");
    }
}
