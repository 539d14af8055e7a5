"""Accounts: their types and owners, and who may have which balance (ACC-1, ACC-7, ACC-29, SUB-1)."""

from __future__ import annotations

from typing import Any, Dict, Optional

from .differences import Difference
from .wallets import FUNDING, SPOT, Wallets

STANDARD, WALLET_FUNDED, HOUSE, SYSTEM, CLOSED = range(5)

# The venue's own accounts, which exist without an event.
FEES, INSURANCE, FUNDING_POOL, DUST, REWARDS, WITHDRAWALS, FAUCET = range(1, 8)


class Accounts:
    """All accounts that were ever opened, by number."""

    def __init__(self) -> None:
        self._types: Dict[int, int] = {account: SYSTEM for account in range(FEES, FAUCET + 1)}
        self._owners: Dict[int, int] = {}

    def check_open(self, event: Any, account: int) -> None:
        """An event may only name an account that is open."""
        if self._types.get(account, CLOSED) == CLOSED:
            raise Difference(
                event, "the account must have been opened, and not closed", "open", "none", account
            )

    def knows(self, account: int) -> bool:
        """Whether the account was ever opened."""
        return account in self._types

    def is_wallet_funded(self, account: int) -> bool:
        """Whether the account's spot wallet mirrors its party on the ledger (WAL-1)."""
        return self._types.get(account) == WALLET_FUNDED

    def pays_no_fee(self, account: int) -> bool:
        """House accounts and the venue's own pay no fee (ACC-7, RSK-8)."""
        return self._types.get(account) in (HOUSE, SYSTEM)

    def owner_of(self, account: int) -> int:
        """The account itself unless it is a sub-account."""
        return self._owners.get(account, account)

    def may_be_negative(self, account: int, wallet: int) -> bool:
        """Whether a balance below zero can be right: a mirrored spot wallet, and what the faucet owes (ACC-24)."""
        if wallet == FUNDING:
            return account == FAUCET
        return wallet == SPOT and self.is_wallet_funded(account)

    def open(self, event: Any) -> None:
        """AccountOpened: numbers are never reused."""
        self._add(event, event.account_type)

    def open_sub(self, event: Any) -> None:
        """SubAccountOpened: a standard account of an open owner."""
        self.check_open(event, event.owner)
        self._add(event, STANDARD)
        self._owners[event.account] = event.owner

    def _add(self, event: Any, account_type: int) -> None:
        if event.account in self._types:
            raise Difference(event, "an account number is given once", "unused", "in use")
        self._types[event.account] = account_type

    def set_type(self, event: Any, wallets: Wallets) -> None:
        """AccountTypeSet: a type changes, or an account that holds nothing is closed (ACC-28)."""
        self.check_open(event, event.account)
        if event.account_type == CLOSED:
            for asset, units in self._held(event, wallets, None).items():
                raise Difference(
                    event, "an account that is closed holds nothing", 0, units, asset=asset
                )
        self._types[event.account] = event.account_type

    def bind(self, event: Any, wallets: Wallets) -> None:
        """WalletBound: the empty spot wallet of a standard account becomes a mirror (WAL-1, WAL-7)."""
        if self._types.get(event.account) != STANDARD:
            raise Difference(
                event,
                "only a standard account becomes wallet-funded",
                STANDARD,
                self._types.get(event.account),
            )
        for asset, units in self._held(event, wallets, SPOT).items():
            raise Difference(
                event, "a spot wallet that becomes a mirror is empty", 0, units, asset=asset
            )
        self._types[event.account] = WALLET_FUNDED

    @staticmethod
    def _held(event: Any, wallets: Wallets, only: Optional[int]) -> Dict[int, int]:
        """By asset, what the event's account has in its wallets, or in one of them."""
        rows = wallets.of(event.account)
        return {
            asset: units for wallet, asset, units in rows if units != 0 and only in (None, wallet)
        }
