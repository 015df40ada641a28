"""Writes a first provider profile from a run: the operators and element types of which every case passes.

usage: python provider_profile.py RUN BACKEND NAME [TEXT] > profile.toml

RUN is the folder of a run with one or more backends, BACKEND the backend's name in it, NAME a name for people, TEXT the
backend for the command line if it has another name in the run. A case
that does not pass takes the claim of one of its operators: the one with the fewest cases that pass. The package `onnx`
must know the operators (1.22 or newer).
"""

import json
import pathlib
import sys
import textwrap
from collections import Counter, defaultdict

import onnx


def records(run, backend):
    """The verdicts and the uses of operators of each case, the description of the backend."""
    verdicts, exercises, info = {}, {}, {}
    for line in (pathlib.Path(run) / "run.jsonl").read_text().splitlines():
        event = json.loads(line)
        kind = event.get("event")
        if kind == "backend_started" and event["name"] == backend:
            info = event
        elif kind == "case_finished" and event["backend"] == backend:
            verdicts[event["case"]] = event["verdict"]
        elif kind == "case_exercises":
            exercises[event["case"]] = event["exercises"]
    return verdicts, exercises, info


def data_types(use):
    """The name of an operator with the element types of its first input, or of its first output without inputs."""
    operator, since = use["operator"].rsplit("-", 1)
    domain, _, name = operator.rpartition(".")
    schema = onnx.defs.get_schema(name, int(since), domain)
    formal = (list(schema.inputs) or list(schema.outputs))[0]
    key = formal.type_str if formal.type_str in use["types"] else formal.name
    return [(operator, of) for of in use["types"].get(key, ["?"])]


def claims(verdicts, exercises):
    """The operators with their types that no case without a pass consists of."""
    uses = {case: {pair for use in exercises.get(case, []) for pair in data_types(use)} for case in verdicts}
    judged = {case: verdict["kind"] for case, verdict in verdicts.items()}
    passes = Counter(pair for case, pairs in uses.items() if judged[case] == "pass" for pair in pairs)
    claimed = {pair for pair in passes if "(" not in pair[1] and pair[1] != "?"}
    for case, pairs in sorted(uses.items(), key=lambda item: (len(item[1]), item[0])):
        if judged[case] not in ("pass", "disputed") and pairs and pairs <= claimed:
            claimed.discard(min(pairs, key=lambda pair: (passes[pair], pair)))
    return claimed


def main(run, backend, name, text=None):
    verdicts, exercises, info = records(run, backend)
    groups = defaultdict(list)
    by_operator = defaultdict(set)
    for operator, of in claims(verdicts, exercises):
        by_operator[operator].add(of)
    for operator, types in by_operator.items():
        groups[tuple(sorted(types))].append(operator)
    provider = (info.get("providers") or [""])[0]
    print(f'format = 1\nname = "{name}"\nprovider = "{provider}"\nbackend = "{text or backend}"')
    for types, operators in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        listed = textwrap.fill(", ".join(f'"{one}"' for one in sorted(operators)), 110)
        print("\n[[claims]]\noperators = [\n" + textwrap.indent(listed, "  ") + ",\n]")
        print(f"types = [{', '.join(json.dumps(of) for of in types)}]")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
