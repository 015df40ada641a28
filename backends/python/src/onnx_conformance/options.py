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
    """An option that a backend has. The type of `default` is the type of the option; bool is `on` or `off`.

    >>> Option(1, "number of threads", least=1, most=64).parse("threads", "4")
    4
    """

    default: Setting
    help: str
    choices: Sequence[str] = ()
    """Of text: the words it can be; any where empty."""
    least: float | None = None
    """Of numbers: the smallest."""
    most: float | None = None
    """Of numbers: the largest."""

    def parse(self, name: str, text: str) -> Setting:
        """The value that a person wrote. Raises OptionError."""
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
            raise OptionError(name, f"`{text}` is no {kind.__name__} ({self.help})") from error
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            raise OptionError(name, f"`{text}` is not within {self.least} to {self.most}")
        return number


THREADS = Option(1, "number of threads, 1 by default", least=1, most=1024)
"""The option `threads`. A backend without it is timed in a table of its own, for nobody can tell its threads."""

SPINNING = Option(True, "whether idle threads spin, on by default")
"""The option `spinning`: `bench` has one rule for all backends that have it."""


def parse_options(arguments: Sequence[str], known: Mapping[str, Option]) -> dict[str, Setting]:
    """All options of a backend with the values that the arguments give, else their defaults. Raises OptionError."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument != "--opt":
            raise OptionError(argument, "not understood; a worker takes `--opt key=value`, any number of times")
        key, equals, value = (rest.pop(0) if rest else "").partition("=")
        if not equals or not key:
            raise OptionError(key, "has no value; write `key=value`")
        if key in given:
            raise OptionError(key, "given twice")
        given[key] = value
    for key in given:
        if key not in known:
            there = f"there are {', '.join(sorted(known))}" if known else "this backend has no options"
            raise OptionError(key, f"unknown; {there}")
    parsed = {name: option.default for name, option in known.items()}
    return parsed | {name: known[name].parse(name, text) for name, text in given.items()}


def shown(setting: Setting) -> str:
    """An option's value as a person writes it."""
    if isinstance(setting, bool):
        return "on" if setting else "off"
    return str(setting)
