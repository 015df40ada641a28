"""The options of a backend, from the arguments of its worker: `--opt key=value`, each key at most once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .errors import OptionError

Setting: TypeAlias = int | float | bool | str

_SWITCH = {"on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a backend. The type of `default` is the type of the option; bool is `on` or `off`.

    >>> Option(1, "number of threads", minimum=1, maximum=64).parse("threads", "4")
    4
    """

    default: Setting
    help: str
    choices: Sequence[str] = ()
    """The allowed words of a text option; empty for any text."""
    minimum: float | None = None
    """The smallest allowed number."""
    maximum: float | None = None
    """The largest allowed number."""

    def parse(self, name: str, text: str) -> Setting:
        """Parses a value. Raises OptionError."""
        match self.default:
            case bool():
                if text not in _SWITCH:
                    raise OptionError(name, f"`{text}` is not a switch: use on or off")
                return _SWITCH[text]
            case int() | float():
                return self._number(name, text)
        if self.choices and text not in self.choices:
            raise OptionError(name, f"`{text}` is not one of {', '.join(self.choices)}")
        return text

    def _number(self, name: str, text: str) -> int | float:
        kind = type(self.default)
        try:
            number: int | float = kind(text)  # type: ignore[assignment]
        except ValueError as error:
            raise OptionError(name, f"`{text}` is not a valid {kind.__name__} ({self.help})") from error
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            raise OptionError(name, f"`{text}` is not in the range {self.minimum} to {self.maximum}")
        return number


THREADS = Option(1, "number of threads, 1 by default", minimum=1, maximum=1024)
"""The option `threads`. `bench` lists a backend without it in a separate table: its threads are unknown."""

SPINNING = Option(True, "whether idle threads spin, on by default")
"""The option `spinning`: `bench` sets it the same for all backends that have it."""


def parse_options(arguments: Sequence[str], known: Mapping[str, Option]) -> dict[str, Setting]:
    """Parses the arguments; options that are not given have their defaults. Raises OptionError."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument != "--opt":
            raise OptionError(argument, "unknown argument; a worker takes `--opt key=value`, which can be repeated")
        key, equals, value = (rest.pop(0) if rest else "").partition("=")
        if not equals or not key:
            raise OptionError(key, "has no value; write `key=value`")
        if key in given:
            raise OptionError(key, "given twice")
        given[key] = value
    for key in given:
        if key not in known:
            names = f"known: {', '.join(sorted(known))}" if known else "this backend has none"
            raise OptionError(key, f"unknown option; {names}")
    parsed = {name: option.default for name, option in known.items()}
    return parsed | {name: known[name].parse(name, text) for name, text in given.items()}


def shown(setting: Setting) -> str:
    """Formats the value of an option."""
    if isinstance(setting, bool):
        return "on" if setting else "off"
    return str(setting)
