"""A venue of a test bed, as a test uses it: accounts, markets, faults, market time, and the truth."""

import datetime
import json
import os
import re
import tempfile
from decimal import Decimal

from .account import Account
from .command import RunningCommand, option_words
from .control_call import RialtoTestError, control_call
from .testbed import testbed_call
from .truth import truth_of


def open_venue(settings=None):
    """Opens a venue with empty books and without other accounts; starts a test bed if none runs.

    `settings` are those of a venue (docs/reference/config.md); those of its place, such as PORT, are refused. It ends
    with `close`, at the end of a `with` block, or with this process.
    """
    texts = {name: str(value) for name, value in (settings or {}).items()}
    shown = testbed_call("venues/open", {"owner_pid": os.getpid(), "settings": texts})
    status = control_call(shown["control"], "status")
    return Venue(shown, status.get("fault_address"))


class Venue:
    """An open venue.

    `address` has no faults; `fault_address` is where faults happen, or None if the venue has none.
    """

    def __init__(self, shown, fault_address):
        self._command = shown["command"]
        self._environment = shown["environment"]
        self._is_open = True
        self.id = shown["id"]
        self.address = shown["address"]
        self.fault_address = fault_address
        self.control = shown["control"]
        self.data_dir = shown["data_dir"]
        self.faults = _Faults(self)
        self.time = _MarketTime(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, name, parameters=None):
        """Calls a verb of the control socket that has no method here."""
        return control_call(self.control, name, parameters)

    def run(self, words):
        """Runs another command of the venue's command line."""
        return RunningCommand(self._command, self._environment, [str(word) for word in words])

    def account(self, funds=None, perp=None, tier="standard", permissions="READ,TRADE"):
        """Creates an account with an HMAC key; `funds` are in its spot wallet and `perp` in its perp wallet, by asset."""
        number = self.call("accounts/create", {"type": "standard"})["account"]
        for wallet, amounts in (("spot", funds or {}), ("perp", perp or {})):
            for asset, amount in amounts.items():
                credit = {"account": number, "wallet": wallet, "asset": asset, "amount": plain_text(amount)}
                self.call("accounts/fund", credit)
        key = self.call(
            "keys/create",
            {"account": number, "tier": tier, "permissions": permissions, "label": "test"},
        )
        return Account(self, number, key)

    def play_market(self, script=None, **options):
        """Plays a market beside the test.

        Options are those of `rialto replay-market`, or with `script` of `rialto synthetic-market`, in snake_case.
        """
        if script is None:
            return self.run(["replay-market", *option_words(options)])
        return self.run(["synthetic-market", *option_words({"script": script, **options})])

    def load_market(self, script=None, **options):
        """Plays a market to its end; returns what the command reports."""
        return self.play_market(script, **options).result()

    def truth(self, account):
        """Returns what the venue knows about an account, or the account with this number."""
        return truth_of(self, _number_of(account))

    def report(self, path, account=None, believed=None, **options):
        """Writes the report of the run so far as a page in HTML at `path`, and returns its figures.

        docs/guides/report-a-run.md describes them. `believed` is a dict with the arguments of `Account.believe`, and needs
        an account. Options are `from_` and `to`: numbers of events, or times.
        """
        about = {} if account is None else {"account": _number_of(account)}
        words = ["report", *option_words({"out": path, "force": True, **about, **options})]
        if believed is None:
            return self.run(words).result()
        names = {"open_orders": "openOrders"}
        with tempfile.NamedTemporaryFile("w", prefix="rialto-test-", suffix=".json") as file:
            json.dump({names.get(name, name): part for name, part in believed.items()}, file, default=str)
            file.flush()
            return self.run([*words, "--believed", file.name]).result()

    def close(self):
        """Ends the venue and drops its data."""
        if not self._is_open:
            return
        self._is_open = False
        testbed_call("venues/close", {"id": self.id})


def _number_of(account):
    return account if isinstance(account, int) else account.number


class _Faults:
    """What happens on purpose to clients of the venue's `fault_address`."""

    def __init__(self, venue):
        self._venue = venue

    def list(self):
        return self._venue.call("faults/list")

    def show(self):
        return self._venue.call("faults/show")

    def apply(self, profile, account=None, key=None, address=None, seed=1, for_=None):
        """Applies a ready profile by name, one in a file by path, or one as a dict.

        It happens to an account's key, an address, or with neither to everybody, for a duration such as `2m`.
        """
        to = _target_of(account, key, address)
        if isinstance(profile, str):
            # The command line knows the ready profiles, and reads files.
            words = option_words({**to, "seed": seed, "for": for_})
            return self._venue.run(["faults", "apply", profile, *words]).result()
        for_ms = None if for_ is None else _duration_ms(for_)
        application = {"profile": profile, "target": to, "seed": seed, "forMs": for_ms}
        return self._venue.call("faults/apply", application)

    def clear(self, account=None, key=None, address=None):
        """Ends the profile of this target, or all."""
        is_all = account is None and key is None and address is None
        target = None if is_all else _target_of(account, key, address)
        return self._venue.call("faults/clear", {"target": target})


def _target_of(account, key, address):
    if account is not None:
        return {"key": account.key}
    if key is not None:
        return {"key": key}
    return {"all": True} if address is None else {"address": address}


_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def _duration_ms(text):
    match = re.fullmatch(r"([1-9]\d{0,8})(ms|s|m|h|d)", text)
    if match is None:
        raise RialtoTestError(f"for_: expected a duration such as 250ms, 5s or 2m, not {text}")
    return int(match[1]) * _UNIT_MS[match[2]]


class _MarketTime:
    """The market's time of a venue."""

    def __init__(self, venue):
        self._venue = venue

    def show(self):
        return self._venue.call("clock/show")

    def pause(self):
        return self._venue.call("clock/pause")

    def resume(self):
        return self._venue.call("clock/resume")

    def speed(self, factor):
        """Runs it 0.1 to 1000 times as fast as real time."""
        return self._venue.call("clock/speed", {"factor": factor})

    def step(self, by=None, events=None):
        """Moves it on by a duration such as `5m`, or until so many events have happened."""
        given = {"by": by, "events": events}
        return self._venue.call("clock/step", {name: one for name, one in given.items() if one is not None})

    def jump(self, to=None):
        """Moves it on to the next thing that is due, such as `funding`."""
        return self._venue.call("clock/jump", {} if to is None else {"to": to})

    def set(self, time):
        """Moves it on to a time, a text or a datetime, which without a zone is in UTC; it never goes back."""
        if isinstance(time, datetime.datetime):
            is_naive = time.utcoffset() is None
            utc = time.replace(tzinfo=datetime.timezone.utc) if is_naive else time.astimezone(datetime.timezone.utc)
            time = utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._venue.call("clock/set", {"time": time})


def plain_text(amount):
    """A number without an exponent, which the venue does not read: 1e-7 is 0.0000001."""
    return str(amount) if isinstance(amount, str) else f"{Decimal(str(amount)):f}"
