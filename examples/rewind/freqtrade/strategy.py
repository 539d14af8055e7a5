# A strategy that is always active: it enters at every chance with a limit order below the market, most of which reach their
# timeout and are cancelled, and leaves after some seconds with another.

import os
from datetime import timedelta

from freqtrade.strategy import IStrategy
from pandas import DataFrame


class Restless(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    startup_candle_count = 0
    minimal_roi = {}
    stoploss = -0.5
    process_only_new_candles = False

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["exit_long"] = 0
        return dataframe

    def custom_entry_price(self, pair, trade, current_time, proposed_rate, entry_tag, side, **more):
        return proposed_rate * 0.994

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **more):
        is_late = current_time - trade.open_date_utc > timedelta(seconds=5)
        return "after some seconds" if is_late and not is_over() else None

    def confirm_trade_entry(self, *_, **more):
        return not is_over()

    def leverage(self, *_, **more):
        return 3.0


def is_over():
    """bot.py makes this file when the day has ended."""
    return os.path.exists("over")
