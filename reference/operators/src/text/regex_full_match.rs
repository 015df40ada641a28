//! RegexFullMatch — whether a pattern in RE2 syntax matches the whole of each string (`re2`).

use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("RegexFullMatch", &[v(20, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let pattern = onnx_re2::full_match(call.string("pattern")?)?;
    one(Tensor::from(
        call.array::<String>(0)?
            .map(|text| pattern.is_match(text.as_bytes()))
            .into_shared(),
    ))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, strings};

    const OP: crate::frame::testing::OpVersion = ("", "RegexFullMatch", 20);

    /// The matching texts, as in RE2 linked to ONNX Runtime 1.31.1.
    #[test]
    fn matches() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (r"\w+", &["ab", "_9"], &["aé", ""]),
            (r"\d+", &["12"], &["٣"]),
            (r"\s", &["\t", " "], &["\u{b}", "\u{a0}"]),
            (r"[[:space:]]", &["\u{b}"], &["a"]),
            (r"[a&&b]+", &["a", "&", "ab&"], &["c"]),
            (r"[a~~b]+", &["~a"], &["c"]),
            (r"\C\C", &["é", "ab"], &["a"]),
            (r"\pN+", &["12", "٣", "Ⅷ"], &["a"]),
            (r"\p{Greek}|\P{^Thai}", &["α", "ก"], &["a"]),
            (r"\pC", &["\u{1}"], &["\u{378}"]),
            (r"\p{Any}", &["a", "\n"], &[""]),
            (r"[\p{Lu}\d]+", &["A1"], &["a"]),
            (r"a{,2}", &["a{,2}"], &["aa"]),
            (r"x{|a{01}|a{-1}", &["x{", "a{01}", "a{-1}"], &["a"]),
            (r"^*", &[""], &["a"]),
            (r"(?)a|(?i-i)b", &["a", "b"], &["A", "B"]),
            (r"(?i)\w", &["ſ", "\u{212a}"], &["é"]),
            (r"(?i)[[:lower:]]", &["ſ", "A"], &["1"]),
            (r"(?i)\p{Lu}|É", &["ß", "a", "é"], &["1"]),
            (r"(?i:a)b|c(?i)d|e", &["Ab", "cD", "E"], &["aB", "Cd"]),
            (r"\Qa+b\E*", &["a+b", "a+bb", "a+"], &["a+ba+b"]),
            (r"\Qa\\b", &[r"a\\b"], &["ab"]),
            (r"\12\x41\x{42}\_\&", &["\nAB_&"], &["AB"]),
            (r"[\x{D800}-\x{E000}]|\x{D800}", &["\u{e000}"], &["a"]),
            (r"\Aa$", &["a"], &["a\n"]),
            (r"(?m)a$\n^b", &["a\nb"], &["ab"]),
            (r".", &["é"], &["\n"]),
            (r"(?s).|[^a]", &["\n"], &["ab"]),
            (r"a\bé|aé\B", &["aé"], &["a"]),
            (r"[\d-z]|[a-b-c]", &["-", "5", "z", "c"], &["y"]),
            (r"[]a]+|[^]a]b", &["]a", "bb"], &["]b"]),
            (r"[a[b]|a]", &["[", "a]"], &["]"]),
            (r"[[:^alpha:]]|[^\S\n]", &["1", " "], &["a"]),
            (r"[^\x00-\x{10FFFF}]", &[], &["a", ""]),
            (r"a||b", &["", "a", "b"], &["ab"]),
            (r"(?P<n>a)(?<m>b)", &["ab"], &["a"]),
            (r"(a*)*(?:a?){3}b{2,}?", &["aabb"], &["b"]),
            (r"[a-]|[-b]|[^^]c", &["-", "ac"], &["^c"]),
        ];
        for (pattern, matching, other) in cases {
            let texts: Vec<&str> = matching.iter().chain(*other).copied().collect();
            let expected = (0..texts.len()).map(|at| at < matching.len()).collect();
            let expected = Tensor::vector::<bool>(expected);
            check(
                OP,
                &[strings(&texts).into()],
                &[attribute("pattern", *pattern)],
                &[expected.into()],
            );
        }
    }

    /// Patterns that RE2, linked to ONNX Runtime 1.31.1, rejects; the repeated name is from the
    /// documentation of RE2.
    #[test]
    fn errors() {
        let patterns = [
            r"[a--b]",
            r"\p{Cn}",
            r"\p{L&}",
            r"\p{Grek}",
            r"\p{greek}",
            r"a**",
            r"a*+",
            r"a{2}{3}",
            r"a{1}*",
            r"a{1001}",
            r"(a{100}){11}",
            r"a{2,1}",
            "*",
            "(*)",
            "|*",
            "(?-)a",
            "(?i-)a",
            "(?--i)a",
            "(?^i)a",
            "(?x)a b",
            "(?u)a",
            "(?R)a",
            "(?P=n)",
            "(?=a)a",
            "(?#c)a",
            r"a\E",
            r"\1",
            r"\8",
            r"\x4",
            r"\x{110000}",
            r"\x{}",
            r"\é",
            r"\e",
            r"\h",
            r"\R",
            r"\Z",
            r"\G",
            r"\X",
            r"\cA",
            r"\N{1}",
            r"[\b]",
            r"[a-\d]",
            "[a",
            "a)",
            "(a",
            "[[:foo:]]",
            "[b-a]",
            r"[\Qa]\E]",
            r"\p",
            r"\p{",
            "(?:a",
            "(?",
            "(?P<",
            r"a\",
            "[]",
            "[^]",
            "(?i",
            "(?P<n>a)(?P<n>b)",
            r"\p{Nothing}",
        ];
        for pattern in patterns {
            refused(
                OP,
                &[strings(&[""]).into()],
                &[attribute("pattern", pattern)],
                "not valid RE2",
            );
        }
        let deep = format!("{}{}", "(".repeat(60), ")".repeat(60));
        refused(
            OP,
            &[strings(&[""]).into()],
            &[attribute("pattern", deep.as_str())],
            "deep",
        );
    }
}
