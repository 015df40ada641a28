//! A backend with further options, as a text that `--backend` takes.

/// The text of a backend with further options: `ort:threads=2` of `ort`,
/// `cmd:./worker --opt threads=2` of `cmd:./worker`. The alias `new` becomes `new-2`, so that each
/// text has a name of its own. None for a backend that takes no options (`onnx-backend:…`), and for
/// an option that a text cannot contain.
pub fn with_options(text: &str, options: &[(String, String)]) -> Option<String> {
    if options.is_empty() {
        return Some(text.to_owned());
    }
    if let Some((alias, backend)) = crate::backend::alias(text) {
        let suffix: Vec<String> = options.iter().map(|(_, value)| plain(value)).collect();
        return Some(format!(
            "{alias}-{}={}",
            suffix.join("-"),
            with_options(backend, options)?
        ));
    }
    match text.split_once(':') {
        Some(("onnx-backend", _)) => None,
        Some((scheme, _)) if matches!(scheme, "cmd" | "stdio") || crate::is_remote(scheme) => {
            let mut line = text.to_owned();
            for (key, value) in options {
                let word = format!("{key}={value}");
                let is_plain = word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "=._/:+-".contains(c));
                match is_plain {
                    true => line.push_str(&format!(" --opt {word}")),
                    false => line.push_str(&format!(" --opt {}", shlex::try_quote(&word).ok()?)),
                }
            }
            Some(line)
        }
        named => {
            if options.iter().any(|(_, value)| value.contains(',')) {
                return None;
            }
            let pairs: Vec<String> = options
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            let between = if named.is_some() { ',' } else { ':' };
            Some(format!("{text}{between}{}", pairs.join(",")))
        }
    }
}

/// The value as a part of an alias.
fn plain(value: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '_'
        }
    };
    value.chars().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_added_in_the_form_of_the_text() {
        let pairs = |options: &[(&str, &str)]| -> Vec<(String, String)> {
            options
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect()
        };
        let two = pairs(&[("threads", "2"), ("optimization", "all")]);
        let path = pairs(&[("library", "/a b.so")]);
        for (text, options, expected) in [
            ("ort", &two, Some("ort:threads=2,optimization=all")),
            (
                "ort:version=1.20.1",
                &two,
                Some("ort:version=1.20.1,threads=2,optimization=all"),
            ),
            (
                "cmd:./w --fast",
                &two,
                Some("cmd:./w --fast --opt threads=2 --opt optimization=all"),
            ),
            (
                "ssh:host:./w",
                &pairs(&[("threads", "2")]),
                Some("ssh:host:./w --opt threads=2"),
            ),
            ("cmd:./w", &path, Some("cmd:./w --opt 'library=/a b.so'")),
            ("new=ort", &path, Some("new-_a_b.so=ort:library=/a b.so")),
            ("ort", &pairs(&[]), Some("ort")),
            ("ort", &pairs(&[("a", "1,2")]), None),
            ("onnx-backend:m", &two, None),
        ] {
            assert_eq!(with_options(text, options).as_deref(), expected, "{text}");
        }
    }
}
