use super::*;

fn parsed(text: &str) -> BackendArg {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_text_has_an_alias_a_worker_options_and_a_version() {
    let none: &[(&str, &str)] = &[];
    for (text, name, worker, options, version) in [
        ("ort", "ort", Some("ort"), none, None),
        (
            "ort:threads=2",
            "ort:threads=2",
            Some("ort"),
            &[("threads", "2")],
            None,
        ),
        (
            "new=ort:version=1.31.1,ep=webgpu",
            "new",
            Some("ort"),
            &[("ep", "webgpu")],
            Some("1.31.1"),
        ),
        (
            "ort:version=installed",
            "ort:version=installed",
            Some("ort"),
            none,
            Some("installed"),
        ),
        (
            "native:version=2",
            "native:version=2",
            Some("native"),
            &[("version", "2")],
            None,
        ),
        ("my-npu.2=cmd:./npu --x=1", "my-npu.2", None, none, None),
        ("cmd:./npu --x=1", "cmd:./npu --x=1", None, none, None),
        ("a=b=tract", "a", Some("tract"), none, None),
        ("=ort", "=ort", Some("=ort"), none, None),
        ("onnx-backend:m:CUDA:1", "onnx-backend:m:CUDA:1", None, none, None),
    ] {
        let backend = parsed(text);
        let options: BTreeMap<String, String> = options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(
            (
                backend.name(),
                backend.worker(),
                &backend.options,
                backend.version.as_deref()
            ),
            (name, worker, &options, version),
            "{text}"
        );
    }
}

#[test]
fn a_malformed_text_is_refused() {
    for (text, said) in [
        ("onnx-backend:", "names no module"),
        ("x=onnx-backend::CPU", "names no module"),
        ("onnx-backend:--help", "names no module"),
        ("ort:threads", "option `threads` is not of the form key=value"),
        ("ort:", "is not of the form key=value"),
        (
            "native:threads=2,threads=3",
            "the option `threads` is given twice",
        ),
        ("cmd:", "is not a command"),
        ("cmd:'a", "is not a command"),
        ("ssh:host", "is not a worker on another machine"),
        ("ort:version=1.20.1,library=x.so", "both `version` and `library`"),
        (
            "ort:ep-package=p==1,ep-library=x.so",
            "both `ep-package` and `ep-library`",
        ),
    ] {
        let error = text.parse::<BackendArg>().expect_err(text);
        assert!(error.to_string().contains(said), "{text}: {error}");
        assert!(!error.is_missing(), "{text}");
    }
}

#[test]
fn one_program_with_any_options_is_the_same() {
    for (one, other, same) in [
        ("ort", "new=ort:version=1.20.1", true),
        ("reference", "x=reference", true),
        ("ort", "native", false),
        ("cmd:./a", "x=cmd:./a", true),
        ("cmd:./a", "cmd:./a --fast", false),
        ("cmd:./a", "ort", false),
    ] {
        assert_eq!(parsed(one).has_program_of(&parsed(other)), same, "{one} {other}");
    }
}

#[test]
fn what_may_load_a_library_starts_a_program() {
    for (text, starts) in [
        ("ort", false),
        ("new=ort", false),
        ("ort:library=./x.so", true),
        ("other:threads=2", false),
        ("cmd:./a", true),
        ("ssh:host:./a", true),
        ("onnx-backend:m", true),
    ] {
        assert_eq!(parsed(text).starts_program(), starts, "{text}");
    }
}

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
        let with = parsed(text).with_options(options);
        assert_eq!(
            with.map(|backend| backend.to_string()).as_deref(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn options_are_left_out_by_their_names() {
    let of_provider = |key: &str| key == "ep" || key.starts_with("ep.");
    for (text, expected) in [
        ("ort", Some("ort")),
        ("ort:ep=ggml", Some("ort")),
        (
            "g=ort:ep=ggml,threads=2,ep.a=b=c,version=1.31.1",
            Some("ort:threads=2,version=1.31.1"),
        ),
        ("cmd:./npu", None),
        ("onnx-backend:m", None),
    ] {
        let without = parsed(text).without_options(of_provider);
        assert_eq!(without.as_ref().map(BackendArg::text), expected, "{text}");
    }
}
