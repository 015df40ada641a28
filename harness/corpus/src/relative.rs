//! Relative names that stay below their folder.

/// `name` with `/` as separator and without `.` parts, if it is relative and stays below its folder on
/// every operating system: no `..`, no root, no drive, no backslash.
pub fn relative_name(name: &str) -> Option<String> {
    if name.contains(['\\', '\0']) || name.as_bytes().get(1) == Some(&b':') {
        return None;
    }
    let parts: Vec<_> = name.split('/').filter(|&part| part != ".").collect();
    let stays = !parts.is_empty() && parts.iter().all(|&part| !part.is_empty() && part != "..");
    stays.then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_models_stay_in_the_folder() {
        for (name, expected) in [
            ("w.bin", "w.bin"),
            ("./w.bin", "w.bin"),
            ("sub/./w..bin", "sub/w..bin"),
        ] {
            assert_eq!(relative_name(name).as_deref(), Some(expected));
        }
        for name in [
            "", ".", "..", "../w", "a/../w", "/w", "a//w", "a/", "a\\w", "C:w", "w\0",
        ] {
            assert_eq!(relative_name(name), None, "{name:?}");
        }
    }
}
