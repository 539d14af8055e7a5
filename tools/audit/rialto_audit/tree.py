"""The Merkle tree of RFC 6962 over SHA-256 (EPO-1)."""

from __future__ import annotations

from hashlib import sha256
from typing import Sequence


def node(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node over two hashes of 32 bytes."""
    return sha256(b"\x01" + left + right).digest()


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes in order; the hash of no bytes for none.

    Level by level, two neighbours form a node, and a last one without a neighbour moves up unchanged: that is the tree
    which the standard defines by splitting at powers of two.
    """
    if not leaves:
        return sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        pairs = [node(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        row = pairs + row[-1:] if len(row) % 2 else pairs
    return row[0]
