"""Reads an exported journal as a stream: header, events, digest (docs/guides/journal-export.md, JRN-17, JRN-18).

Memory does not grow with the file. The digest is computed while reading and compared at the end.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, BinaryIO, Iterator, Tuple

from .differences import Damaged
from .markets import Terms
from .schema import Layout, Schema

_MAGIC = b"RIALTOJL"
_FORMAT = 1
_HEADER_MAX = 16 * 2**20
_TRAILER = 4 + 8 + 32
_PART = 2**20
# Offset of `kind` in an event, of its length, and the size of the header that both are in.
_KIND_AT, _HEAD_SIZE = 20, 24


class Export:
    """One file. Iterate `events` once; afterwards the file has been read and its digest compared."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        prefix = self._exactly(16)
        if prefix[:8] != _MAGIC or int.from_bytes(prefix[8:12], "little") != _FORMAT:
            raise Damaged("this is not a journal export of format 1")
        length = int.from_bytes(prefix[12:], "little")
        if length > _HEADER_MAX:
            raise Damaged(f"a header of {length} bytes is too long")
        text = self._exactly(length)
        self._digest.update(prefix + text)
        header = json.loads(text)
        schema = header["schema"]
        if hashlib.sha256(schema.encode()).hexdigest() != header["schema_sha256"]:
            raise Damaged("the schema in the header does not match its digest")
        self.first: int = header["from"]
        self.last: int = header["to"]
        self.schema = Schema(schema)
        self.terms = Terms(header)

    def events(self) -> Iterator[Tuple[Layout, Any]]:
        """Each event with its layout, in the file's order. Raises Damaged where the file is not whole."""
        layouts = self.schema.layouts
        part, at = b"", 0
        seq = self.first
        while True:
            if len(part) - at < _HEAD_SIZE + 4 + 65_536:
                part, at = self._next(part, at), 0
            if len(part) - at < 4:
                raise Damaged(f"the file ends before event {seq}")
            length = int.from_bytes(part[at : at + 4], "little")
            if length == 0:
                break
            start, end = at + 4, at + 4 + length
            if length < _HEAD_SIZE or end > len(part):
                raise Damaged(f"event {seq} has an invalid length of {length} bytes")
            layout = layouts.get(part[start + _KIND_AT])
            if layout is None:
                raise Damaged(
                    f"event {seq} has kind {part[start + _KIND_AT]}, which the schema does not name"
                )
            values = layout.unpack(part, start)
            if layout.text_length is not None:
                text = start + layout.size
                values += (part[text : text + values[layout.text_length]].decode("latin-1"),)
            yield layout, layout.make(values)
            at = end
            seq += 1
        self._check_end(part, at, seq - self.first)

    def _check_end(self, part: bytes, at: int, count: int) -> None:
        self._digest.update(part[:at])
        trailer = part[at:]
        if len(trailer) != _TRAILER:
            raise Damaged("the file is truncated in its trailer, or more bytes follow its end")
        if int.from_bytes(trailer[4:12], "little") != count or count != self.last - self.first + 1:
            raise Damaged("header, trailer and events have different counts")
        if trailer[12:] != self._digest.digest():
            raise Damaged("the file was changed: its digest does not match")

    def _next(self, part: bytes, at: int) -> bytes:
        """The unread rest of `part` with the next part of the file after it."""
        self._digest.update(part[:at])
        return part[at:] + self._file.read(_PART)

    def _exactly(self, count: int) -> bytes:
        read = self._file.read(count)
        if len(read) < count:
            raise Damaged("the file is truncated in its header")
        return read
