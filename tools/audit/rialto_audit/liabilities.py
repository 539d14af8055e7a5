"""Statements of liabilities: their figures, trees and digests, recomputed from the journal (LIA-1 to LIA-8).

The venue's claims are a file as `rialto journal export --statements` writes it: first a line with the fingerprints of
wallet keys by account, then a line for each statement, in the order of their epochs, with its text, the entry that has
its digest, and the key of its epoch. Memory grows with the accounts.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any, Dict, Iterator, List, Optional, TextIO

from .accounts import INSURANCE
from .amounts import Liabilities
from .books import Books
from .differences import Damaged, Difference
from .epochs import Epochs
from .schema import Layout
from .sum_tree import SumTree

STATED = "LiabilitiesStated"

_DIGEST_WORDS = ("digest_first", "digest_second", "digest_third", "digest_fourth")
_WORD = (1 << 64) - 1
_NO_FINGERPRINT = bytes(32)
_LEDGER_DECIMALS = 10
_LEDGER_AMOUNT = re.compile(r"-?(0|[1-9][0-9]{0,28})\.[0-9]{10}")


class Stated:
    """A statement as the venue made it."""

    def __init__(self, line: str) -> None:
        try:
            said: Dict[str, Any] = json.loads(line)
            self.text: str = said["statement"]
            self.entry_seq = int(said["entry_seq"])
            self.epoch_key = bytes.fromhex(said["epoch_key"])
            self.said: Dict[str, Any] = json.loads(self.text)
            self.epoch = int(self.said["epoch"])
            self.seq = int(self.said["seq"])
            self.digest = sha256(self.text.encode()).digest()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Damaged(f"a line of the statements cannot be read: {error!r}") from error


class Statements:
    """Follows the journal statement by statement. Call `take` with each entry after the books have it."""

    def __init__(self, lines: TextIO, books: Books, epochs: Optional[Epochs]) -> None:
        given = (line for line in lines if line.strip())
        self._fingerprints = _fingerprints(next(given, "{}"))
        self._lines: Iterator[Stated] = (Stated(line) for line in given)
        self._books = books
        self._epochs = epochs
        self._next = next(self._lines, None)
        # By the number of the entry that must have their digest: statements whose figures were recomputed.
        self._awaited: Dict[int, Stated] = {}
        self._stated_epoch: Optional[int] = None
        self.checked = 0
        self._check_until(0, None)

    def take(self, layout: Layout, event: Any) -> None:
        """Checks the statements about the books after this entry, and the digest if the entry has one."""
        if layout.name == STATED:
            self._check_entry(event)
        if self._next is not None and self._next.seq <= event.seq:
            self._check_until(event.seq, event)

    def finish(self) -> None:
        """After the last entry no statement may be left over."""
        left = self._next or next(iter(self._awaited.values()), None)
        if left is not None:
            raise self._differs(
                None, left, "has its digest in the journal", f"at entry {left.entry_seq}", "none"
            )

    def _check_until(self, seq: int, event: Any) -> None:
        while self._next is not None and self._next.seq <= seq:
            stated = self._next
            if stated.seq != seq or stated.entry_seq <= seq or stated.entry_seq in self._awaited:
                raise Damaged("the statements are not in the order of the journal")
            if stated.epoch == self._stated_epoch:
                raise self._differs(
                    event, stated, "is the only one of its epoch", "one statement", "two"
                )
            self._stated_epoch = stated.epoch
            self._check_figures(event, stated)
            self._awaited[stated.entry_seq] = stated
            self._next = next(self._lines, None)

    def _check_entry(self, event: Any) -> None:
        stated = self._awaited.pop(event.seq, None)
        if stated is None:
            raise Difference(
                event, "a digest in the journal belongs to a statement", "a statement", "none"
            )
        words = [getattr(event, name) & _WORD for name in _DIGEST_WORDS]
        digest = b"".join(word.to_bytes(8, "big") for word in words)
        if digest != stated.digest:
            raise self._differs(
                event, stated, "has its digest in the journal", stated.digest.hex(), digest.hex()
            )
        if (event.epoch, event.stated_seq) != (stated.epoch, stated.seq):
            raise self._differs(
                event,
                stated,
                "is recorded with its epoch and entry",
                (stated.epoch, stated.seq),
                (event.epoch, event.stated_seq),
            )
        if self._epochs is not None:
            last = self._epochs.last_seq_of(stated.epoch)
            if last != stated.seq:
                raise self._differs(
                    event, stated, "is about the last entry of its epoch", last, stated.seq
                )
        self.checked += 1

    def _check_figures(self, event: Any, stated: Stated) -> None:
        said, terms = stated.said, self._books.terms
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._equal(event, stated, "is canonical JSON", text, stated.text)
        marks: List[Dict[str, Any]] = [
            {"market": market.symbol, "price": market.price(mark), "ticks": mark}
            for market in terms.markets
            if market.is_perpetual
            for mark in (self._books.mark(market.number),)
        ]
        self._equal(event, stated, "has the marks of the journal", marks, said.get("marks"))
        liabilities = Liabilities(self._books)
        assets: List[Dict[str, Any]] = said.get("assets", [])
        numbers = [asset.get("number") for asset in assets]
        self._equal(event, stated, "has all assets", list(terms.asset_codes), numbers)
        for asset in assets:
            self._check_asset(event, stated, asset, liabilities)

    def _check_asset(
        self, event: Any, stated: Stated, said: Dict[str, Any], liabilities: Liabilities
    ) -> None:
        number, terms = said["number"], self._books.terms
        amounts, shortfall = liabilities.of[number], liabilities.shortfall(number)
        expected: Dict[str, Any] = {
            "asset": terms.asset_codes[number],
            "decimals": terms.asset_decimals[number],
            "liabilities": str(liabilities.owed[number]),
            "shortfall": str(shortfall),
            "total": str(liabilities.owed[number] + shortfall),
            "insurance": str(amounts.get(INSURANCE, 0)),
            "faucet_debt": str(liabilities.faucet_debt[number]),
        }
        for name, value in expected.items():
            self._equal(
                event, stated, f"states the {name} of the journal", value, said.get(name), number
            )
        tree = SumTree(stated.epoch, stated.epoch_key, number, amounts, self._fingerprint_of)
        size, root = said.get("leaves"), said.get("root")
        self._equal(
            event, stated, "has as many leaves as hide its accounts", tree.size, size, number
        )
        self._equal(
            event, stated, "has the root of all accounts' leaves", tree.root.hex(), root, number
        )
        self._check_holdings(event, stated, said)

    def _fingerprint_of(self, account: int) -> bytes:
        """That of the wallet key of the account's owner; zeros for one without a wallet key."""
        owner = self._books.accounts.owner_of(account)
        return self._fingerprints.get(owner, _NO_FINGERPRINT)

    def _check_holdings(self, event: Any, stated: Stated, said: Dict[str, Any]) -> None:
        parts = [said.get(name) for name in ("holdings", "in_flight", "surplus")]
        if None in parts:
            none = [None] * len(parts)
            self._equal(
                event, stated, "has all of an asset's holdings or none", none, parts, said["number"]
            )
            return
        for part in parts:
            if not _LEDGER_AMOUNT.fullmatch(str(part)):
                rule = "has amounts of the ledger with ten decimals"
                raise self._differs(event, stated, rule, "such a number", part, said["number"])
        held, in_flight, surplus = (int(str(part).replace(".", "")) for part in parts)
        owed = int(said["liabilities"]) * 10 ** (_LEDGER_DECIMALS - said["decimals"])
        self._equal(
            event,
            stated,
            "has the surplus of its holdings over its liabilities",
            _ledger_text(held + in_flight - owed),
            _ledger_text(surplus),
            said["number"],
        )

    def _equal(
        self,
        event: Any,
        stated: Stated,
        rule: str,
        expected: Any,
        found: Any,
        asset: Optional[int] = None,
    ) -> None:
        if expected != found:
            raise self._differs(event, stated, rule, expected, found, asset)

    @staticmethod
    def _differs(
        event: Any,
        stated: Stated,
        rule: str,
        expected: Any,
        found: Any,
        asset: Optional[int] = None,
    ) -> Difference:
        rule = f"the statement of epoch {stated.epoch} {rule}"
        # The entry after which the figures are counted is not itself what differs.
        return Difference(event, rule, expected, found, None, asset)


def _ledger_text(units: int) -> str:
    digits = str(abs(units)).rjust(_LEDGER_DECIMALS + 1, "0")
    sign = "-" if units < 0 else ""
    return f"{sign}{digits[:-_LEDGER_DECIMALS]}.{digits[-_LEDGER_DECIMALS:]}"


def _fingerprints(line: str) -> Dict[int, bytes]:
    try:
        said: Dict[str, str] = json.loads(line)["fingerprints"]
        return {int(account): bytes.fromhex(digits) for account, digits in said.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"the statements do not begin with fingerprints: {error!r}") from error
