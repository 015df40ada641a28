"""Writes the table of the operators that ONNX Runtime adds to ONNX, from the schemas of the `onnxruntime` package.

Usage: generate_contrib.py OUTPUT_FOLDER

It takes names, types, attributes and defaults, no text. The output is a function of the pinned package alone.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import onnxruntime
from generate_schema import TypeSets, fail, header, operator_list, string, table_module
from onnx import AttributeProto, defs
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

ORT_VERSION = "1.32.0"

HEADER = header(f"onnxruntime {ORT_VERSION}")

# The domains of the table: that of the contrib operators, and that of ONNX, to which the runtime adds some.
DOMAINS = {"": "ai_onnx", "com.microsoft": "com_microsoft"}


def parameter(schema, declared, position):
    """A parameter as `onnx.defs` describes it; the least number of a variadic one follows from the arity."""
    variadic = declared.option.name == "Variadic"
    least = {"inputs": schema.min_input, "outputs": schema.min_output}
    side = "inputs" if any(declared is one for one in schema.inputs) else "outputs"
    return SimpleNamespace(
        name=declared.name,
        option=declared.option,
        type_str=declared.typeStr,
        is_homogeneous=declared.isHomogeneous,
        min_arity=max(least[side] - position, 0) if variadic else 1,
    )


def attribute(declared):
    default = AttributeProto()
    default.ParseFromString(declared._default_value)
    return SimpleNamespace(
        type=SimpleNamespace(value=AttributeProto.AttributeType.Value(declared.type.name)),
        required=declared.required,
        default_value=default,
    )


def as_onnx(schema):
    """The schema in the form of `onnx.defs.OpSchema`, which the writer of the tables reads."""
    formals = lambda parameters: [parameter(schema, one, at) for at, one in enumerate(parameters)]
    return SimpleNamespace(
        domain=schema.domain,
        name=schema.name,
        since_version=schema.since_version,
        min_input=schema.min_input,
        max_input=schema.max_input,
        min_output=schema.min_output,
        max_output=schema.max_output,
        inputs=formals(schema.inputs),
        outputs=formals(schema.outputs),
        attributes={name: attribute(one) for name, one in schema.attributes.items()},
        type_constraints=schema.type_constraints,
        deprecated=schema.deprecated,
        node_determinism=None,
        has_function=False,
        has_context_dependent_function=False,
    )


def is_added(schema):
    """Whether the runtime adds the operator: in the domain of ONNX it also keeps the experimental ones of the
    first releases of ONNX, which are in no operator set, and copies between devices."""
    return schema.domain in DOMAINS and (schema.domain or schema.file.endswith("contrib_defs.cc"))


def module_of(schema):
    """com.microsoft is cut by first letter, as ai.onnx is."""
    return f"{DOMAINS[schema.domain]}_{schema.name[0].lower()}" if schema.domain else DOMAINS[""]


def index_module(operators, modules):
    lines = [
        HEADER + "//! The operators, sorted by domain and name (by bytes).\n",
        "use crate::literal::operator;\nuse crate::rows::Operator;\n",
        *(f"mod {name};" for name in sorted(modules)),
        "#[rustfmt::skip]",
        "mod types;\n",
        "/// The release of ONNX Runtime whose schemas these are.",
        f"pub(crate) static RELEASE: &str = {string(ORT_VERSION)};\n",
    ]
    return "\n".join(lines + operator_list(operators, module_of))


def main():
    if len(sys.argv) != 2:
        fail("usage: generate_contrib.py OUTPUT_FOLDER")
    if onnxruntime.__version__ != ORT_VERSION:
        fail(f"needs onnxruntime {ORT_VERSION}, found {onnxruntime.__version__}")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    identity = lambda schema: (schema.domain, schema.name, schema.since_version)
    of_onnx = {identity(schema) for schema in defs.get_all_schemas_with_history()}
    added = [
        as_onnx(schema)
        for schema in get_all_operator_schema()
        if identity(schema) not in of_onnx and is_added(schema)
    ]
    operators, modules, type_sets = {}, {}, TypeSets(HEADER)
    for schema in sorted(added, key=lambda s: (s.domain, s.name, s.since_version)):
        operators.setdefault((schema.domain, schema.name), []).append(schema)
    for versions in operators.values():
        modules.setdefault(module_of(versions[0]), []).append(versions)
    files = {f"{name}.rs": table_module(rows, type_sets) for name, rows in modules.items()}
    files["types.rs"] = type_sets.module()
    files["mod.rs"] = index_module(operators, modules)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
