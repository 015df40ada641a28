"""Validates real documents of every format against the JSON Schemas in docs/schemas.

    python check_schemas.py SCHEMAS DOCUMENTS

DOCUMENTS has files `FORMAT.jsonl` in folders, a document on each line; the tests of `harness/cli` write them. A schema
allows unknown keys. Here it does not: a key of a document that the schema does not describe is an error, and a document
with a further key, or without a required one, must be refused. Exit code 1 for an error or a format without a document.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

IN_PLACE = ("allOf", "anyOf", "oneOf")
OPEN = ":open"


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that also refuses keys that it does not describe."""
    definitions: dict[str, Any] = {}
    for name, definition in schema.get("$defs", {}).items():
        definitions[name] = close(definition, is_open=False)
        definitions[name + OPEN] = close(definition, is_open=True)
    return close(schema, is_open=False) | {"$defs": definitions}


def close(schema: Any, *, is_open: bool) -> Any:
    """A part of a schema; it is open if a schema around it judges the same object and may describe more keys."""
    if not isinstance(schema, dict):
        return schema
    is_reference = "$ref" in schema and not any(word in schema for word in ("properties", *IN_PLACE))
    result: dict[str, Any] = {}
    for word, value in schema.items():
        if word == "$ref":
            result[word] = value + OPEN if is_open or not is_reference else value
        elif word in ("properties", "patternProperties"):
            result[word] = {name: close(inner, is_open=False) for name, inner in value.items()}
        elif word in IN_PLACE:
            result[word] = [close(inner, is_open=True) for inner in value]
        elif word in ("items", "additionalProperties"):
            result[word] = close(value, is_open=False)
        elif word == "prefixItems":
            result[word] = [close(inner, is_open=False) for inner in value]
        else:
            result[word] = value
    describes = any(word in schema for word in ("properties", *IN_PLACE))
    if describes and not is_open:
        result["unevaluatedProperties"] = False
    return result


def spoiled(document: Any) -> list[Any]:
    """The document, if it is an object, with a further key."""
    return [document | {"no such key": 1}] if isinstance(document, dict) else []


def check(name: str, schema: dict[str, Any], documents: list[Any]) -> list[str]:
    """What is wrong with the documents of a format, or with its schema."""
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(closed(schema))
    if not documents:
        return [f"{name}: there is no document"]
    problems = []
    for document in documents:
        for error in list(validator.iter_errors(document))[:3]:
            problems.append(f"{name}: {error.json_path}: {error.message[:300]}")
    for document in [each for original in documents[:3] for each in spoiled(original)]:
        if validator.is_valid(document):
            problems.append(f"{name}: a document with an unknown key is accepted")
    required = schema.get("required", [])
    for key in required:
        less = {field: value for field, value in documents[0].items() if field != key}
        if validator.is_valid(less):
            problems.append(f"{name}: a document without `{key}` is accepted")
    return problems


def main() -> int:
    """Checks every schema."""
    schemas, folder = Path(sys.argv[1]), Path(sys.argv[2])
    count, problems = 0, []
    for path in sorted(schemas.glob("*.json")):
        files = sorted(folder.glob(f"*/{path.stem}.jsonl"))
        documents = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        count += len(documents)
        problems += check(path.stem, json.loads(path.read_text()), documents)
    for problem in dict.fromkeys(problems):
        print(problem, file=sys.stderr)
    print(f"{count} documents, {len(problems)} errors")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
