# Shared by all Python drivers: steps with the feature each proves, printed whether they pass or not; the
# comparison of a local book with the venue's; and the check, by the interpreter's audit events, that only
# this machine is contacted. The venue's address and keys are in the environment.

import asyncio
import json
import os
import sys
import time
import traceback
import urllib.request

BASE = os.environ["BASE"]
"""Address of the compat view, without a slash at the end."""

WS = BASE.replace("http", "ws", 1)
HMAC = (os.environ["KEY"], os.environ["SECRET"])
ED25519 = (os.environ["ED25519_KEY"], os.environ["ED25519_FILE"])
"""An Ed25519 key and the file with its private half as PEM text."""

SPOT = os.environ["SPOT"]
PERPETUAL = os.environ.get("PERPETUAL", "")
"""Empty for a driver of spot only."""

STEP_SECONDS = 120
BOOK_SECONDS = 60
SAME_BOOKS = 4
"""A local book must equal the venue's at this many different moments."""

_outside = set()
_done = []


def _watch(event, args):
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event == "socket.connect":
        host = args[1][0] if isinstance(args[1], tuple) else None
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host is None or host in ("localhost", "::1", "", "0.0.0.0") or host.startswith("127."):
        return
    _outside.add(host)
    raise OSError(f"only this machine may be contacted, not {host}")


sys.addaudithook(_watch)


def _tell(row):
    print(json.dumps(row), flush=True)


def _took(feature, name, began, error):
    _done.append(name)
    _tell({"feature": feature, "name": name, "error": error, "seconds": round(time.time() - began, 1)})


def step(feature, name, body):
    """Runs a step; returns its result, or None where it failed."""
    began = time.time()
    try:
        result = body()
    except Exception:
        _took(feature, name, began, traceback.format_exc()[-3000:])
        return None
    _took(feature, name, began, "")
    return result


async def step_async(feature, name, body):
    """Runs an asynchronous step. Gives it up after STEP_SECONDS, because some clients cannot be cancelled."""
    began = time.time()
    task = asyncio.ensure_future(body())
    try:
        ended, _ = await asyncio.wait({task}, timeout=STEP_SECONDS)
        need(ended, f"took longer than {STEP_SECONDS} s")
        result = task.result()
    except Exception:
        _took(feature, name, began, traceback.format_exc()[-3000:])
        return None
    _took(feature, name, began, "")
    return result


def finish():
    """Prints that the driver finished, and which other hosts the client tried to reach."""
    _tell({"outside": sorted(_outside), "steps": len(_done)})
    sys.stdout.flush()
    os._exit(0)


def need(holds, words):
    if not holds:
        raise AssertionError(words)


def until(what, holds, seconds=30):
    """Waits for a condition; returns its value."""
    end = time.time() + seconds
    while True:
        value = holds()
        if value:
            return value
        need(time.time() < end, f"timed out while waiting for: {what}")
        time.sleep(0.02)


def sides(bids, asks, levels):
    """The best levels of a book as numbers, whatever a client stores them in."""

    def numbers(rows):
        rows = rows.items() if hasattr(rows, "items") else rows
        return [(round(float(row[0]), 8), round(float(row[1]), 8)) for row in rows]

    best = sorted(numbers(bids), reverse=True)[:levels], sorted(numbers(asks))[:levels]
    need(best[0] and best[1], "a side of the book is empty")
    need(best[0][0][0] < best[1][0][0], f"the book is crossed: {best[0][0]} {best[1][0]}")
    return best


class BookComparison:
    """Collects moments at which a local book equals the venue's; `look` is called repeatedly."""

    def __init__(self, levels=100):
        self.levels = levels
        self.same = set()
        self.end = time.time() + BOOK_SECONDS
        self.last = "nothing compared"

    def look(self, local, venue):
        """Compares once; `venue` is an answer of the depth route. Returns whether enough moments were equal."""
        theirs = sides(venue["bids"], venue["asks"], self.levels)
        ours = sides(*local, self.levels)
        if ours == theirs:
            self.same.add(venue["lastUpdateId"])
        else:
            wrong = [pair for mine, its in zip(ours, theirs) for pair in set(mine) ^ set(its)]
            self.last = f"{len(wrong)} levels differ: {sorted(wrong)[:6]}"
        need(time.time() < self.end, f"the books were equal at only {len(self.same)} moments; {self.last}")
        return len(self.same) >= SAME_BOOKS


def same_book(local, venue, levels=100):
    """`local` returns (bids, asks), `venue` an answer of the depth route; both are called repeatedly."""
    comparison = BookComparison(levels)
    while not comparison.look(local(), venue()):
        time.sleep(0.4)


async def same_book_async(local, venue, sleep, levels=100):
    """Like `same_book`, for an awaitable `venue`."""
    comparison = BookComparison(levels)
    while not comparison.look(local(), await venue()):
        await sleep(0.4)


class DiffBook:
    """A local book by Binance's documented procedure for diff depth, for clients without one."""

    def __init__(self, is_perpetual):
        self.is_perpetual = is_perpetual
        self.waiting = []
        self.last = None
        self.bids, self.asks = {}, {}
        self.fault = ""

    def take(self, update):
        """Takes an update as the stream sends it: U, u, b, a, and for perpetuals pu."""
        if self.last is None:
            self.waiting.append(update)
        elif self._next(update):
            for side, rows in ((self.bids, update["b"]), (self.asks, update["a"])):
                for price, quantity in rows:
                    if float(quantity) == 0:
                        side.pop(price, None)
                    else:
                        side[price] = quantity

    def start(self, snapshot):
        """Loads the depth route's book and applies the queued updates."""
        self.bids, self.asks = dict(snapshot["bids"]), dict(snapshot["asks"])
        self.last = snapshot["lastUpdateId"]
        self.is_first = True
        for update in self.waiting:
            self.take(update)
        self.waiting = []

    def _next(self, update):
        is_old = update["u"] < self.last if self.is_perpetual else update["u"] <= self.last
        if self.is_first and is_old:
            return False
        before = update["pu"] if self.is_perpetual else update["U"] - 1
        if self.is_first and update["U"] > self.last + 1:
            self.fault = self.fault or f"the first update begins at {update['U']}, but the snapshot ends at {self.last}"
        elif not self.is_first and before != self.last:
            self.fault = self.fault or f"an update follows {before}, not {self.last}"
        self.is_first = False
        self.last = update["u"]
        return True

    def sides(self):
        need(not self.fault, self.fault)
        return self.bids, self.asks


def asked(path):
    """Returns a public answer of the venue, for clients that do not expose the raw answer."""
    with urllib.request.urlopen(BASE + path, timeout=10) as answer:
        return json.load(answer)
