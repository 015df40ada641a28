//! What a baseline keeps of a reason: what stays the same on the next machine and in the next run.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Characters that are kept: enough to tell what it is, and one line of a screen or two.
const LONGEST: usize = 160;

/// The folders of an absolute path, and the number that Rust prints behind the name of a thread that panics.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?P<before>^|[\s"'`(\[])(?:/[^\s/:"'`]+)+/|(?P<thread>thread '[^']*') \(\d+\)"#)
        .expect("the expression is sound")
});

/// The reason without folders of the machine and numbers of the process, cut to a line or two.
pub fn lasting(reason: &str) -> String {
    let kept: Cow<'_, str> = PASSING.replace_all(reason, "$before$thread");
    match kept.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &kept[..end]),
        None => kept.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, lasting};

    #[test]
    fn what_is_of_one_machine_or_run_goes() {
        let check = |reason: &str, kept: &str| assert_eq!(lasting(reason), kept);
        check(
            "thread 'main' (2665) panicked at /home/me/index-1949/core-0.23.9/src/gather.rs:72:23: index < dim",
            "thread 'main' panicked at gather.rs:72:23: index < dim",
        );
        check(
            "load failed: /src/graph/model.cc:256 Model::Model",
            "load failed: model.cc:256 Model::Model",
        );
        check(
            "`a/b/c` of [2, 3] at 1/2 differs",
            "`a/b/c` of [2, 3] at 1/2 differs",
        );
        check("/", "/");
        let long = "x".repeat(LONGEST + 1);
        check(&long, &format!("{}…", "x".repeat(LONGEST)));
    }
}
