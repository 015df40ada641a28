//! The value of `--variants`, or `--variants=KIND,KIND`.

use std::str::FromStr;

use run_record::{VariantId, VariantKind};

/// Kinds of variants: separated by commas, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantKinds(pub Vec<VariantKind>);

impl VariantKinds {
    /// The text for all kinds.
    pub const ALL: &'static str = "all";
}

impl FromStr for VariantKinds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == Self::ALL {
            return Ok(Self(VariantKind::ALL.to_vec()));
        }
        let kind = |key: &str| {
            VariantKind::of_key(key).ok_or_else(|| {
                let known = VariantKind::ALL.map(VariantKind::key).join(", ");
                format!("`{key}` is not a kind of variants; expected one of: {known}")
            })
        };
        let mut kinds = text.split(',').map(kind).collect::<Result<Vec<_>, _>>()?;
        kinds.sort_unstable();
        kinds.dedup();
        Ok(Self(kinds))
    }
}

/// The requested kinds: those of the option, or those in filters, so that the command that repeats a
/// variant runs it.
pub fn asked(typed: Option<&VariantKinds>, filters: &[String]) -> Vec<VariantKind> {
    match typed {
        Some(VariantKinds(kinds)) => kinds.clone(),
        None => {
            let named = filters
                .iter()
                .filter_map(|filter| Some(VariantId::parse(filter)?.kind));
            let mut kinds: Vec<VariantKind> = named.collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
    }
}

/// A filter for plain cases: the name of a variant becomes that of its plain case.
pub fn plain(filter: &str) -> &str {
    VariantId::parse(filter).map_or(filter, |variant| variant.plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_or_all() {
        assert_eq!("all".parse(), Ok(VariantKinds(VariantKind::ALL.to_vec())));
        let two = VariantKinds(vec![VariantKind::Shapes, VariantKind::Function]);
        assert_eq!("function,shapes,shapes".parse(), Ok(two));
        let error = "odd".parse::<VariantKinds>().unwrap_err();
        assert!(error.contains("initializers, shapes"), "{error}");
    }

    #[test]
    fn a_filter_that_names_a_variant_selects_its_kind() {
        let filters = [
            "onnx-1.22.0/node/test_abs~function".to_owned(),
            "softmax".to_owned(),
        ];
        assert_eq!(asked(None, &filters), [VariantKind::Function]);
        assert_eq!(plain(&filters[0]), "onnx-1.22.0/node/test_abs");
        assert_eq!(plain(&filters[1]), "softmax");
        assert_eq!(asked(None, &filters[1..]), []);
    }
}
