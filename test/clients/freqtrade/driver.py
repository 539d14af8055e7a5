# Runs freqtrade by its own command, on spot and futures, each in a dry run and live: four processes at once,
# for FREQTRADE_SECONDS each. The venue's addresses are settings of ccxt in freqtrade's configuration. The
# results are read from freqtrade's database and log, and for the live runs also from the venue.

import concurrent.futures
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

import ccxt
import ccxt.pro
import steps
from steps import BASE, HMAC, WS, need, step

SECONDS = int(os.environ.get("FREQTRADE_SECONDS", "300"))
HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path.cwd()
"""The test gives each driver a new folder and removes it."""


def moved(address):
    """Replaces Binance by the venue in an address of ccxt or a table of addresses."""
    if isinstance(address, dict):
        return {name: moved(one) for name, one in address.items()}
    scheme, _, rest = address.split("/", 2)
    return (WS if scheme == "wss:" else BASE) + "/" + rest.split("/", 1)[1]


def addresses(is_async):
    own = ccxt.pro.binance() if is_async else ccxt.binance()
    return {"urls": {"api": moved(own.urls["api"])}, "rateLimit": 100}


def configuration(name, is_futures, is_dry):
    market = {"price_side": "other", "use_order_book": True, "order_book_top": 1}
    futures = {"trading_mode": "futures", "margin_mode": "cross", "stake_currency": "USDT", "stake_amount": 1000}
    spot = {"trading_mode": "spot", "margin_mode": "", "stake_currency": "USDC", "stake_amount": 100}
    return {
        **(futures if is_futures else spot),
        "dry_run": is_dry,
        "initial_state": "running",
        "dry_run_wallet": 100_000,
        "max_open_trades": 1,
        "fiat_display_currency": "",
        "db_url": f"sqlite:///{FOLDER / name}.sqlite",
        "entry_pricing": market,
        "exit_pricing": market,
        "order_types": {"entry": "limit", "exit": "market", "stoploss": "market", "stoploss_on_exchange": False},
        "unfilledtimeout": {"entry": 15, "exit": 30, "unit": "seconds"},
        "pairlists": [{"method": "StaticPairList"}],
        "internals": {"process_throttle_secs": 2},
        "exchange": {
            "name": "binance",
            "key": HMAC[0],
            "secret": HMAC[1],
            "enable_ws": not is_futures,
            "ccxt_config": {"enableRateLimit": True},
            "ccxt_sync_config": addresses(False),
            "ccxt_async_config": addresses(True),
            "pair_whitelist": ["BTC/USDT:USDT" if is_futures else "CC/USDC"],
        },
    }


def run(name, is_futures, is_dry):
    """Starts freqtrade, lets it trade, and stops it as Ctrl-C would; returns an early exit code and the log."""
    own = FOLDER / name
    own.mkdir()
    settings = own / "config.json"
    settings.write_text(json.dumps(configuration(name, is_futures, is_dry)))
    words = ["-m", "freqtrade", "trade", "--config", settings, "--strategy", "Alternating"]
    places = ["--strategy-path", HERE / "strategies", "--userdir", own, "--logfile", own / "log"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    trader = subprocess.Popen([sys.executable, *words, *places], cwd=own, **quiet)
    end = time.time() + SECONDS
    while time.time() < end and trader.poll() is None:
        time.sleep(1)
    ended_early = trader.poll()
    # Read the log before the interrupt: an interrupt in the middle of freqtrade's bookkeeping logs errors.
    log = (own / "log").read_text() if (own / "log").exists() else ""
    trader.send_signal(signal.SIGINT)
    try:
        trader.wait(60)
    except subprocess.TimeoutExpired:
        trader.kill()
    return ended_early, log


def judged(name, outcome):
    ended_early, log = outcome
    need(ended_early is None, f"freqtrade ended by itself ({ended_early}): {log[-1500:]}")
    bad = [line for line in log.split("\n") if any(word in line for word in (" - ERROR - ", "CRITICAL", "Traceback"))]
    need(not bad, bad[:5] + log[-1500:].split("\n"))
    with sqlite3.connect(FOLDER / f"{name}.sqlite") as database:
        (closed,) = database.execute("select count(*) from trades where is_open = 0").fetchone()
    need(closed >= 2, f"{closed} trades closed; {log[-1500:]}")
    # Look for the timeout in the log: freqtrade deletes the row of an entry that was canceled without a fill.
    need("order cancelled due to timeout" in log, f"no order ran into its timeout; {log[-1500:]}")


def main():
    runs = [
        ("spot-dry", "spot in a dry run", False, True),
        ("spot-live", "spot, live", False, False),
        ("futures-dry", "futures in a dry run", True, True),
        ("futures-live", "futures, live", True, False),
    ]
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
        begun = [pool.submit(run, name, futures, dry) for name, _, futures, dry in runs]
        for (name, words, _, _), one in zip(runs, begun):
            step("trading", f"{words}: enters, times out, exits", lambda: judged(name, one.result()))
    steps.finish()


main()
