"""Fills: money, fees, positions and profits of both sides, all recomputed (ACC-5, ACC-6, ACC-7, ACC-13, ACC-46)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from .accounts import FEES, Accounts
from .differences import Difference
from .markets import BUY, Market, fee_of
from .money import Money
from .orders import Order, Orders
from .positions import Positions
from .rewards import Rewards
from .wallets import PERP, SPOT, Wallets


class Trades:
    """Books every trade on its two orders, its two accounts and the fee account. Trade numbers have no gap."""

    def __init__(
        self,
        markets: List[Market],
        accounts: Accounts,
        wallets: Wallets,
        money: Money,
        orders: Orders,
        positions: Positions,
        rewards: Rewards,
    ) -> None:
        self._markets = markets
        self._accounts = accounts
        self._wallets = wallets
        self._money = money
        self._orders = orders
        self._positions = positions
        self._rewards = rewards
        self._next = 1
        # The price of the last trade by market, in ticks.
        self.last_price: Dict[int, int] = {}

    def handlers(self) -> Dict[str, Callable[[Any], None]]:
        """What each kind does."""
        return {"Traded": self._traded}

    def _traded(self, event: Any) -> None:
        if event.trade_id != self._next:
            raise Difference(event, "trade numbers count without a gap", self._next, event.trade_id)
        self._next += 1
        taker, maker = event.account, event.maker_account
        self._check_owners(event, taker, maker)
        market = self._markets[event.market]
        self.last_price[event.market] = event.price
        value = market.value(event.price, event.qty)
        orders = self._orders
        takers = orders.fill(event, event.taker_order_id, taker, True)
        makers = orders.fill(event, event.maker_order_id, maker, False)
        taker_bps, maker_bps = market.taker_bps, market.maker_bps
        if not market.is_perpetual and self._pay_each_other(taker, maker):
            taker_bps = maker_bps = 0
        book = self._perpetual if market.is_perpetual else self._spot
        book(event, market, takers, value, taker_bps, event.taker_fee, event.taker_pnl)
        book(event, market, makers, value, maker_bps, event.maker_fee, event.maker_pnl)

    def _check_owners(self, event: Any, taker: int, maker: int) -> None:
        self._accounts.check_open(event, taker)
        self._accounts.check_open(event, maker)
        owner = self._accounts.owner_of(taker)
        if owner == self._accounts.owner_of(maker):
            raise Difference(
                event,
                "accounts of one owner do not trade with each other",
                "two owners",
                owner,
                maker,
            )

    def _pay_each_other(self, taker: int, maker: int) -> bool:
        """Two wallet-funded accounts pay each other on the ledger, and pay no fee."""
        return self._accounts.is_wallet_funded(taker) and self._accounts.is_wallet_funded(maker)

    def _spot(
        self, event: Any, market: Market, order: Order, value: int, bps: int, fee: int, pnl: int
    ) -> None:
        account, is_buy = order.account, order.side == BUY
        lots = event.qty * market.base_units_per_lot
        got, gets = (market.base, lots) if is_buy else (market.quote, value)
        gave, gives = (market.quote, value) if is_buy else (market.base, lots)
        self._check_fee(event, account, got, gets, bps, fee)
        if pnl != 0:
            raise Difference(event, "a spot fill realises no profit", 0, pnl, account, market.quote)
        self._wallets.post(account, SPOT, got, gets - fee)
        self._money.take(event, account, SPOT, gave, gives)
        self._wallets.post(FEES, SPOT, got, fee)
        self._rewards.note_fee(account, SPOT, 0 if is_buy else fee, market.quote)

    def _perpetual(
        self, event: Any, market: Market, order: Order, value: int, bps: int, fee: int, pnl: int
    ) -> None:
        account, asset = order.account, market.quote
        lots, signed = (event.qty, value) if order.side == BUY else (-event.qty, -value)
        self._check_fee(event, account, asset, value, bps, fee)
        if order.is_reduce_only:
            held = self._positions.lots(account, market.number)
            if held * lots >= 0 or abs(lots) > abs(held):
                raise Difference(
                    event,
                    "a reduce-only order only reduces a position",
                    f"at most {abs(held)}",
                    event.qty,
                    account,
                )
        realised = self._positions.trade(account, market.number, lots, signed)
        if realised != pnl:
            raise Difference(
                event, "the profit follows from the position", realised, pnl, account, asset
            )
        self._wallets.post(account, PERP, asset, pnl - fee)
        self._wallets.post(FEES, PERP, asset, fee)
        self._rewards.note_fee(account, PERP, fee, asset)

    def _check_fee(
        self, event: Any, account: int, asset: int, amount: int, bps: int, fee: int
    ) -> None:
        expected = 0 if self._accounts.pays_no_fee(account) else fee_of(amount, bps)
        if fee != expected:
            raise Difference(
                event, "the fee follows from the market's rate", expected, fee, account, asset
            )
