"""Writes events as canonical JSON, the bodies that leaves commit to (EPO-3, CHN-9, docs/reference/journal.md).

Each kind's body is one format string with a value for each `%s`. The strings and the expressions of the values are
made from the table of keys, once for each kind, because a loop over keys would take most of an audit's time.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Tuple

from .body_keys import BODY_KEYS, FILL_KEYS, MAKER_KEYS, TAKER_KEYS, Key
from .markets import BUY, Terms
from .schema import Layout, Schema

Body = Callable[[Any], str]

_RATE_DECIMALS = 8
# Decimals of a price in thousandths of a tick, beyond those of the tick.
_PART_DECIMALS = 3

# Form of a value: whether it is quoted, and the expression that gives it; `{f}` is the field of the event `e`.
_FORMS: Dict[str, Tuple[bool, str]] = {
    "whole": (False, "e.{f}"),
    "flag": (False, "('true' if e.{f} else 'false')"),
    "bit": (False, "('true' if e.{f} else 'false')"),
    "json": (False, "text(e.{f})"),
    "quoted": (True, "e.{f}"),
    "order": (True, "'o-%d' % e.{f}"),
    "trade": (True, "'t-%d' % e.{f}"),
    "symbol": (True, "symbols[e.{f}]"),
    "asset": (True, "codes[e.{f}]"),
    "price": (True, "decimal(e.{f}, ticks[e.market])"),
    "basis": (True, "decimal(e.{f}, ticks[e.market] + part_decimals)"),
    "qty": (True, "decimal(e.{f}, lots[e.market])"),
    "rate": (True, "decimal(e.{f}, rate_decimals)"),
    "amount": (True, "decimal(e.{f}, decimals[e.asset])"),
    "quote": (True, "decimal(e.{f}, quotes[e.market])"),
    "margin": (True, "decimal(e.{f}, margin_decimals)"),
    "taker_fee": (True, "decimal(e.{f}, (bases if e.taker_side == buy else quotes)[e.market])"),
    "maker_fee": (True, "decimal(e.{f}, (quotes if e.taker_side == buy else bases)[e.market])"),
    "hash": (True, "{f}"),
}


def decimal(value: int, decimals: int) -> str:
    """value × 10^−decimals with all its decimals; no point if there are none."""
    if decimals == 0:
        return str(value)
    digits = str(abs(value)).rjust(decimals + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _upper(name: str) -> str:
    """The name of a code in bodies: STOP_MARKET for StopMarket."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper()


class Bodies:
    """The bodies of events on the markets of one export."""

    def __init__(self, schema: Schema, terms: Terms) -> None:
        self._schema = schema
        quotes = [terms.asset_decimals[market.quote] for market in terms.markets]
        bases = [terms.asset_decimals[market.base] for market in terms.markets]
        margin = terms.margin_asset
        self._names: Dict[str, Any] = {
            "text": _text,
            "decimal": decimal,
            "symbols": [market.symbol for market in terms.markets],
            "codes": terms.asset_codes,
            "ticks": [market.tick_decimals for market in terms.markets],
            "lots": [market.lot_decimals for market in terms.markets],
            "quotes": quotes,
            "bases": bases,
            "decimals": terms.asset_decimals,
            "margin_decimals": None if margin is None else terms.asset_decimals[margin],
            "rate_decimals": _RATE_DECIMALS,
            "part_decimals": _PART_DECIMALS,
            "buy": BUY,
        }
        for name, codes in schema.enums.items():
            upper = {code: _upper(code_name) for code, code_name in codes.items()}
            # The names of wallets are in lower case.
            self._names[name] = (
                {code: text.lower() for code, text in upper.items()} if name == "Wallet" else upper
            )

    def of_kind(self, layout: Layout) -> Body:
        """The function that writes the body of this kind; for any kind but trades."""
        keys = BODY_KEYS[layout.name] + [Key("account", "account", "whole")]
        return self._compiled(layout, keys, True, "")

    def of_trade(self, layout: Layout) -> Tuple[Callable[[Any, str, str], str], Body, Body, Body]:
        """Writes a trade's entry (given the hashes of taker and maker), its fill, its taker and its maker."""
        hashes = [Key("maker", "maker", "hash"), Key("taker", "taker", "hash")]
        return (
            self._compiled(layout, FILL_KEYS + hashes, True, ", taker, maker"),
            self._compiled(layout, FILL_KEYS, False, ""),
            self._compiled(layout, TAKER_KEYS, False, ""),
            self._compiled(layout, MAKER_KEYS, False, ""),
        )

    def _compiled(
        self, layout: Layout, keys: List[Key], is_entry: bool, more: str
    ) -> Callable[..., str]:
        parts = [(key.key, *self._value(layout, key)) for key in keys]
        if is_entry:
            parts.append(("event", True, repr(_upper(layout.name))))
            parts.append(("unit_end", False, "('true' if e.unit_end & 1 else 'false')"))
        parts.sort()
        form = ",".join(f'"{key}":"%s"' if quoted else f'"{key}":%s' for key, quoted, _ in parts)
        values = ", ".join(value for _, _, value in parts)
        made: Callable[..., str] = eval(f"lambda e{more}: '{{{form}}}' % ({values},)", self._names)
        return made

    def _value(self, layout: Layout, key: Key) -> Tuple[bool, str]:
        if key.form == "bits":
            words = key.field.split("+")
            return True, " + ".join(f"'%016x' % (e.{word} & 0xFFFFFFFFFFFFFFFF)" for word in words)
        if key.form in ("code", "wallet"):
            return True, f"{layout.types[key.field]}[e.{key.field}]"
        quoted, value = _FORMS[key.form]
        return quoted, value.format(f=key.field)
