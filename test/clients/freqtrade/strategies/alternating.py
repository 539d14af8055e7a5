# A strategy that is always active: it enters at every chance, in turn with a limit order that fills at once and
# with one far from the market that reaches its timeout. It leaves each position after half a minute.

from datetime import timedelta

from freqtrade.strategy import IStrategy
from pandas import DataFrame


class Alternating(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    startup_candle_count = 0
    minimal_roi = {}
    stoploss = -0.5
    process_only_new_candles = False
    entries = 0

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["exit_long"] = 0
        return dataframe

    def custom_entry_price(self, pair, trade, current_time, proposed_rate, entry_tag, side, **more):
        """Every second entry is 1.5 % below the market; freqtrade allows at most 2 %."""
        self.entries += 1
        return proposed_rate * (0.985 if self.entries % 2 == 0 else 1.005)

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **more):
        return "after half a minute" if current_time - trade.open_date_utc > timedelta(seconds=30) else None

    def leverage(self, pair, current_time, current_rate, proposed_leverage, max_leverage, entry_tag, side, **more):
        return 3.0
