"""Sum trees: what a venue owes of one asset, proved leaf by leaf (LIA-1, LIA-5, LIA-6, LIA-7)."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Callable, Dict, List, Tuple

LEAVES_MIN = 64

_TAG = slice(16, 24)
_SALT = slice(0, 16)
_RATIO = slice(24, 28)

# A node: its hash, and the sum of the leaves below it.
Node = Tuple[bytes, int]


def account_key(epoch_key: bytes, account: int) -> bytes:
    """The key that opens the leaves of an account in one epoch."""
    return hmac.new(epoch_key, account.to_bytes(4, "big"), "sha256").digest()


def padded_size(leaves: int) -> int:
    """The smallest power of two that holds so many leaves, at least LEAVES_MIN."""
    return max(LEAVES_MIN, 1 << max(leaves - 1, 0).bit_length())


class SumTree:
    """The tree of one asset. `amounts` has minor units by account; only those above zero have leaves."""

    def __init__(
        self,
        epoch: int,
        epoch_key: bytes,
        asset: int,
        amounts: Dict[int, int],
        fingerprint_of: Callable[[int], bytes],
    ) -> None:
        head = b"\x04" + epoch.to_bytes(8, "big") + bytes([asset])
        leaves: List[Tuple[bytes, bytes, int]] = []
        for account, amount in amounts.items():
            if amount <= 0:
                continue
            key = b"\x06" + account_key(epoch_key, account) + bytes([asset])
            tail = fingerprint_of(account) + account.to_bytes(4, "big")
            shares = [sha256(key + bytes([part])).digest() for part in range(2)]
            first = amount * int.from_bytes(shares[0][_RATIO], "big") >> 32
            for share, part in zip(shares, (first, amount - first)):
                leaf = sha256(head + part.to_bytes(16, "big") + tail + share[_SALT]).digest()
                leaves.append((share[_TAG], leaf, part))
        self.size = padded_size(len(leaves))
        padding = b"\x07" + epoch_key + bytes([asset])
        for index in range(self.size - len(leaves)):
            leaf = sha256(padding + index.to_bytes(4, "big")).digest()
            leaves.append((leaf[:8], leaf, 0))
        leaves.sort()
        self.root, self.total = _root([(leaf, amount) for _, leaf, amount in leaves])


def _root(row: List[Node]) -> Node:
    """The node over a power of two of leaves. Each node's hash covers the hashes and the sums of both children."""
    while len(row) > 1:
        row = [_node(left, right) for left, right in zip(row[::2], row[1::2])]
    return row[0]


def _node(left: Node, right: Node) -> Node:
    sides = b"".join(hashed + total.to_bytes(16, "big") for hashed, total in (left, right))
    return sha256(b"\x05" + sides).digest(), left[1] + right[1]
