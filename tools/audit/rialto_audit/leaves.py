"""Leaves of epochs: the commitments to one entry or one fill (EPO-2 to EPO-5, docs/guides/proofs.md)."""

from __future__ import annotations

import struct
from hashlib import sha256
from typing import Any, Callable, Dict, List, Tuple

from .bodies import Bodies
from .schema import Layout

NONCE_BYTES, HASH_BYTES = 16, 32
TRADED = "Traded"
# The nonces that the openings of a trade have: of its entry, its taker, its maker and its fill.
NONCES_OF_TRADE = 4

_JOURNAL, _FILL, _FILL_TYPE = 1, 2, 100
_head = struct.Struct(">4sBQQHB").pack

# The hash of a leaf, from the event and its nonces. For a trade, also that of its fill; else empty.
LeafHash = Callable[[Any, bytes], Tuple[bytes, bytes]]


def _body_hash(nonce: bytes, body: str) -> bytes:
    return sha256(b"\x03" + nonce + body.encode()).digest()


def _leaf_hash(
    kind: int, number: int, ts_us: int, entry_type: int, ref: bytes, body_hash: bytes
) -> bytes:
    head = _head(b"VJL1", kind, number, ts_us, entry_type, len(ref))
    return sha256(b"\x00" + head + ref + body_hash).digest()


class Leaves:
    """Computes leaf hashes; one function a kind, made when the kind is first seen."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._by_kind: Dict[int, LeafHash] = {}

    def hashes(self, layout: Layout, event: Any, nonces: bytes) -> Tuple[bytes, bytes]:
        """The leaf hash of an entry, and of its fill if it is a trade (else empty)."""
        made = self._by_kind.get(layout.kind)
        if made is None:
            made = self._traded(layout) if layout.name == TRADED else self._entry(layout)
            self._by_kind[layout.kind] = made
        return made(event, nonces)

    def _entry(self, layout: Layout) -> LeafHash:
        body, kind = self._bodies.of_kind(layout), layout.kind
        if "order_id" in layout.types:
            return lambda event, nonces: (
                _leaf_hash(
                    _JOURNAL,
                    event.seq,
                    event.ts_us,
                    kind,
                    b"o-%d" % event.order_id,
                    _body_hash(nonces, body(event)),
                ),
                b"",
            )
        return lambda event, nonces: (
            _leaf_hash(
                _JOURNAL, event.seq, event.ts_us, kind, b"", _body_hash(nonces, body(event))
            ),
            b"",
        )

    def _traded(self, layout: Layout) -> LeafHash:
        entry, fill, taker, maker = self._bodies.of_trade(layout)
        kind = layout.kind

        def hashes(event: Any, nonces: bytes) -> Tuple[bytes, bytes]:
            own, takers, makers, fills = _split(nonces)
            sides = (_body_hash(takers, taker(event)).hex(), _body_hash(makers, maker(event)).hex())
            ref = b"t-%d" % event.trade_id
            body = _body_hash(own, entry(event, *sides))
            fill_body = _body_hash(fills, fill(event))
            return (
                _leaf_hash(_JOURNAL, event.seq, event.ts_us, kind, ref, body),
                _leaf_hash(_FILL, event.trade_id, event.ts_us, _FILL_TYPE, ref, fill_body),
            )

        return hashes


def _split(nonces: bytes) -> List[bytes]:
    return [
        nonces[at : at + NONCE_BYTES] for at in range(0, NONCES_OF_TRADE * NONCE_BYTES, NONCE_BYTES)
    ]
