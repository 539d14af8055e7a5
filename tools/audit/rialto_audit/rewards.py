"""Commission of referrers: pending fees, what accrues, what is claimed (REF-3, REF-4, REF-6)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from .accounts import FEES, REWARDS, Accounts
from .differences import Difference
from .wallets import PERP, Wallets

# Commission is a tenth of the fees.
_FEES_PER_COMMISSION = 10


class Rewards:
    """Who referred whom, and what each referrer may still accrue and claim, in minor units of the margin asset."""

    def __init__(self, accounts: Accounts, wallets: Wallets, asset: Optional[int]) -> None:
        self._accounts = accounts
        self._wallets = wallets
        self._asset = asset
        self._referrers: Dict[int, int] = {}
        # By referrer and wallet: fees without commission yet. By referrer: accrued and not claimed.
        self._pending: Dict[int, Dict[int, int]] = {}
        self._accrued: Dict[int, int] = {}

    def handlers(self) -> Dict[str, Callable[[Any], None]]:
        """What each kind does."""
        return {
            "Referred": self._referred,
            "Rewarded": self._rewarded,
            "RewardClaimed": self._claimed,
        }

    def note_fee(self, account: int, wallet: int, fee: int, quote: int) -> None:
        """A fee of a trade, paid in the market's quote asset; only fees in the margin asset earn commission."""
        if not self._referrers or fee <= 0 or quote != self._asset:
            return
        referrer = self._referrers.get(self._accounts.owner_of(account))
        if referrer is None:
            return
        pending = self._pending.setdefault(referrer, {})
        pending[wallet] = pending.get(wallet, 0) + fee

    def _referred(self, event: Any) -> None:
        self._accounts.check_open(event, event.account)
        self._accounts.check_open(event, event.referrer)
        if event.account in self._referrers or event.account == event.referrer:
            raise Difference(
                event, "an account is referred once, by another", "no referrer", event.referrer
            )
        self._referrers[event.account] = event.referrer

    def _rewarded(self, event: Any) -> None:
        account, wallet, amount = event.account, event.wallet, event.amount
        pending = self._pending.get(account, {})
        most = pending.get(wallet, 0) // _FEES_PER_COMMISSION
        if not 0 < amount <= most:
            raise Difference(
                event,
                "commission is a tenth of the pending fees",
                f"1 to {most}",
                amount,
                asset=self._asset,
            )
        pending[wallet] -= amount * _FEES_PER_COMMISSION
        self._accrued[account] = self._accrued.get(account, 0) + amount
        left = self._post(FEES, wallet, -amount)
        if left < 0:
            raise Difference(
                event,
                "the fee account pays only what it has",
                "at least 0",
                left,
                FEES,
                self._asset,
            )
        self._post(REWARDS, PERP, amount)

    def _claimed(self, event: Any) -> None:
        accrued = self._accrued.pop(event.account, 0)
        if event.amount != accrued or accrued == 0:
            raise Difference(
                event,
                "a claim takes the whole accrued commission",
                accrued,
                event.amount,
                asset=self._asset,
            )
        self._post(REWARDS, PERP, -accrued)
        self._post(event.account, PERP, accrued)

    def _post(self, account: int, wallet: int, amount: int) -> int:
        return self._wallets.post(account, wallet, self._asset or 0, amount)
