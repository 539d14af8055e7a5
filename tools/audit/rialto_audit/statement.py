"""Compares the recomputed balances and positions with what the venue states (AUD-3).

The statement is a JSON object as `rialto journal export --balances` writes it: `seq`, and lists of `balances` and
`positions`. Amounts are strings of minor units. What is 0 may be left out.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, TextIO, Tuple

from .books import Books
from .differences import Damaged, Difference
from .wallets import WALLET_NAMES

# Account, wallet or market, and asset; and what is stated of it.
_Rows = Dict[Tuple[int, str, str], Tuple[int, ...]]


class Statement:
    """What the venue says that everybody has after one event."""

    def __init__(self, file: TextIO) -> None:
        try:
            said: Dict[str, Any] = json.load(file)
            self.seq = int(said["seq"])
            self.is_compared = False
            self._balances = _rows(said["balances"], ("wallet", "asset"), ("units",))
            self._positions = _rows(said["positions"], ("market",), ("lots", "entry_value"))
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"the statement of balances cannot be read: {error!r}") from error

    def compare(self, books: Books) -> None:
        """Raises Difference at the first account that differs, lowest number first."""
        self.is_compared = True
        terms = books.terms
        balances: _Rows = {
            (account, WALLET_NAMES[wallet], terms.asset_codes[asset]): (units,)
            for account, wallet, asset, units in books.wallets.all()
        }
        positions: _Rows = {
            (account, terms.markets[market].symbol, ""): (lots, entry)
            for account, market, lots, entry in books.positions.all()
        }
        numbers = {code: asset for asset, code in terms.asset_codes.items()}
        _compare(books, "the balance stated", balances, self._balances, numbers)
        _compare(
            books,
            "the position stated, in lots and entry value,",
            positions,
            self._positions,
            numbers,
        )


def _rows(said: List[Dict[str, Any]], names: Tuple[str, ...], values: Tuple[str, ...]) -> _Rows:
    rows: _Rows = {}
    for row in said:
        first, second = (*(str(row[name]) for name in names), "")[:2]
        key = (int(row["account"]), first, second)
        if key in rows:
            raise Damaged(f"the statement has two rows of {key}")
        rows[key] = tuple(int(row[value]) for value in values)
    return rows


def _compare(books: Books, what: str, own: _Rows, said: _Rows, assets: Dict[str, int]) -> None:
    for key in sorted(own.keys() | said.keys()):
        expected, found = own.get(key), said.get(key)
        if not any(expected or ()) and not any(found or ()):
            continue
        if expected == found:
            continue
        account, place, asset = key
        known = "" if books.accounts.knows(account) else " (an account that was never opened)"
        raise Difference(
            None,
            f"{what} in {place}{known} is the recomputed one",
            _told(expected),
            _told(found),
            account,
            assets.get(asset),
        )


def _told(values: Any) -> Any:
    if values is None:
        return 0
    return values[0] if len(values) == 1 else list(values)
