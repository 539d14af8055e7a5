"""What an audit can find: a difference in the books, or a file that cannot be read."""

from __future__ import annotations

from typing import Any, Dict, Optional


class Damaged(Exception):
    """A file is cut, changed or malformed."""


class Difference(Exception):
    """The first entry that does not follow from the entries before it (AUD-2).

    `rule` says in a sentence what must hold, `expected` and `found` are what the kit computed and what the venue
    states: minor units, lots or ticks unless the rule says otherwise.
    """

    def __init__(
        self,
        event: Any,
        rule: str,
        expected: Any,
        found: Any,
        account: Optional[int] = None,
        asset: Optional[int] = None,
    ) -> None:
        super().__init__(rule)
        self.seq: Optional[int] = getattr(event, "seq", None)
        self.kind: Optional[str] = None if event is None else type(event).__name__
        self.rule = rule
        self.account: Optional[int] = (
            getattr(event, "account", None) if account is None else account
        )
        self.asset = asset
        self.expected = expected
        self.found = found

    def facts(self, asset_codes: Dict[int, str]) -> Dict[str, Any]:
        """The difference as the report prints it; `asset_codes` has the code of each asset by number."""
        return {
            "seq": self.seq,
            "kind": self.kind,
            "account": self.account,
            "asset": None if self.asset is None else asset_codes.get(self.asset, str(self.asset)),
            "rule": self.rule,
            "expected": self.expected,
            "found": self.found,
        }
