//! The order of versions: `1.9.0` comes before `1.10.0`.

use std::cmp::Ordering;

/// Compares versions by their numbers, and other parts as text. If one version is a prefix of the other,
/// it comes first, unless the rest begins with a hyphen: `1.2.0-rc.1` comes before `1.2.0`.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (a_main, a_pre) = split(a);
    let (b_main, b_pre) = split(b);
    compare_parts(a_main, b_main).then_with(|| match (a_pre, b_pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => compare_parts(a, b),
    })
}

fn split(version: &str) -> (&str, Option<&str>) {
    version
        .split_once('-')
        .map_or((version, None), |(main, pre)| (main, Some(pre)))
}

fn compare_parts(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split(['.', '+', '_']), b.split(['.', '+', '_']));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            // An empty version comes before every other.
            (Some(a), Some(b)) if a.is_empty() || b.is_empty() => b.is_empty().cmp(&a.is_empty()),
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn versions_are_sorted_by_their_numbers() {
        let sorted = [
            "",
            "1",
            "1.2.0-rc.1",
            "1.2.0-rc.2",
            "1.2.0",
            "1.2.0.1",
            "1.9.0",
            "1.10.0",
            "2026.4",
            "dev",
        ];
        for (place, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(compare(a, b), place.cmp(&other), "{a} and {b}");
            }
        }
    }
}
