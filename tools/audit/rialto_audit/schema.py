"""Layouts of the events, read from the FlatBuffers schema in the header of an export (JRN-23, JRN-24).

Every event is one FlatBuffers struct: its fields follow each other, little-endian, each aligned to its size. So the
schema's text is enough to read them, and no generated code is needed.
"""

from __future__ import annotations

import re
import struct
from collections import namedtuple
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

HEADER = "EventHeader"

# Type of the schema: its format in `struct`, and its size in bytes, which is also its alignment.
_NUMBERS = {
    "bool": ("?", 1),
    "ubyte": ("B", 1),
    "ushort": ("H", 2),
    "uint": ("I", 4),
    "ulong": ("Q", 8),
    "long": ("q", 8),
}

# The header's `flags` are renamed, because some events have a field of this name.
_HEADER_NAMES = {"flags": "unit_end"}


class Layout(NamedTuple):
    """How the events of one kind are read."""

    name: str
    kind: int
    size: int
    unpack: Callable[[bytes, int], Tuple[Any, ...]]
    make: Callable[[Tuple[Any, ...]], Any]
    text_length: Optional[int]
    """Index of the field that has the length of the text after the struct; None if there is no text."""
    types: Dict[str, str]
    """The type of each field in the schema: a number's, or the name of an enumeration."""


class Schema:
    """The kinds and code names of one version of the events."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"//.*", "", text)
        self.enums: Dict[str, Dict[int, str]] = {
            name: {
                int(code): code_name for code_name, code in re.findall(r"(\w+)\s*=\s*(\d+)", body)
            }
            for name, body in re.findall(r"enum\s+(\w+)\s*:\s*\w+\s*\{([^}]*)\}", text)
        }
        self._structs: Dict[str, List[Tuple[str, str]]] = {
            name: re.findall(r"(\w+)\s*:\s*(\w+)\s*;", body)
            for name, body in re.findall(r"struct\s+(\w+)\s*\{([^}]*)\}", text)
        }
        self.layouts: Dict[int, Layout] = {
            kind: self._layout(name, kind) for kind, name in self.enums["EventKind"].items()
        }

    def _flat(self, name: str) -> List[Tuple[str, str]]:
        """The fields of a struct with those of the header in front."""
        flat: List[Tuple[str, str]] = []
        for field, kind in self._structs[name]:
            if kind == HEADER:
                flat += [
                    (_HEADER_NAMES.get(inner, inner), of) for inner, of in self._structs[HEADER]
                ]
            else:
                flat.append((field, kind))
        return flat

    def _layout(self, name: str, kind: int) -> Layout:
        fields = self._flat(name)
        form, at = "<", 0
        for _, of in fields:
            letter, size = _NUMBERS.get(of, _NUMBERS["ubyte"])
            padding = -at % size
            form += "x" * padding + letter
            at += padding + size
        names = [field for field, _ in fields]
        lengths = [index for index, field in enumerate(names) if field.endswith("_length")]
        text = lengths[0] if lengths else None
        if text is not None:
            names.append(names[text][: -len("_length")])
        event_type: Any = namedtuple(name, names)  # type: ignore[misc]
        return Layout(
            name=name,
            kind=kind,
            size=at + -at % 8,
            unpack=struct.Struct(form).unpack_from,
            make=event_type._make,
            text_length=text,
            types=dict(fields),
        )
