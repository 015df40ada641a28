//! The names of execution providers, and where a library that has them comes from.

/// The end of every name.
const SUFFIX: &str = "ExecutionProvider";

/// A provider that ONNX Runtime has in some of its builds.
struct Provider {
    /// Its name without `ExecutionProvider`.
    name: &'static str,
    /// Another common name; empty if there is none.
    alias: &'static str,
    /// What to install.
    source: &'static str,
}

const fn provider(name: &'static str, alias: &'static str, source: &'static str) -> Provider {
    Provider { name, alias, source }
}

/// The packages and build options of ONNX Runtime's installation and build documentation.
const PROVIDERS: [Provider; 14] = [
    provider(
        "CUDA",
        "",
        "the Python package `onnxruntime-gpu`, with CUDA and cuDNN",
    ),
    provider(
        "Tensorrt",
        "trt",
        "the Python package `onnxruntime-gpu`, with TensorRT",
    ),
    provider("OpenVINO", "", "the Python package `onnxruntime-openvino`"),
    provider("QNN", "", "the Python package `onnxruntime-qnn`"),
    provider(
        "MIGraphX",
        "",
        "the Python package `onnxruntime-migraphx`, with ROCm",
    ),
    provider(
        "Dml",
        "directml",
        "the Python package `onnxruntime-directml`, on Windows",
    ),
    provider("CoreML", "", "the Python package `onnxruntime`, on macOS"),
    provider("Xnnpack", "", "a build of ONNX Runtime with `--use_xnnpack`"),
    provider("Dnnl", "onednn", "a build of ONNX Runtime with `--use_dnnl`"),
    provider("ACL", "", "a build of ONNX Runtime with `--use_acl`, on Arm"),
    provider("WebGpu", "", "a build of ONNX Runtime with `--use_webgpu`"),
    provider(
        "Nnapi",
        "",
        "a build of ONNX Runtime with `--use_nnapi`, on Android",
    ),
    provider("VitisAI", "", "a build of ONNX Runtime with `--use_vitisai`"),
    provider("Azure", "", "the Python package `onnxruntime`"),
];

/// Whether `name` means the provider with this full name: with or without `ExecutionProvider`, in upper or
/// lower case, or by another common name.
pub(crate) fn means(name: &str, full: &str) -> bool {
    let short = short(full);
    name.eq_ignore_ascii_case(full)
        || name.eq_ignore_ascii_case(short)
        || find(name).is_some_and(|found| found.name.eq_ignore_ascii_case(short))
}

/// What to install for a provider; `None` for a name that ONNX Runtime does not have.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    find(short(name)).map(|found| found.source)
}

fn short(full: &str) -> &str {
    full.strip_suffix(SUFFIX).unwrap_or(full)
}

fn find(name: &str) -> Option<&'static Provider> {
    let same = |found: &&Provider| {
        found.name.eq_ignore_ascii_case(name)
            || !found.alias.is_empty() && found.alias.eq_ignore_ascii_case(name)
    };
    PROVIDERS.iter().find(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_has_several_names() {
        for (name, full, expected) in [
            ("cuda", "CUDAExecutionProvider", true),
            ("CUDAExecutionProvider", "CUDAExecutionProvider", true),
            ("onednn", "DnnlExecutionProvider", true),
            ("DirectML", "DmlExecutionProvider", true),
            ("trt", "TensorrtExecutionProvider", true),
            ("cpu", "CPUExecutionProvider", true),
            ("", "CPUExecutionProvider", false),
            ("cuda", "CPUExecutionProvider", false),
            ("new", "NewExecutionProvider", true),
        ] {
            assert_eq!(means(name, full), expected, "{name} and {full}");
        }
    }

    #[test]
    fn a_known_provider_has_a_source() {
        assert!(source("xnnpack").is_some_and(|text| text.contains("--use_xnnpack")));
        assert!(
            source("OpenVINOExecutionProvider").is_some_and(|text| text.contains("onnxruntime-openvino"))
        );
        assert_eq!(source("nonsense"), None);
    }
}
