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
const PROVIDERS: [Provider; 16] = [
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
    provider("QNN", "", "a build of ONNX Runtime with `--use_qnn`"),
    provider("ROCM", "", "the Python package `onnxruntime-rocm`, with ROCm"),
    provider(
        "CANN",
        "",
        "the Python package `onnxruntime-cann`, with Ascend CANN",
    ),
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

/// A provider in a library of its own.
struct Plugin {
    /// The name under which its library is registered.
    name: &'static str,
    /// The Python package with the library.
    package: &'static str,
    /// What a machine lacks if the library offers no device.
    lacks: &'static str,
}

/// The packages of the Python package index, and what their documentation requires.
const PLUGINS: [Plugin; 5] = [
    Plugin {
        name: "WebGpuExecutionProvider",
        package: "onnxruntime-ep-webgpu",
        lacks: "this machine has no GPU with a driver for Vulkan, Metal or Direct3D 12 (a software adapter is used only with \
                ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1 in the environment)",
    },
    Plugin {
        name: "QNNExecutionProvider",
        package: "onnxruntime-qnn",
        lacks: "this machine has no NPU or GPU of Qualcomm (the simulator needs ep.backend_type=htp)",
    },
    Plugin {
        name: "OpenVINOExecutionProvider",
        package: "onnxruntime-ep-openvino",
        lacks: "this machine has no processor, GPU or NPU of Intel",
    },
    Plugin {
        name: "NvTensorRTRTXExecutionProvider",
        package: "onnxruntime-ep-nv-tensorrt-rtx-cu13",
        lacks: "this machine has no GPU of NVIDIA with a driver for CUDA 13",
    },
    Plugin {
        name: "ggml",
        package: "onnxruntime-ggml",
        lacks: "",
    },
];

/// The name under which the library of a plug-in is registered: the full one of a known provider.
pub(crate) fn full_name(name: &str) -> String {
    plugin(name).map_or(name, |found| found.name).to_owned()
}

/// The Python package with the library of a provider; `None` if it is unknown.
pub(crate) fn package(name: &str) -> Option<&'static str> {
    plugin(name).map(|found| found.package)
}

/// What a machine lacks on which this provider has no device; empty if it is unknown.
pub(crate) fn lacks(name: &str) -> &'static str {
    plugin(name).map_or("", |found| found.lacks)
}

fn plugin(name: &str) -> Option<&'static Plugin> {
    PLUGINS.iter().find(|found| means(name, found.name))
}

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

    #[test]
    fn a_plug_in_has_a_full_name_and_a_package() {
        for (name, full, expected) in [
            ("webgpu", "WebGpuExecutionProvider", Some("onnxruntime-ep-webgpu")),
            (
                "QNNExecutionProvider",
                "QNNExecutionProvider",
                Some("onnxruntime-qnn"),
            ),
            ("GGML", "ggml", Some("onnxruntime-ggml")),
            ("mine", "mine", None),
        ] {
            assert_eq!((full_name(name).as_str(), package(name)), (full, expected));
        }
        assert!(lacks("webgpu").contains("ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"));
    }
}
