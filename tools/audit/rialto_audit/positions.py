"""Perpetual positions: signed lots and signed entry value, and the profit that a change realises (ACC-12, ACC-13)."""

from __future__ import annotations

from typing import Dict, Iterator, Tuple

_SHIFT, _MASK = 16, 65_535


def _share(value: int, part: int, whole: int) -> int:
    """value × part ÷ whole, rounded toward zero."""
    product = value * part
    return product // whole if product >= 0 else -(-product // whole)


class Positions:
    """Every open position."""

    def __init__(self) -> None:
        self._open: Dict[int, Tuple[int, int]] = {}

    def lots(self, account: int, market: int) -> int:
        """Signed lots, above zero for a long; 0 without a position."""
        return self._open.get(account << _SHIFT | market, (0, 0))[0]

    def trade(self, account: int, market: int, lots: int, value: int) -> int:
        """Changes a position by signed lots for a signed value, and returns the realised profit in minor units.

        What closes takes its share of the entry value and of the traded value, each rounded toward zero; what stays
        open, or opens, has the rest.
        """
        key = account << _SHIFT | market
        held, entry = self._open.get(key, (0, 0))
        if held == 0 or (held > 0) == (lots > 0):
            self._open[key] = (held + lots, entry + value)
            return 0
        closed = min(abs(held), abs(lots))
        closed_entry = _share(entry, closed, abs(held))
        closed_value = _share(value, closed, abs(lots))
        if held + lots == 0:
            del self._open[key]
        else:
            self._open[key] = (held + lots, entry - closed_entry + value - closed_value)
        return -closed_value - closed_entry

    def of_market(self, market: int) -> Dict[int, int]:
        """The lots of each account with a position in the market."""
        return {
            key >> _SHIFT: lots for key, (lots, _) in self._open.items() if key & _MASK == market
        }

    def all(self) -> Iterator[Tuple[int, int, int, int]]:
        """Every account, market, lots and entry value, by account."""
        for key in sorted(self._open):
            yield (key >> _SHIFT, key & _MASK, *self._open[key])
