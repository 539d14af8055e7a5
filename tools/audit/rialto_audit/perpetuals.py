"""Funding, the insurance fund, and positions that move without orders (FND-4, FND-5, FND-9, RSK-6, RSK-9, RSK-11)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from .accounts import FUNDING_POOL, INSURANCE, Accounts
from .differences import Difference
from .markets import Market, funding_of
from .positions import Positions
from .wallets import PERP, Wallets

_SHORTFALL = 1


class Perpetuals:
    """Books what changes perp wallets and positions outside trades."""

    def __init__(
        self, markets: List[Market], accounts: Accounts, wallets: Wallets, positions: Positions
    ) -> None:
        self._markets = markets
        self._accounts = accounts
        self._wallets = wallets
        self._positions = positions
        # By market: the mark that was last journaled, in ticks; 0 for none.
        self.marks: Dict[int, int] = {}
        # By market: rate and mark of the settlement under way, and the lots of the accounts that it has not paid yet.
        self._settlements: Dict[int, Tuple[int, int, Dict[int, int]]] = {}

    def handlers(self) -> Dict[str, Callable[[Any], None]]:
        """What each kind does."""
        return {
            "Marked": self._marked,
            "FundingStarted": self._funding_started,
            "FundingPaid": self._funding_paid,
            "InsuranceSettled": self._insurance_settled,
            "PositionMoved": self._position_moved,
        }

    def _marked(self, event: Any) -> None:
        self.marks[event.market] = event.mark

    def _funding_started(self, event: Any) -> None:
        _, _, unpaid = self._settlements.get(event.market, (0, 0, {}))
        if unpaid:
            account = min(unpaid)
            raise Difference(
                event,
                "every position was paid before the next settlement",
                "a payment",
                "none",
                account,
            )
        if event.rate != 0 and event.mark != 0:
            unpaid = self._positions.of_market(event.market)
            self._settlements[event.market] = (event.rate, event.mark, unpaid)

    def _funding_paid(self, event: Any) -> None:
        market = self._markets[event.market]
        rate, mark, unpaid = self._settlements.get(event.market, (0, 0, {}))
        lots = unpaid.pop(event.account, 0)
        if lots == 0 or lots != event.qty:
            raise Difference(
                event,
                "each position at the settlement's start pays once",
                lots,
                event.qty,
                asset=market.quote,
            )
        if (event.rate, event.mark) != (rate, mark):
            raise Difference(
                event,
                "a payment has its settlement's rate and mark",
                (rate, mark),
                (event.rate, event.mark),
            )
        amount = funding_of(market.value(mark, abs(lots)), lots > 0, rate)
        if event.amount != amount:
            raise Difference(
                event, "funding is value × rate", amount, event.amount, asset=market.quote
            )
        self._wallets.post(event.account, PERP, market.quote, amount)
        self._wallets.post(FUNDING_POOL, PERP, market.quote, -amount)

    def _insurance_settled(self, event: Any) -> None:
        account, amount = event.account, event.amount
        asset = self._markets[event.market].quote
        self._accounts.check_open(event, account)
        if account == INSURANCE or amount == 0:
            raise Difference(
                event, "the fund settles an amount with another account", "another account", account
            )
        left = self._wallets.post(account, PERP, asset, amount)
        if event.cause == _SHORTFALL and not (amount > 0 and left <= 0):
            raise Difference(
                event,
                "the fund pays no more than a debt",
                f"at most {amount - left}",
                amount,
                asset=asset,
            )
        self._wallets.post(INSURANCE, PERP, asset, -amount)

    def _position_moved(self, event: Any) -> None:
        account, other, lots = event.account, event.counterparty, event.qty
        self._accounts.check_open(event, other)
        held = self._positions.lots(account, event.market)
        if account == other or lots == 0 or held * lots <= 0 or abs(lots) > abs(held):
            raise Difference(
                event, "a position moves in part or whole to another account", held, lots
            )
        if event.value * lots < 0:
            raise Difference(
                event, "the value has the sign of the position", "the sign of qty", event.value
            )
        self._take(event, account, -lots, -event.value, event.pnl)
        self._take(event, other, lots, event.value, event.counterparty_pnl)

    def _take(self, event: Any, account: int, lots: int, value: int, pnl: int) -> None:
        asset = self._markets[event.market].quote
        realised = self._positions.trade(account, event.market, lots, value)
        if realised != pnl:
            raise Difference(
                event, "the profit follows from the position", realised, pnl, account, asset
            )
        self._wallets.post(account, PERP, asset, pnl)
