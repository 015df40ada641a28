//! The command that repeats a result.

use std::borrow::Cow;

/// The command line that runs `case` on `backend` again, quoted for a POSIX shell.
pub fn repeat_command(backend: &str, case: &str) -> String {
    format!(
        "cargo xtask conformance --backend {} --filter {}",
        quote(backend),
        quote(case)
    )
}

/// No argument can hold a NUL, so one in a hostile name is left out rather than refused.
fn quote(text: &str) -> String {
    let text: Cow<'_, str> = if text.contains('\0') {
        text.replace('\0', "").into()
    } else {
        text.into()
    };
    shlex::Quoter::new()
        .allow_nul(true)
        .quote(&text)
        .map_or_else(|_| text.to_string(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::repeat_command;

    fn check(backend: &str, case: &str, arguments: &str) {
        assert_eq!(
            repeat_command(backend, case),
            format!("cargo xtask conformance {arguments}")
        );
    }

    #[test]
    fn arguments_survive_a_shell() {
        check(
            "tract:plain",
            "onnx-1.22.0/node/test_abs",
            "--backend tract:plain --filter onnx-1.22.0/node/test_abs",
        );
        check(
            "cmd:./w --x",
            "a/b/$(rm)",
            "--backend 'cmd:./w --x' --filter 'a/b/$(rm)'",
        );
        check("ort", "a/b/it's\0", "--backend ort --filter \"a/b/it's\"");
    }
}
