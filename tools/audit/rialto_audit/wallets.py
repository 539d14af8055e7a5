"""Balances by account, wallet and asset, in minor units (ACC-1). A balance includes what open orders hold."""

from __future__ import annotations

from typing import Dict, Iterator, List, Tuple

FUNDING, SPOT, PERP = range(3)
WALLET_NAMES = ("funding", "spot", "perp")

# A key is account × 2^16 + wallet × 2^8 + asset, because one number is the fastest key.
_ACCOUNT_SHIFT, _WALLET_SHIFT, _MASK = 16, 8, 255


class Wallets:
    """Every balance that was ever changed."""

    def __init__(self) -> None:
        self._units: Dict[int, int] = {}

    def post(self, account: int, wallet: int, asset: int, amount: int) -> int:
        """Adds a signed amount and returns the new balance."""
        key = account << _ACCOUNT_SHIFT | wallet << _WALLET_SHIFT | asset
        units = self._units.get(key, 0) + amount
        self._units[key] = units
        return units

    def get(self, account: int, wallet: int, asset: int) -> int:
        """The balance; 0 if it was never changed."""
        return self._units.get(account << _ACCOUNT_SHIFT | wallet << _WALLET_SHIFT | asset, 0)

    def of(self, account: int) -> List[Tuple[int, int, int]]:
        """One account's wallets, assets and balances."""
        first = account << _ACCOUNT_SHIFT
        keys = (
            first | wallet << _WALLET_SHIFT | asset
            for wallet in range(3)
            for asset in range(_MASK + 1)
        )
        return [
            ((key >> _WALLET_SHIFT) & _MASK, key & _MASK, self._units[key])
            for key in keys
            if key in self._units
        ]

    def all(self) -> Iterator[Tuple[int, int, int, int]]:
        """Every account, wallet, asset and balance other than 0, by account."""
        for key in sorted(self._units):
            if self._units[key] != 0:
                yield key >> _ACCOUNT_SHIFT, (
                    key >> _WALLET_SHIFT
                ) & _MASK, key & _MASK, self._units[key]
