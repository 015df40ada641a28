//! Character classes and escapes of RE2 (see the crate).

use std::fmt::Write;

use super::{Re2Error, syntax};

/// The general categories of RE2. `C` is the union of `Cc Cf Co` and of surrogates, which do not occur in
/// text.
const CATEGORIES: [&str; 37] = [
    "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl",
    "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
    "Any",
];

/// Scripts whose full name has four letters, like all abbreviations, which RE2 does not support.
const FOUR_LETTERS: [&str; 8] = ["Ahom", "Cham", "Kawi", "Lisu", "Modi", "Newa", "Thai", "Toto"];

const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// A class under construction, in the syntax of `regex`.
#[derive(Default)]
pub struct Set {
    negated: bool,
    items: String,
}

impl Set {
    /// A set of one class.
    pub fn of(class: String) -> Set {
        Set {
            negated: false,
            items: class,
        }
    }

    /// Adds code points except surrogates, which do not occur in text.
    pub fn range(&mut self, first: u32, last: u32) {
        for (low, high) in [(first, last.min(0xd7ff)), (first.max(0xe000), last)] {
            if low <= high {
                // Writing to a string cannot fail.
                let _ = write!(self.items, r"\x{{{low:X}}}-\x{{{high:X}}}");
            }
        }
    }

    /// The class in the syntax of `regex`.
    pub fn written(&self) -> String {
        let items = if self.items.is_empty() {
            NOTHING
        } else {
            &self.items
        };
        format!("[{}{items}]", if self.negated { "^" } else { "" })
    }
}

/// A class in brackets.
pub fn bracketed(rest: &mut &str) -> Result<Set, Re2Error> {
    let missing = || syntax("a class without `]`");
    let mut set = Set::default();
    *rest = &rest[1..];
    if let Some(after) = rest.strip_prefix('^') {
        (set.negated, *rest) = (true, after);
    }
    let mut first = true;
    loop {
        match rest.chars().next() {
            None => return Err(missing()),
            Some(']') if !first => {
                *rest = &rest[1..];
                return Ok(set);
            }
            Some(_) => first = false,
        }
        if let Some(class) = posix(rest)? {
            set.items.push_str(&class);
        } else if let Some(class) = named(rest)? {
            set.items.push_str(&class);
        } else {
            let low = member(rest)?;
            let range = rest
                .strip_prefix('-')
                .filter(|after| !after.is_empty() && !after.starts_with(']'));
            let high = match range {
                Some(after) => {
                    *rest = after;
                    member(rest)?
                }
                None => low,
            };
            if high < low {
                return Err(syntax("a decreasing range"));
            }
            set.range(low, high);
        }
    }
}

fn member(rest: &mut &str) -> Result<u32, Re2Error> {
    match rest.chars().next() {
        Some('\\') => character(rest),
        Some(c) => {
            *rest = &rest[c.len_utf8()..];
            Ok(c as u32)
        }
        None => Err(syntax("a class without `]`")),
    }
}

/// `[:alpha:]` or `[:^alpha:]`.
fn posix(rest: &mut &str) -> Result<Option<String>, Re2Error> {
    let Some((name, after)) = rest.strip_prefix("[:").and_then(|inside| inside.split_once(":]")) else {
        return Ok(None);
    };
    let (negated, name) = name.strip_prefix('^').map_or((false, name), |name| (true, name));
    let members = match name {
        "alnum" => "0-9A-Za-z",
        "alpha" => "A-Za-z",
        "ascii" => r"\x{0}-\x{7F}",
        "blank" => r"\t\x{20}",
        "cntrl" => r"\x{0}-\x{1F}\x{7F}",
        "digit" => "0-9",
        "graph" => r"\x{21}-\x{7E}",
        "lower" => "a-z",
        "print" => r"\x{20}-\x{7E}",
        "punct" => r"\x{21}-\x{2F}\x{3A}-\x{40}\x{5B}-\x{60}\x{7B}-\x{7E}",
        "space" => r"\t\n\v\f\r\x{20}",
        "upper" => "A-Z",
        "word" => "0-9A-Za-z_",
        "xdigit" => "0-9A-Fa-f",
        _ => return Err(syntax("an unknown class `[:…:]`")),
    };
    *rest = after;
    Ok(Some(format!("[{}{members}]", if negated { "^" } else { "" })))
}

/// `\d \D \s \S \w \W`, `\pN`, `\p{Greek}`, `\P{^Greek}`.
pub fn named(rest: &mut &str) -> Result<Option<String>, Re2Error> {
    let mut chars = rest.chars();
    let ('\\', Some(letter)) = (chars.next().unwrap_or(' '), chars.next()) else {
        return Ok(None);
    };
    let members = match letter {
        'd' | 'D' => "0-9",
        's' | 'S' => r"\t\n\f\r\x{20}",
        'w' | 'W' => "0-9A-Za-z_",
        'p' | 'P' => {
            *rest = chars.as_str();
            return unicode(rest, letter == 'P').map(Some);
        }
        _ => return Ok(None),
    };
    *rest = chars.as_str();
    Ok(Some(format!(
        "[{}{members}]",
        if letter.is_ascii_uppercase() { "^" } else { "" }
    )))
}

/// Parses the text after `\p` or `\P`.
fn unicode(rest: &mut &str, negated: bool) -> Result<String, Re2Error> {
    let unknown = || syntax("an unknown Unicode class");
    let name = match rest.strip_prefix('{') {
        Some(inside) => {
            let (name, after) = inside.split_once('}').ok_or_else(unknown)?;
            *rest = after;
            name
        }
        None => {
            let (name, after) = rest.split_at_checked(1).ok_or_else(unknown)?;
            *rest = after;
            name
        }
    };
    let (negated, name) = name
        .strip_prefix('^')
        .map_or((negated, name), |name| (!negated, name));
    let members = match name {
        "Any" => r"\x{0}-\x{10FFFF}".to_owned(),
        "C" => r"\p{Cc}\p{Cf}\p{Co}".to_owned(),
        "Cs" => NOTHING.to_owned(),
        _ if CATEGORIES.contains(&name) => format!(r"\p{{gc={name}}}"),
        _ if is_script(name) => format!(r"\p{{sc={name}}}"),
        _ => return Err(unknown()),
    };
    Ok(format!("[{}{members}]", if negated { "^" } else { "" }))
}

/// Whether the name is spelled like a script and `regex` has a script of this name.
fn is_script(name: &str) -> bool {
    let letters = name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let shouted = name
        .as_bytes()
        .windows(2)
        .any(|pair| pair.iter().all(u8::is_ascii_uppercase));
    letters
        && !shouted
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && (name.len() != 4 || FOUR_LETTERS.contains(&name))
}

/// An escaped character: `\n`, `\x41`, `\x{1F600}`, `\012`, `\+`.
pub fn character(rest: &mut &str) -> Result<u32, Re2Error> {
    let unknown = || syntax("an unknown escape");
    let mut chars = rest.strip_prefix('\\').ok_or_else(unknown)?.chars();
    let c = chars.next().ok_or_else(unknown)?;
    let code = match c {
        'a' => 7,
        'f' => 12,
        't' => 9,
        'n' => 10,
        'r' => 13,
        'v' => 11,
        'x' => {
            *rest = chars.as_str();
            return hexadecimal(rest);
        }
        '0'..='7' => {
            let digits = chars
                .as_str()
                .bytes()
                .take(2)
                .take_while(|b| (b'0'..=b'7').contains(b))
                .count();
            // A single digit other than 0 is a back-reference, which RE2 does not support.
            if c != '0' && digits == 0 {
                return Err(unknown());
            }
            let octal = &rest[1..2 + digits];
            *rest = &rest[2 + digits..];
            return u32::from_str_radix(octal, 8).map_err(|_| unknown());
        }
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => c as u32,
        _ => return Err(unknown()),
    };
    *rest = chars.as_str();
    Ok(code)
}

/// Parses the text after `\x`: two digits, or any number of them in braces.
fn hexadecimal(rest: &mut &str) -> Result<u32, Re2Error> {
    let malformed = || syntax("a malformed `\\x`");
    let (digits, after) = match rest.strip_prefix('{') {
        Some(inside) => inside.split_once('}').ok_or_else(malformed)?,
        None => rest.split_at_checked(2).ok_or_else(malformed)?,
    };
    let hexadecimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16)
        .ok()
        .filter(|&code| hexadecimal && code <= 0x10_ffff);
    *rest = after;
    code.ok_or_else(malformed)
}
