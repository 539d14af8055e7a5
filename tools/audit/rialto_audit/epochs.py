"""Epochs: their leaves, roots, headers and chain, recomputed from the journal (EPO-1, EPO-6, CHN-8).

The venue's claims are a file of one JSON object a line, one for each epoch in order, as `rialto journal export
--epochs` writes it: the fields of `/v1/chain/epochs`, and `nonces` and `leaves`, in hexadecimal digits. Without
nonces, headers and counts are checked, but not the leaves. Memory grows with the largest epoch.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Dict, Iterator, List, Optional, TextIO, Tuple

from .differences import Damaged, Difference
from .leaves import HASH_BYTES, NONCE_BYTES, NONCES_OF_TRADE, TRADED, Leaves
from .schema import Layout
from .tree import merkle_root

_NO_ROOT = "00" * HASH_BYTES
_NUMBERS = ("epoch", "start_ms", "end_ms", "first_seq", "last_seq", "journal_count", "fill_count")


class Header:
    """An epoch as the venue states it."""

    def __init__(self, line: str) -> None:
        try:
            said: Dict[str, Any] = json.loads(line)
            numbers = [int(said[name]) for name in _NUMBERS]
            self.epoch, self.start_ms, self.end_ms = numbers[:3]
            self.first_seq, self.last_seq, self.journal_count, self.fill_count = numbers[3:]
            self.venue: str = said["venue"]
            self.merkle_root: str = said["merkle_root"]
            self.prev_root: str = said["prev_root"]
            self.root: str = said["root"]
            self.nonces: Optional[bytes] = (
                bytes.fromhex(said["nonces"]) if "nonces" in said else None
            )
            self.leaves = bytes.fromhex(said.get("leaves", ""))
            self._encoded = self._encode(numbers)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise Damaged(f"a line of the epochs cannot be read: {error!r}") from error

    def _encode(self, numbers: List[int]) -> bytes:
        venue = self.venue.encode()
        counts = b"".join(number.to_bytes(8, "big") for number in numbers)
        roots = bytes.fromhex(self.merkle_root) + bytes.fromhex(self.prev_root)
        return b"VEH1" + bytes([len(venue)]) + venue + counts + roots

    def hash(self) -> str:
        """The root that these fields give (EPO-2)."""
        return sha256(b"\x02" + self._encoded).hexdigest()


class Epochs:
    """Follows the journal epoch by epoch. Call `take` with each entry, then `finish`."""

    def __init__(self, lines: TextIO, leaves: Leaves) -> None:
        self._headers: Iterator[Header] = (Header(line) for line in lines if line.strip())
        self._leaves = leaves
        self._before: Optional[Header] = None
        self._open: Optional[Header] = None
        # Of the open epoch: hashes of its leaves and fills, the hashes that were sealed, and what was read so far.
        self._hashes: List[bytes] = []
        self._fills: List[bytes] = []
        self._sealed = b""
        self._entries, self._trades, self._at = 0, 0, 0
        self.sealed = 0
        # Entries after the last epoch, which no epoch has sealed yet.
        self.unsealed = 0
        self.is_opened = True
        self._last_seqs: Dict[int, int] = {}
        self._next(None)

    @property
    def head(self) -> Optional[Header]:
        """The last epoch that was checked."""
        return self._before

    def last_seq_of(self, epoch: int) -> Optional[int]:
        """The last entry of an epoch that was checked; None if it was not."""
        return self._last_seqs.get(epoch)

    def take(self, layout: Layout, event: Any) -> None:
        """Checks the leaf of the next entry; raises Difference if the epoch's claim about it is another."""
        while self._open is not None and event.seq > self._open.last_seq:
            self._close(event)
        header = self._open
        if header is None:
            self.unsealed += 1
            return
        is_trade = layout.name == TRADED
        self._entries += 1
        self._trades += is_trade
        if header.nonces is None:
            return
        size = NONCE_BYTES * (NONCES_OF_TRADE if is_trade else 1)
        at = self._at
        self._at = at + size
        nonces = header.nonces[at : at + size]
        leaf, fill = self._leaves.hashes(layout, event, nonces)
        self._append(event, leaf)
        if is_trade:
            self._fills.append(fill)

    def finish(self) -> None:
        """Closes the last epochs, after the last entry."""
        while self._open is not None:
            self._close(None)

    def _next(self, event: Any) -> None:
        """Opens the next epoch, which must follow the one before it (EPO-6)."""
        before, header = self._before, next(self._headers, None)
        self._open, self._hashes, self._fills = header, [], []
        self._entries, self._trades, self._at = 0, 0, 0
        if header is None:
            return
        self._sealed = header.leaves
        if before is None:
            expected: Tuple[int, int, int, str] = (header.epoch, header.start_ms, 1, _NO_ROOT)
        else:
            expected = (before.epoch + 1, before.end_ms, before.last_seq + 1, before.root)
        found = (header.epoch, header.start_ms, header.first_seq, header.prev_root)
        if found != expected:
            raise Difference(
                event, f"epoch {header.epoch} follows the one before it", expected, found
            )
        if header.last_seq - header.first_seq + 1 != header.journal_count:
            raise self._differs(
                event,
                "counts its entries",
                header.last_seq - header.first_seq + 1,
                header.journal_count,
            )
        if header.hash() != header.root:
            raise self._differs(
                event, "has a header that hashes to its root", header.hash(), header.root
            )
        self.is_opened = self.is_opened and (header.nonces is not None or header.journal_count == 0)

    def _close(self, event: Any) -> None:
        header = self._open
        assert header is not None
        if self._entries != header.journal_count:
            raise self._differs(
                event, "has only entries of the journal", self._entries, header.journal_count
            )
        if self._trades != header.fill_count:
            raise self._differs(event, "counts its fills", self._trades, header.fill_count)
        if header.nonces is not None:
            for fill in self._fills:
                self._append(event, fill)
            root = merkle_root(self._hashes).hex()
            if root != header.merkle_root:
                raise self._differs(
                    event, "has the Merkle root of its leaves", root, header.merkle_root
                )
        self.sealed += 1
        self._last_seqs[header.epoch] = header.last_seq
        self._before = header
        self._next(event)

    def _append(self, event: Any, leaf: bytes) -> None:
        hashes, sealed = self._hashes, self._sealed
        if sealed:
            at = len(hashes) * HASH_BYTES
            own = sealed[at : at + HASH_BYTES]
            if own != leaf:
                raise self._differs(
                    event, f"sealed leaf {len(hashes)} as the journal has it", leaf.hex(), own.hex()
                )
        hashes.append(leaf)

    def _differs(self, event: Any, rule: str, expected: Any, found: Any) -> Difference:
        assert self._open is not None
        return Difference(event, f"epoch {self._open.epoch} {rule}", expected, found)
