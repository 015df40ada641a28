//! Files that people take for models.

/// The first bytes of formats, each with its name and what to do.
const FORMATS: &[(usize, &[u8], &str, &str)] = &[
    (
        0,
        b"version https://git-lfs",
        "a pointer of Git LFS",
        "fetch the file itself by `git lfs pull`",
    ),
    (
        0,
        b"PK\x03\x04",
        "a zip archive, as PyTorch saves a model",
        "unpack it, or export the model by `torch.onnx.export`",
    ),
    (0, b"\x80\x02", PICKLE, EXPORT),
    (0, b"\x80\x03", PICKLE, EXPORT),
    (0, b"\x80\x04", PICKLE, EXPORT),
    (0, b"\x80\x05", PICKLE, EXPORT),
    (0, b"\x1f\x8b", "compressed by gzip", "unpack it by `gunzip`"),
    (
        0,
        b"\x89HDF",
        "a file of HDF5, as Keras saves a model",
        "convert it by tf2onnx",
    ),
    (4, b"TFL3", "a model of TensorFlow Lite", "convert it by tf2onnx"),
    (
        4,
        b"ORTM",
        "a model in ONNX Runtime's own format",
        "take the .onnx file that it was made of",
    ),
    (0, b"GGUF", "a model of GGUF", "take the .onnx file of the model"),
    (
        0,
        b"<",
        "a page of HTML or a file of XML",
        "download the file itself",
    ),
    (0, b"{", "a text of JSON", "take the .onnx file of the model"),
];

/// What a file without bytes is, and what to do.
pub(super) const EMPTY: (&str, &str) = ("an empty file", "download or export the model again");

const PICKLE: &str = "a pickle of Python";
const EXPORT: &str = "export the model, as by `torch.onnx.export` or skl2onnx";

/// What a file is that is no ONNX file, and what to do; `None` if its first bytes do not say.
pub(super) fn format(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let starts = |(at, magic, _, _): &&(usize, &[u8], &str, &str)| {
        bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    let (_, _, what, advice) = FORMATS.iter().find(starts)?;
    Some((what, advice))
}
