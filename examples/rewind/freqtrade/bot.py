"""Runs freqtrade live on BTCUSDT, by its own command. What it believes is in its database."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

import ccxt
from rewind_bot import is_over, moved, tell

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(os.environ["FOLDER"])
SETTLE_SECONDS = 20

PRICES = {"price_side": "same", "use_order_book": True, "order_book_top": 1}
# Every address of ccxt is replaced: one that is left out leads to Binance.
ADDRESSES = {"urls": {"api": moved(ccxt.binance().urls["api"])}, "rateLimit": 50}
CONFIGURATION = {
    "trading_mode": "futures",
    "margin_mode": "cross",
    "stake_currency": "USDT",
    "stake_amount": 1000,
    "max_open_trades": 1,
    "dry_run": False,
    "initial_state": "running",
    "fiat_display_currency": "",
    "db_url": f"sqlite:///{FOLDER / 'freqtrade.sqlite'}",
    "entry_pricing": PRICES,
    "exit_pricing": PRICES,
    "order_types": {"entry": "limit", "exit": "limit", "stoploss": "market", "stoploss_on_exchange": False},
    "unfilledtimeout": {"entry": 4, "exit": 4, "unit": "seconds"},
    "pairlists": [{"method": "StaticPairList"}],
    "internals": {"process_throttle_secs": 1},
    "exchange": {
        "name": "binance",
        "key": os.environ["KEY"],
        "secret": os.environ["SECRET"],
        "enable_ws": False,
        "ccxt_config": ADDRESSES,
        "pair_whitelist": ["BTC/USDT:USDT"],
    },
}


def belief():
    with sqlite3.connect(FOLDER / "freqtrade.sqlite") as database:
        (held,) = database.execute("select coalesce(sum(amount), 0) from trades where is_open = 1").fetchone()
        rows = database.execute("select order_id from orders where ft_is_open = 1").fetchall()
    return [int(order_id) for (order_id,) in rows], round(held, 3)


def main():
    settings = FOLDER / "config.json"
    settings.write_text(json.dumps(CONFIGURATION))
    words = ["-m", "freqtrade", "trade", "--config", settings, "--strategy", "Restless", "--strategy-path", HERE]
    log = ["--userdir", FOLDER, "--logfile", FOLDER / "freqtrade.log"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    trader = subprocess.Popen([sys.executable, "-B", *words, *log], cwd=FOLDER, **quiet)
    is_over.wait()
    (FOLDER / "over").touch()
    time.sleep(SETTLE_SECONDS)
    trader.send_signal(signal.SIGINT)
    trader.wait(60)
    tell(*belief())


main()
