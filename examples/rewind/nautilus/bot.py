"""Quotes both sides of BTCUSDT with NautilusTrader's live node, which keeps orders and positions itself."""

import asyncio
import os
from datetime import timedelta
from decimal import Decimal

from nautilus_trader.adapters.binance.common.enums import BinanceAccountType
from nautilus_trader.adapters.binance.config import BinanceDataClientConfig, BinanceExecClientConfig
from nautilus_trader.adapters.binance.factories import BinanceLiveDataClientFactory, BinanceLiveExecClientFactory
from nautilus_trader.config import InstrumentProviderConfig, LiveExecEngineConfig, LoggingConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.enums import OrderSide
from nautilus_trader.model.identifiers import InstrumentId, TraderId
from nautilus_trader.trading.strategy import Strategy
from rewind_bot import BASE, WS, is_over, tell

BTC = InstrumentId.from_str("BTCUSDT-PERP.BINANCE")
SIZE, MOST, AWAY = Decimal("0.010"), Decimal("0.050"), Decimal("0.0005")
SETTLE_SECONDS = 40


class Quoter(Strategy):
    def on_start(self):
        self.subscribe_quote_ticks(BTC)
        self.clock.set_timer("turn", timedelta(seconds=1), callback=self.turn)

    def believed_open(self):
        return self.cache.orders_open(instrument_id=BTC) + self.cache.orders_inflight(instrument_id=BTC)

    def turn(self, _):
        quote = self.cache.quote_tick(BTC)
        if is_over.is_set() or quote is None:
            return
        if self.believed_open():
            self.cancel_all_orders(BTC)
            return
        middle = (quote.bid_price.as_decimal() + quote.ask_price.as_decimal()) / 2
        position = self.portfolio.net_position(BTC)
        if position < MOST:
            self.place(OrderSide.BUY, middle * (1 - AWAY))
        if position > -MOST:
            self.place(OrderSide.SELL, middle * (1 + AWAY))

    def place(self, side, price):
        instrument = self.cache.instrument(BTC)
        terms = {"quantity": instrument.make_qty(SIZE), "price": instrument.make_price(price)}
        self.submit_order(self.order_factory.limit(BTC, side, **terms))


def node_of(secret):
    own = {
        "api_key": os.environ["ED25519_KEY"],
        "api_secret": secret,
        "account_type": BinanceAccountType.USDT_FUTURES,
        "base_url_http": BASE,
        "instrument_provider": InstrumentProviderConfig(load_all=True),
    }
    session = {"base_url_ws": f"{WS}/ws-fapi/v1", "base_url_ws_stream": f"{WS}/private/ws"}
    node = TradingNode(
        config=TradingNodeConfig(
            trader_id=TraderId("REWIND-001"),
            logging=LoggingConfig(log_level="ERROR", use_pyo3=False),
            # Open orders and positions are compared with the venue's every few seconds.
            exec_engine=LiveExecEngineConfig(
                reconciliation_startup_delay_secs=1.0, open_check_interval_secs=5.0, position_check_interval_secs=5.0
            ),
            data_clients={"BINANCE": BinanceDataClientConfig(**own, base_url_ws=WS)},
            exec_clients={"BINANCE": BinanceExecClientConfig(**own, **session)},
        ),
        loop=asyncio.get_running_loop(),
    )
    node.add_data_client_factory("BINANCE", BinanceLiveDataClientFactory)
    node.add_exec_client_factory("BINANCE", BinanceLiveExecClientFactory)
    return node


async def main():
    with open(os.environ["ED25519_FILE"]) as file:
        node = node_of(file.read())
    quoter = Quoter()
    node.trader.add_strategy(quoter)
    node.build()
    asyncio.get_running_loop().create_task(node.run_async())
    await asyncio.to_thread(is_over.wait)
    await asyncio.sleep(SETTLE_SECONDS)
    names = [order.client_order_id.value for order in quoter.believed_open()]
    tell(names, quoter.portfolio.net_position(BTC))


asyncio.run(main())
