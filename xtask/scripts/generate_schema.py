"""Writes the operator tables of the crate `onnx-schema` from the schemas of the `onnx` Python package.

Usage: generate_schema.py OUTPUT_FOLDER

The output is a function of the pinned package alone: everything is sorted; no path, date or machine
enters it. `cargo xtask generate schema` hands it to rustfmt. Whatever the package holds and the Rust types
cannot say ends the script with an error: nothing is dropped in silence.
"""

import re
import sys
import textwrap
from pathlib import Path

import numpy
import onnx
from onnx import AttributeProto, FunctionProto, defs, helper

ONNX_VERSION = "1.23.2"



def header(package):
    return f"//! Generated from {package} by `cargo xtask generate schema`: do not edit.\n//!\n"


HEADER = header(f"onnx {ONNX_VERSION}")

# The names inside `tensor(…)` and the variants of `onnx_tensor::DType`, in the order of TensorProto.DataType.
DTYPES = {
    variant.lower(): variant
    for variant in (
        "Float Uint8 Int8 Uint16 Int16 Int32 Int64 String Bool Float16 Double Uint32 Uint64 Complex64 "
        "Complex128 Bfloat16 Float8E4M3Fn Float8E4M3Fnuz Float8E5M2 Float8E5M2Fnuz Uint4 Int4 Float4E2M1 "
        "Float8E8M0 Uint2 Int2 Float6E2M3 Float6E3M2"
    ).split()
}

KINDS = {
    number: "".join(word.capitalize() for word in name.split("_"))
    for name, number in AttributeProto.AttributeType.items()
    if name != "UNDEFINED"
}

DOMAIN_MODULES = {
    "ai.onnx.ml": "ai_onnx_ml",
    "ai.onnx.preview": "ai_onnx_preview",
    "ai.onnx.preview.training": "ai_onnx_preview_training",
}


def fail(message):
    sys.exit(f"generate_schema.py: {message}")


def string(text):
    """A Rust string literal."""
    if not all(" " <= c <= "~" for c in text):
        fail(f"{text!r} is not plain ASCII: teach `string` to escape it")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def screaming(name):
    """`BatchNormalization` -> `BATCH_NORMALIZATION`."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).upper()


# ---- types -------------------------------------------------------------------------------------------------


def inner(text, outer):
    """What stands in the parentheses of `outer(…)`, or None."""
    match = re.fullmatch(outer + r"\((.*)\)", text)
    return match and match.group(1).strip()


def dtype(name):
    if name not in DTYPES:
        fail(f"unknown element type {name!r}: add it to `onnx_tensor::DType` and to this script")
    return DTYPES[name]


def rust_type(text):
    """A schema's type string as an expression of `SchemaType`."""
    if element := inner(text, "tensor"):
        return f"Tensor({dtype(element)})"
    if element := inner(text, "sparse_tensor"):
        return f"SparseTensor({dtype(element)})"
    if element := inner(text, "seq"):
        return f"Sequence(&{rust_type(element)})"
    if element := inner(text, "optional"):
        return f"Optional(&{rust_type(element)})"
    if pair := inner(text, "map"):
        key, value = (part.strip() for part in pair.split(",", 1))
        # The schemas write both `map(int64,tensor(float))` and `map(int64, float)` for the same type.
        value = value if "(" in value else f"tensor({value})"
        return f"Map({dtype(key)}, &{rust_type(value)})"
    fail(f"unknown type {text!r}")


def type_rank(expression):
    """Tensors first, then what is built of them; each in the order of TensorProto.DataType."""
    words = re.findall(r"[A-Za-z]\w*", expression)
    return (
        len(words),
        words[:-1],
        list(DTYPES.values()).index(words[-1]) if words[-1] in DTYPES.values() else -1,
        words,
    )


class TypeSets:
    """The distinct sets of types, each a constant named after its only type or after its first user."""

    def __init__(self, header):
        self.names, self.header = {}, header

    def name(self, types, user):
        key = tuple(sorted({rust_type(text) for text in types}, key=type_rank))
        if len(key) == 1:
            user = re.sub(r"\W+", "_", re.sub(r"&", "", key[0])).strip("_")
        return self.names.setdefault(key, screaming(user))

    def module(self):
        lines = [
            self.header,
            "//! The distinct type sets, each named after its only type or after its first user.\n\n",
            "use crate::types::SchemaType::{self, *};\n",
            "use onnx_tensor::DType::*;\n",
        ]
        for types, name in sorted(self.names.items(), key=lambda item: item[1]):
            lines.append(f"\npub(super) const {name}: &[SchemaType] = &[\n{wrapped(types)}\n];\n")
        return "".join(lines)


def wrapped(expressions):
    """A list over as few lines as its length allows, where rustfmt would give each element a line."""
    indent = {"initial_indent": "    ", "subsequent_indent": "    "}
    return textwrap.fill(", ".join(expressions) + ",", width=110, break_long_words=False, **indent)


# ---- schemas -----------------------------------------------------------------------------------------------


def label(schema):
    return f"{schema.name}-{schema.since_version}"


def formal(schema, parameter, type_sets):
    name, option = string(parameter.name), parameter.option.name
    where = f"{label(schema)}: parameter {name}"
    if "(" in parameter.type_str:
        type_ref = f"is({type_sets.name([parameter.type_str], '')})"
    elif any(c.type_param_str == parameter.type_str for c in schema.type_constraints):
        type_ref = f"of({string(parameter.type_str)})"
    else:
        fail(f"{where} has the unknown type {parameter.type_str!r}")
    if option == "Variadic":
        constructor = "variadic" if parameter.is_homogeneous else "heterogeneous"
        return f"{constructor}({name}, {type_ref}, {parameter.min_arity})"
    if not parameter.is_homogeneous or parameter.min_arity != 1:
        fail(f"{where} is not variadic, yet heterogeneous or of another arity than 1")
    return f"{option.lower()}({name}, {type_ref})"


def float_literal(value):
    """The shortest decimal that names exactly this f32."""
    single = numpy.float32(value)
    text = str(single)
    if not numpy.isfinite(single) or numpy.float32(text).tobytes() != single.tobytes():
        fail(f"the float {value!r} has no exact literal")
    return text


def attribute(schema, name, declared):
    kind, default = KINDS[declared.type.value], declared.default_value
    where = f"{label(schema)}: attribute `{name}`"
    if default.type == AttributeProto.UNDEFINED:
        return f"{'required' if declared.required else 'unset'}({string(name)}, {kind})"
    if declared.required or KINDS[default.type] != kind:
        fail(f"{where} is required and has a default, or a default of another kind")
    value = {
        "Int": lambda: str(default.i),
        "Float": lambda: float_literal(default.f),
        "String": lambda: string(default.s.decode()),
        "Ints": lambda: f"&[{', '.join(map(str, default.ints))}]",
        "Strings": lambda: f"&[{', '.join(string(s.decode()) for s in default.strings)}]",
    }.get(kind) or fail(f"{where} has a default of kind {kind}")
    return f"{kind.lower()}({string(name)}, {value()})"


def type_constraint(schema, constraint, type_sets):
    variable = constraint.type_param_str
    user = f"{schema.name}_{schema.since_version}_{variable}"
    return f"constraint({string(variable)}, {type_sets.name(constraint.allowed_type_strs, user)})"


def arity(least, most):
    return f"({least}, {'UNBOUNDED' if most == 2**31 - 1 else most})"


def function_kind(schema):
    if schema.has_function and schema.has_context_dependent_function:
        fail(f"{label(schema)} has a static and a context-dependent body")
    if schema.has_context_dependent_function:
        return "FunctionKind::ContextDependent"
    return "FunctionKind::Static" if schema.has_function else None


def operator_version(schema, type_sets):
    """One row, written with the constructors of `literal.rs`; what is empty or usual is left out."""
    lists = {
        "inputs": [formal(schema, p, type_sets) for p in schema.inputs],
        "outputs": [formal(schema, p, type_sets) for p in schema.outputs],
        "attributes": [attribute(schema, n, a) for n, a in sorted(schema.attributes.items())],
        "constraints": [
            type_constraint(schema, constraint, type_sets) for constraint in schema.type_constraints
        ],
    }
    identity = ", ".join(
        [
            string(schema.domain),
            string(schema.name),
            str(schema.since_version),
            arity(schema.min_input, schema.max_input),
            arity(schema.min_output, schema.max_output),
        ]
    )
    row = f"schema({identity})" + "".join(
        f".{field}(&[{', '.join(items)}])" for field, items in lists.items() if items
    )
    if schema.deprecated:
        row += ".deprecated()"
    if schema.node_determinism == defs.OpSchema.NodeDeterminism.NonDeterministic:
        row += ".nondeterministic()"
    if kind := function_kind(schema):
        row += f".function({kind})"
    return row


# ---- files -------------------------------------------------------------------------------------------------


def module_of(schema):
    """ai.onnx is cut by first letter, so that a new operator touches one file of bearable length."""
    return DOMAIN_MODULES[schema.domain] if schema.domain else f"ai_onnx_{schema.name[0].lower()}"


def table_module(operators, type_sets):
    lines = [
        type_sets.header + "//! The versions of the operators, oldest first.\n",
        "use super::types::*;",
        "use crate::literal::*;\n",
    ]
    for versions in operators:
        rows = ",\n".join(operator_version(s, type_sets) for s in versions)
        table = f"{screaming(versions[0].name)}: [OperatorSchema; {len(versions)}]"
        lines.append(f"pub(super) static {table} = [\n{rows},\n];\n")
    return "\n".join(lines)


def index_module(operators, modules):
    lines = [
        HEADER
        + "//! The operators, sorted by domain and name (by bytes), and the newest opset of each domain.\n",
        "use crate::literal::{domain, operator};\nuse crate::rows::{Domain, Operator};\n",
        *(f"mod {name};" for name in sorted(modules)),
        "pub(crate) mod contrib;",
        "#[rustfmt::skip]",
        "mod types;",
        "pub(crate) mod functions;",
        "pub(crate) mod releases;\n",
    ]
    domains = {}
    for (domain, _), versions in operators.items():
        domains[domain] = max(domains.get(domain, 0), versions[-1].since_version)
    expected = {"": defs.onnx_opset_version(), "ai.onnx.ml": defs.onnx_ml_opset_version()}
    if any(domains[name] != opset for name, opset in expected.items()):
        fail("a domain's newest opset has no operator version: take the opsets from elsewhere")
    rows = [f"domain({string(name)}, {newest})" for name, newest in domains.items()]
    lines.append(f"pub(crate) static DOMAINS: [Domain; {len(rows)}] = [{', '.join(rows)}];\n")
    return "\n".join(lines + operator_list(operators, module_of))


def operator_list(operators, module_of):
    """The index of all operators, each with its table in its module."""
    lines = [f"pub(crate) static OPERATORS: [Operator; {len(operators)}] = ["]
    for (domain, name), versions in operators.items():
        table = f"{module_of(versions[0])}::{screaming(name)}"
        lines.append(f"operator({string(domain)}, {string(name)}, &{table}),")
    return lines + ["];\n"]


def releases_module():
    lines = [
        HEADER + "//! `onnx.helper.VERSION_TABLE`, oldest release first.\n",
        "use crate::literal::release;\nuse crate::rows::Release;\n",
    ]
    lines.append(f"pub(crate) static RELEASES: [Release; {len(helper.VERSION_TABLE)}] = [")
    for name, ir_version, opset, ml_opset, *training in helper.VERSION_TABLE:
        training_opset = f"Some({training[0]})" if training else "None"
        lines.append(f"release({string(name)}, {ir_version}, {opset}, {ml_opset}, {training_opset}),")
    return "\n".join(lines + ["];\n"])


def functions_module(schemas, folder):
    """Writes each static body as a FunctionProto file; its text in the index is for whoever reads a diff."""
    lines = [
        HEADER
        + "//! The static function bodies, sorted by domain, name, since and opset; above each its text.\n",
        "use crate::literal::body;\nuse crate::rows::FunctionBody;\n",
    ]
    (folder / "functions").mkdir()
    rows = []
    for schema in schemas:
        for opset in schema.function_opset_versions:
            function = FunctionProto.FromString(schema.get_function_with_opset_version(opset))
            file = f"functions/{screaming(schema.name).lower()}_{schema.since_version}_opset_{opset}.binpb"
            (folder / file).write_bytes(function.SerializeToString(deterministic=True))
            rows += [f"// {line}".rstrip() for line in onnx.printer.to_text(function).splitlines()]
            key = f"{string(schema.domain)}, {string(schema.name)}, {schema.since_version}, {opset}"
            rows.append(f"body({key}, include_bytes!({string(file)})),")
    count = sum(row.startswith("body(") for row in rows)
    return "\n".join(lines + [f"pub(crate) static BODIES: [FunctionBody; {count}] = [", *rows, "];\n"])


def main():
    if len(sys.argv) != 2:
        fail("usage: generate_schema.py OUTPUT_FOLDER")
    if onnx.__version__ != ONNX_VERSION:
        fail(f"needs onnx {ONNX_VERSION}, found {onnx.__version__}")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    schemas = sorted(defs.get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version))
    operators, modules, type_sets = {}, {}, TypeSets(HEADER)
    for schema in schemas:
        operators.setdefault((schema.domain, schema.name), []).append(schema)
    for versions in operators.values():
        modules.setdefault(module_of(versions[0]), []).append(versions)
    files = {f"{name}.rs": table_module(rows, type_sets) for name, rows in modules.items()}
    files["types.rs"] = type_sets.module()
    files["functions.rs"] = functions_module(schemas, folder)
    files["releases.rs"] = releases_module()
    files["mod.rs"] = index_module(operators, modules)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
