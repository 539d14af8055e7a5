"""The kit's own `apply`: one handler for each kind that touches accounts, orders, money or positions (AUD-1).

A kind without a handler must be one that is known to change none of them: a kind that the kit does not know is a
difference, because it could move money.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from .accounts import Accounts
from .differences import Difference
from .markets import Terms
from .money import Money
from .orders import Orders
from .perpetuals import Perpetuals
from .positions import Positions
from .rewards import Rewards
from .schema import Layout
from .trades import Trades
from .wallets import Wallets

# Kinds that change no balance, position, order or account that others depend on.
_INERT = frozenset("""
    LeverageSet AccountFlagsSet KeyRegistered KeyChanged MarketStatusSet SessionOpened SessionClosed SessionKeySet
    CountdownSet PremiumSampled RequestKeyed LiquidationStaged TradingGateSet ReferenceSet BasisAveraged
    CoinsSettled SwapMoved MarketAdded RiskTermSet IndexMeasured MatchPrevented FundHourSet OriginRegistered
    CommandDone KeyRestricted ConnectionOpened ConnectionEnded OrderBound MakerGroupSet MakerGroupReset
    OrderListAccepted OrderPegged OrderPeggedBehind LiabilitiesStated
    """.split())

Handler = Callable[[Any], None]


class Books:
    """All books of a venue after the events that were applied. Raises Difference at the first that does not fit."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.accounts = Accounts()
        self.wallets = Wallets()
        self.positions = Positions()
        self.money = Money(self.accounts, self.wallets)
        orders = Orders(self.accounts)
        rewards = Rewards(self.accounts, self.wallets, terms.margin_asset)
        parts = (self.accounts, self.wallets)
        self._trades = trades = Trades(terms.markets, *parts, self.money, orders, self.positions, rewards)
        self._perpetuals = perpetuals = Perpetuals(terms.markets, *parts, self.positions)
        self._handlers: Dict[str, Handler] = {
            "AccountOpened": self.accounts.open,
            "SubAccountOpened": self.accounts.open_sub,
            "AccountTypeSet": lambda event: self.accounts.set_type(event, self.wallets),
            "WalletBound": lambda event: self.accounts.bind(event, self.wallets),
        }
        for part in (self.money, orders, rewards, trades, perpetuals):
            self._handlers.update(part.handlers())
        self._by_kind: Dict[int, Handler] = {}
        self.seq = 0
        self._ts_us = 0

    def apply(self, layout: Layout, event: Any) -> None:
        """Applies the next event. Numbers have no gap and times increase (JRN-3, JRN-11)."""
        if event.seq != self.seq + 1:
            raise Difference(event, "entries are numbered without a gap", self.seq + 1, event.seq)
        if event.ts_us <= self._ts_us:
            raise Difference(event, "times increase", f"above {self._ts_us}", event.ts_us)
        self.seq, self._ts_us = event.seq, event.ts_us
        handler = self._by_kind.get(layout.kind)
        if handler is None:
            handler = self._by_kind[layout.kind] = self._handler_of(layout, event)
        handler(event)

    def _handler_of(self, layout: Layout, event: Any) -> Handler:
        if layout.name in _INERT:
            return _nothing
        if layout.name not in self._handlers:
            raise Difference(event, "the kit must know the kind", "a known kind", layout.name)
        return self._handlers[layout.name]

    def mark(self, market: int) -> int:
        """The mark of a perpetual in ticks: the journaled one, else the price of the last trade, else 0 (LIA-4)."""
        return self._perpetuals.marks.get(market, 0) or self._trades.last_price.get(market, 0)

    def check_conserved(self) -> None:
        """For each asset, cash less the entry values of positions is what was deposited (ACC-14)."""
        gaps = {asset: -amount for asset, amount in self.money.deposited.items()}
        for _, _, asset, units in self.wallets.all():
            gaps[asset] = gaps.get(asset, 0) + units
        for _, market, _, entry in self.positions.all():
            quote = self.terms.markets[market].quote
            gaps[quote] = gaps.get(quote, 0) - entry
        for asset, gap in gaps.items():
            if gap != 0:
                raise Difference(
                    None, "cash less entry values is what was deposited", 0, gap, asset=asset
                )


def _nothing(_event: Any) -> None:
    """Of a kind that changes no books."""
