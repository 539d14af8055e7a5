"""Money that comes in, moves between wallets and goes out (ACC-15, ACC-24, DEP-2, WDR-3, SUB-6)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from .accounts import FAUCET, FEES, WITHDRAWALS, Accounts
from .differences import Difference
from .wallets import FUNDING, SPOT, Wallets


class Money:
    """Books the events that move money outside trades, and knows what lies with the venue."""

    def __init__(self, accounts: Accounts, wallets: Wallets) -> None:
        self._accounts = accounts
        self._wallets = wallets
        # By asset: deposits less what was paid out, in minor units.
        self.deposited: Dict[int, int] = {}
        # By number: account, asset, amount and fee of each withdrawal that has not ended.
        self._withdrawals: Dict[int, Tuple[int, int, int, int]] = {}

    def handlers(self) -> Dict[str, Callable[[Any], None]]:
        """What each kind does."""
        return {
            "Credited": self._credited,
            "Granted": self._granted,
            "Transferred": self._transferred,
            "MovedBetweenAccounts": self._moved,
            "WithdrawalRequested": self._requested,
            "WithdrawalEnded": self._ended,
        }

    def take(self, event: Any, account: int, wallet: int, asset: int, amount: int) -> None:
        """Takes an amount from a wallet that must have it, unless the wallet may be negative."""
        left = self._wallets.post(account, wallet, asset, -amount)
        if left < 0 and not self._accounts.may_be_negative(account, wallet):
            raise Difference(
                event,
                "a wallet pays only what it has",
                f"at most {left + amount}",
                amount,
                account,
                asset,
            )

    def _credited(self, event: Any) -> None:
        account, asset, amount = event.account, event.asset, event.amount
        self._accounts.check_open(event, account)
        is_mirror = event.wallet == SPOT and self._accounts.is_wallet_funded(account)
        if amount <= 0 and not (is_mirror and amount < 0):
            raise Difference(
                event,
                "only a mirrored wallet is credited a negative amount",
                "above 0",
                amount,
                asset=asset,
            )
        self._wallets.post(account, event.wallet, asset, amount)
        self.deposited[asset] = self.deposited.get(asset, 0) + amount

    def _granted(self, event: Any) -> None:
        self._accounts.check_open(event, event.account)
        self._check_positive(event)
        self._wallets.post(event.account, event.wallet, event.asset, event.amount)
        self._wallets.post(FAUCET, FUNDING, event.asset, -event.amount)

    def _transferred(self, event: Any) -> None:
        self._move(event, event.account)

    def _moved(self, event: Any) -> None:
        owner, other = (
            self._accounts.owner_of(account) for account in (event.account, event.receiver)
        )
        if owner != other:
            raise Difference(
                event,
                "money moves only between accounts of one owner",
                owner,
                other,
                event.receiver,
            )
        self._move(event, event.receiver)

    def _move(self, event: Any, receiver: int) -> None:
        self._accounts.check_open(event, event.account)
        self._accounts.check_open(event, receiver)
        self._check_positive(event)
        self.take(event, event.account, event.from_wallet, event.asset, event.amount)
        self._wallets.post(receiver, event.to_wallet, event.asset, event.amount)

    def _requested(self, event: Any) -> None:
        self._accounts.check_open(event, event.account)
        if not 0 <= event.fee < event.amount:
            raise Difference(
                event,
                "a withdrawal is above its fee",
                f"0 to {event.amount - 1}",
                event.fee,
                asset=event.asset,
            )
        if event.withdrawal_id in self._withdrawals:
            raise Difference(event, "a withdrawal begins once", "a new number", event.withdrawal_id)
        self._withdrawals[event.withdrawal_id] = (
            event.account,
            event.asset,
            event.amount,
            event.fee,
        )
        self.take(event, event.account, SPOT, event.asset, event.amount)
        self._wallets.post(WITHDRAWALS, SPOT, event.asset, event.amount)

    def _ended(self, event: Any) -> None:
        account, asset, amount, fee = event.account, event.asset, event.amount, event.fee
        begun = self._withdrawals.pop(event.withdrawal_id, None)
        if begun != (account, asset, amount, fee):
            raise Difference(
                event,
                "a withdrawal ends with the terms of its request",
                begun,
                (account, asset, amount, fee),
            )
        self.take(event, WITHDRAWALS, SPOT, asset, amount)
        if event.is_completed:
            self._wallets.post(FEES, SPOT, asset, fee)
            self.deposited[asset] = self.deposited.get(asset, 0) - (amount - fee)
        else:
            self._wallets.post(account, SPOT, asset, amount)

    @staticmethod
    def _check_positive(event: Any) -> None:
        if event.amount <= 0:
            raise Difference(
                event, "an amount that moves is above 0", "above 0", event.amount, asset=event.asset
            )
