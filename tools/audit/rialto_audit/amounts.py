"""What each account has of each asset when positions are valued at one mark (LIA-3, LIA-4, SLV-2, SLV-7)."""

from __future__ import annotations

from typing import Dict

from .accounts import DUST, FAUCET
from .books import Books
from .wallets import SPOT

# Minor units by account.
Amounts = Dict[int, int]


class Liabilities:
    """The amounts of all accounts after the last event that was applied, by asset."""

    def __init__(self, books: Books) -> None:
        terms, accounts = books.terms, books.accounts
        self.of: Dict[int, Amounts] = {asset: {} for asset in terms.asset_codes}
        # By asset: what all accounts are owed, computed without marks, and what the faucet owes.
        self.owed: Dict[int, int] = {asset: 0 for asset in terms.asset_codes}
        self.faucet_debt: Dict[int, int] = {asset: 0 for asset in terms.asset_codes}
        for account, wallet, asset, units in books.wallets.all():
            if account == FAUCET:
                self.faucet_debt[asset] -= units
            elif wallet != SPOT or not accounts.is_wallet_funded(account):
                self._add(account, asset, units)
                self.owed[asset] += units
        self._value_positions(books)

    def _value_positions(self, books: Books) -> None:
        rounding: Dict[int, int] = {}
        for account, market_number, lots, entry in books.positions.all():
            market = books.terms.markets[market_number]
            value = market.value_down(books.mark(market_number), lots)
            self._add(account, market.quote, value - entry)
            self.owed[market.quote] -= entry
            rounding[market.quote] = rounding.get(market.quote, 0) - value
        # All lots of a market add up to 0, and so do their values, but for what was rounded.
        for asset, units in rounding.items():
            self._add(DUST, asset, units)

    def _add(self, account: int, asset: int, units: int) -> None:
        amounts = self.of[asset]
        amounts[account] = amounts.get(account, 0) + units

    def shortfall(self, asset: int) -> int:
        """What accounts below zero owe the venue."""
        return -sum(amount for amount in self.of[asset].values() if amount < 0)
