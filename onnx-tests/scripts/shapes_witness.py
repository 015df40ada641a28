"""Compares `onnx-conformance check` with the checker and the shape inference of the `onnx` package.

    python shapes_witness.py broken PROGRAM MODELS OUT [--each N] [--mistakes]
    python shapes_witness.py inferred PROGRAM MODELS

MODELS is a folder with folders of a `model.onnx`, as `conformance --export` writes. `broken` changes one number in
each model, N times (3): an extent of an input or output, a rank, or an attribute; `--mistakes` makes a mistake of an
exporter or a person in its place: operands swapped or missing, another opset, another type or constant, a word, an
attribute of another kind, an output renamed. It writes the models to OUT, and prints which of them `check_model`
with `full_check` and `check` reject. `inferred` holds the shapes of each value against those of `infer_shapes` in
strict mode with data propagation. What only `onnx` finds or knows, and what contradicts it, is listed by operator,
each with the first model.
"""

import argparse
import json
import os
import random
import subprocess
from collections import defaultdict
from pathlib import Path

import onnx
from onnx import checker, shape_inference


def models(folder):
    return sorted(Path(folder).glob("*/model.onnx"))


def checked(program, files, *options):
    """What the program says of each file, by its path."""
    found = {}
    for start in range(0, len(files), 500):
        part = [str(file) for file in files[start : start + 500]]
        done = subprocess.run([program, "check", *part, "--format", "json", *options], capture_output=True, text=True)
        found.update({model["path"]: model for model in json.loads(done.stdout)["models"]})
    return found


def declared(model):
    values = [*model.graph.input, *model.graph.output]
    return [value.type.tensor_type.shape.dim for value in values if value.type.HasField("tensor_type")]


def change(model, draw):
    """Changes one number; what was changed, or None if there is nothing to change."""
    shapes = [shape for shape in declared(model) if len(shape)]
    attributes = [
        attribute
        for node in model.graph.node
        for attribute in node.attribute
        if attribute.type == onnx.AttributeProto.INT or (attribute.type == onnx.AttributeProto.INTS and attribute.ints)
    ]
    kinds = ["extent", "rank"] * bool(shapes) + ["attribute"] * (2 * bool(attributes))
    if not kinds:
        return None
    kind = draw.choice(kinds)
    if kind == "attribute":
        attribute = draw.choice(attributes)
        step = draw.choice([-2, -1, 1, 2, 7])
        if attribute.type == onnx.AttributeProto.INT:
            attribute.i += step
        elif draw.random() < 0.3:
            attribute.ints.append(1)
        else:
            attribute.ints[draw.randrange(len(attribute.ints))] += step
        return f"attribute {attribute.name}"
    shape = draw.choice(shapes)
    if kind == "extent":
        dim = shape[draw.randrange(len(shape))]
        if not dim.HasField("dim_value"):
            return None
        dim.dim_value = max(0, dim.dim_value + draw.choice([-1, 1, 2, 5]))
    elif draw.random() < 0.5:
        del shape[draw.randrange(len(shape))]
    else:
        shape.add().dim_value = draw.choice([1, 2, 3])
    return kind


def swapped(node, draw, model, folder):
    if len(set(node.input)) < 2:
        return None
    first, second = draw.sample(range(len(node.input)), 2)
    node.input[first], node.input[second] = node.input[second], node.input[first]
    return "operands swapped"


def dropped(node, draw, model, folder):
    if not node.input:
        return None
    del node.input[draw.randrange(len(node.input))]
    return "an operand missing"


def repeated(node, draw, model, folder):
    if not node.input:
        return None
    node.input.append(draw.choice(list(node.input)))
    return "an operand too many"


def other_opset(node, draw, model, folder):
    draw.choice(list(model.opset_import)).version = draw.choice([1, 5, 7, 9, 11, 13, 17, 18, 23])
    return "another opset"


def other_type(node, draw, model, folder):
    value = draw.choice([*model.graph.input, *model.graph.output])
    if not value.type.HasField("tensor_type"):
        return None
    value.type.tensor_type.elem_type = draw.choice([1, 6, 7, 9, 10, 11])
    return "another type declared"


def turned(node, draw, model, folder):
    shapes = [shape for shape in declared(model) if len(shape) > 1]
    if not shapes:
        return None
    shape = draw.choice(shapes)
    dims = [dim.dim_value for dim in shape][::-1]
    for dim, extent in zip(shape, dims):
        dim.dim_value = extent
    return "extents reversed"


def without_attribute(node, draw, model, folder):
    if not node.attribute:
        return None
    del node.attribute[draw.randrange(len(node.attribute))]
    return "an attribute missing"


def renamed_attribute(node, draw, model, folder):
    if not node.attribute:
        return None
    attribute = draw.choice(list(node.attribute))
    attribute.name = draw.choice(["axes", "axis", "alpha", "kernel", "mode", attribute.name + "s"])
    return "an attribute renamed"


def other_kind(node, draw, model, folder):
    if not node.attribute:
        return None
    old = draw.choice(list(node.attribute))
    value = {1: 1, 2: 1.0, 3: 1, 6: 1.0, 7: 1}.get(old.type)
    if value is None:
        return None
    made = onnx.helper.make_attribute(old.name, [value] if draw.random() < 0.3 else value)
    old.CopyFrom(made)
    return "an attribute of another kind"


def other_word(node, draw, model, folder):
    words = [attribute for attribute in node.attribute if attribute.type == onnx.AttributeProto.STRING]
    if not words:
        return None
    word = draw.choice(words)
    word.s = draw.choice([word.s.swapcase(), word.s + b"s", b"linear", b"same", b""])
    return "another word"


def other_real(node, draw, model, folder):
    reals = [attribute for attribute in node.attribute if attribute.type == onnx.AttributeProto.FLOAT]
    if not reals:
        return None
    draw.choice(reals).f = draw.choice([float("nan"), -1.0, 2.5, float("inf"), 0.0])
    return "another real number"


def other_constant(node, draw, model, folder):
    """An operand becomes a constant with one element, or its extents, changed."""
    stored = sorted(folder.glob("test_data_set_0/input_*.pb"), key=lambda file: int(file.stem.split("_")[1]))
    pairs = [pair for pair in zip(stored, model.graph.input) if pair[1].type.HasField("tensor_type")]
    if not pairs:
        return None
    file, value = draw.choice(pairs[1:] or pairs)
    array = onnx.numpy_helper.to_array(onnx.load_tensor(str(file))).copy()
    if array.dtype.kind not in "iuf":
        return None
    if array.size and draw.random() < 0.7:
        steps = [1, 2, 9] if array.dtype.kind == "u" else [-9, -1, 1, 9]
        array.reshape(-1)[draw.randrange(array.size)] += draw.choice(steps)
    else:
        array = array.reshape([1, *array.shape]) if draw.random() < 0.5 else array.reshape(-1)
    name = value.name
    model.graph.input.remove(value)
    model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return "a constant operand changed"


def renamed_output(node, draw, model, folder):
    if not node.output:
        return None
    node.output[draw.randrange(len(node.output))] = draw.choice(["z", "", node.input[0] if node.input else "z"])
    return "an output renamed"


def undeclared(node, draw, model, folder):
    if not model.graph.input:
        return None
    del model.graph.input[draw.randrange(len(model.graph.input))]
    return "an input not declared"


def other_operator(node, draw, model, folder):
    if draw.random() < 0.5:
        node.op_type = draw.choice([node.op_type.lower(), node.op_type + "V2", "MatMul", "Add", "Reshape"])
    else:
        node.domain = draw.choice(["com.microsoft", "ai.onnx.ml", "local"])
    return "another operator"


def other_version(node, draw, model, folder):
    if draw.random() < 0.5:
        model.ir_version = draw.choice([1, 2, 3, 99])
    else:
        del model.opset_import[:]
    return "another version of the format"


MISTAKES = [
    swapped,
    dropped,
    repeated,
    other_opset,
    other_type,
    turned,
    without_attribute,
    renamed_attribute,
    other_kind,
    other_word,
    other_real,
    other_constant,
    other_constant,
    renamed_output,
    undeclared,
    other_operator,
    other_version,
]


def mistake(model, draw, folder):
    """Makes a mistake of an exporter or a person; what it is, or None if it does not apply."""
    if not model.graph.node:
        return None
    return draw.choice(MISTAKES)(draw.choice(list(model.graph.node)), draw, model, folder)


def apart(work):
    """What a function of `onnx` returns or raises, as text, in a process of its own, which it may end."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            answer = ("returned", work())
        except Exception as error:  # every refusal is one, whatever its type
            answer = ("raised", " ".join(str(error).split()))
        with os.fdopen(write, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else ["ended", "the process ended"]


def refused(model):
    """What `check_model` says; None if it accepts the model."""
    kind, text = apart(lambda: checker.check_model(model, full_check=True))
    return None if kind == "returned" else text


def listed(title, groups):
    print(f"{title}: {sum(map(len, groups.values()))}")
    for operator, texts in sorted(groups.items(), key=lambda group: -len(group[1])):
        print(f"  {operator}: {len(texts)}, as {texts[0]}")


def operators(model):
    return "+".join(sorted({node.op_type for node in model.graph.node}))


def broken(arguments):
    draw, out = random.Random(1), Path(arguments.out)
    made = {}
    for file in models(arguments.models):
        good = onnx.load(file)
        if refused(good) is not None:
            continue
        for number in range(arguments.each):
            model = onnx.ModelProto()
            model.CopyFrom(good)
            what = mistake(model, draw, file.parent) if arguments.mistakes else change(model, draw)
            if what is None or model == good:
                continue
            place = out / f"{file.parent.name}-{number}" / "model.onnx"
            place.parent.mkdir(parents=True, exist_ok=True)
            onnx.save(model, place)
            made[place] = (operators(model), what, refused(model))
    found = checked(arguments.program, list(made))
    both, theirs, ours = 0, defaultdict(list), defaultdict(list)
    for place, (operator, what, error) in made.items():
        findings = found[str(place)]["findings"]
        if error is not None and findings:
            both += 1
        elif error is not None:
            theirs[f"{what} of {operator}" if len(operator) < 30 else what].append(f"{place.parent.name}: {error[:200]}")
        elif findings:
            ours[operator].append(f"{place.parent.name} ({what}): {findings[0]['message'][:200]}")
    refusals = both + sum(map(len, theirs.values()))
    print(f"{len(made)} models with one change; onnx {onnx.__version__} rejects {refusals}")
    print(f"both find something in {both}")
    listed("only onnx", theirs)
    listed("only check", ours)


def known(value):
    """The extents of a tensor, as text; None without a shape."""
    if not value.type.tensor_type.HasField("shape"):
        return None
    dims = value.type.tensor_type.shape.dim
    return [str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in dims]


def shapes_of(model):
    result = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    return [(value.name, known(value)) for value in [*result.graph.value_info, *result.graph.output]]


def inferred(arguments):
    files = models(arguments.models)
    found = checked(arguments.program, files, "--shapes")
    equal = more = 0
    less, differ, strict = defaultdict(list), defaultdict(list), defaultdict(list)
    for file in files:
        model = onnx.load(file)
        for value in model.graph.output:
            if not value.type.HasField("tensor_type"):
                continue
            value.type.tensor_type.ClearField("shape")
        del model.graph.value_info[:]
        name = file.parent.name
        kind, result = apart(lambda: shapes_of(model))
        if kind != "returned":
            if not found[str(file)]["findings"]:
                strict[operators(model)].append(f"{name}: {result[:200]}")
            continue
        maker = {output: node.op_type for node in model.graph.node for output in node.output}
        ours = {value["name"]: value.get("shape") for value in found[str(file)].get("values", [])}
        for value, theirs in result:
            own = ours.get(value)
            if theirs is None:
                more += own is not None
                continue
            operator, text = maker.get(value, "input"), f"{name} `{value}`: {theirs}, {own} by check"
            numbers = [(a, b) for a, b in zip(theirs, own or []) if a.isdigit()]
            if own is None or any(not b.isdigit() for _, b in numbers):
                less[operator].append(text)
            elif len(own) != len(theirs) or any(a != b for a, b in numbers):
                differ[operator].append(text)
            elif own == theirs:
                equal += 1
            else:
                more += 1
    print(f"{len(files)} models, onnx {onnx.__version__}: {equal} shapes are equal, check knows more of {more}")
    listed("onnx knows more", less)
    listed("contradictions", differ)
    listed("only onnx refuses", strict)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run in [("broken", broken), ("inferred", inferred)]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("program")
        command.add_argument("models")
        if name == "broken":
            command.add_argument("out")
            command.add_argument("--each", type=int, default=3)
            command.add_argument("--mistakes", action="store_true")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
