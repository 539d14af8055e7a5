"""Assets and markets as the header of an export describes them, and the value of a fill (ACC-33, ACC-6, FND-9)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

BUY, SELL = 0, 1
_BPS = 10_000
_RATE = 10**8


class Market:
    """One market. Prices are in its ticks, quantities in its lots, values in minor units of its quote asset."""

    def __init__(self, terms: Dict[str, Any]) -> None:
        self.number: int = terms["market"]
        self.symbol: str = terms["symbol"]
        self.is_perpetual: bool = terms["kind"] == "perpetual"
        self.quote: int = terms["quote"]
        # A perpetual, and a delisted market of a coin that is no asset, have no base.
        self.base: int = self.quote if terms["base"] is None else terms["base"]
        self.tick_decimals: int = terms["tick_decimals"]
        self.lot_decimals: int = terms["lot_decimals"]
        self.base_units_per_lot = int(terms["base_units_per_lot"])
        self.maker_bps: int = terms["maker_fee_bps"]
        self.taker_bps: int = terms["taker_fee_bps"]
        self._units: int = terms["quote_units_per_tick_lot"]
        self._parts: int = terms["tick_lots_per_quote_unit"]

    def value(self, price: int, qty: int) -> int:
        """Price × quantity (≥ 0), rounded to the nearest minor unit, half away from zero (ACC-33)."""
        product = price * qty * self._units
        if self._parts == 1:
            return product
        return (2 * product + self._parts) // (2 * self._parts)

    def value_down(self, price: int, lots: int) -> int:
        """Price × signed lots in minor units, rounded down (LIA-4)."""
        return price * lots * self._units // self._parts

    def price(self, ticks: int) -> str:
        """A price in ticks as decimal text."""
        digits = str(ticks).rjust(self.tick_decimals + 1, "0")
        if self.tick_decimals == 0:
            return digits
        return f"{digits[: -self.tick_decimals]}.{digits[-self.tick_decimals :]}"

    def received(self, side: int, value: int, qty: int) -> int:
        """What a side of a spot fill receives before its fee: the base if it buys, else the quote."""
        return qty * self.base_units_per_lot if side == BUY else value


def fee_of(amount: int, bps: int) -> int:
    """`bps` basis points of an amount, rounded down in favour of the customer (ACC-6)."""
    return amount * bps // _BPS


def funding_of(value: int, is_long: bool, rate: int) -> int:
    """What a position receives (below zero: pays) at a rate in 10^-8: payers round up, receivers down (FND-9)."""
    product = value * abs(rate)
    if is_long == (rate > 0):
        return -product // _RATE
    return product // _RATE


class Terms:
    """Assets and markets by number. Raises KeyError if the header lacks one of the fields that it must have."""

    def __init__(self, header: Dict[str, Any]) -> None:
        self.markets: List[Market] = [Market(terms) for terms in header["markets"]]
        self.asset_codes: Dict[int, str] = {
            asset["asset"]: asset["code"] for asset in header["assets"]
        }
        self.asset_decimals: Dict[int, int] = {
            asset["asset"]: asset["decimals"] for asset in header["assets"]
        }
        self.margin_asset: Optional[int] = header["margin_asset"]
