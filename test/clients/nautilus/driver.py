# nautilus_trader's Binance adapters (JSON) of spot and USD-M futures in one live node: instruments, books,
# quotes, trades and bars, orders and their events. Their addresses are in the configuration of each client.

import asyncio
from decimal import Decimal

import steps
from nautilus_trader.adapters.binance.common.enums import BinanceAccountType
from nautilus_trader.adapters.binance.config import BinanceDataClientConfig, BinanceExecClientConfig
from nautilus_trader.adapters.binance.factories import BinanceLiveDataClientFactory, BinanceLiveExecClientFactory
from nautilus_trader.config import InstrumentProviderConfig, LoggingConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import BookType, OrderSide, TimeInForce
from nautilus_trader.model.identifiers import ClientId, InstrumentId, TraderId, Venue
from nautilus_trader.trading.strategy import Strategy
from steps import BASE, ED25519, PERPETUAL, SPOT, WS, need, same_book_async, step_async

SPOT_NAME, PERPETUAL_NAME = "BINANCE_SPOT", "BINANCE_FUTURES"
IDS = {
    SPOT: InstrumentId.from_str(f"{SPOT}.{SPOT_NAME}"),
    PERPETUAL: InstrumentId.from_str(f"{PERPETUAL}-PERP.{PERPETUAL_NAME}"),
}
FAR = {SPOT: "0.1200", PERPETUAL: "50000.00"}
SIZE = {SPOT: Decimal("200.0"), PERPETUAL: Decimal("0.010")}
SECRET = open(ED25519[1]).read()


class Watcher(Strategy):
    """Subscribes to everything, and records everything it receives."""

    def __init__(self):
        super().__init__()
        self.heard = set()
        self.deltas = set()

    def on_start(self):
        for symbol, own in IDS.items():
            self.subscribe_order_book_deltas(own, BookType.L2_MBP)
            self.subscribe_quote_ticks(own)
            self.subscribe_trade_ticks(own)
            self.subscribe_bars(self.bars(own, 1))
            self.subscribe_bars(self.bars(own, 5))

    def bars(self, own, minutes):
        return BarType.from_str(f"{own}-{minutes}-MINUTE-LAST-EXTERNAL")

    def on_order_book_deltas(self, deltas):
        self.heard.add((deltas.instrument_id, "deltas"))

    def on_quote_tick(self, tick):
        self.heard.add((tick.instrument_id, "quote"))

    def on_trade_tick(self, tick):
        self.heard.add((tick.instrument_id, "trade"))

    def on_bar(self, bar):
        self.heard.add((bar.bar_type.instrument_id, "bar"))

    def on_historical_data(self, data):
        pass

    def told(self, order, *names):
        kinds = {type(event).__name__ for event in order.events}
        return kinds >= set(names)

    def placed(self, symbol, side, quantity, price=None, reduce_only=False):
        own = IDS[symbol]
        instrument = self.cache.instrument(own)
        terms = {"instrument_id": own, "order_side": side, "quantity": instrument.make_qty(quantity)}
        if price is None:
            order = self.order_factory.market(**terms, reduce_only=reduce_only)
        else:
            limit = {"price": instrument.make_price(price), "time_in_force": TimeInForce.GTC}
            order = self.order_factory.limit(**terms, **limit)
        self.submit_order(order)
        return order


async def until(what, holds, seconds=60):
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"timed out while waiting for: {what}")


def node_of():
    instruments = InstrumentProviderConfig(load_all=True)
    own = {"api_key": ED25519[0], "api_secret": SECRET, "base_url_http": BASE, "instrument_provider": instruments}
    futures = {**own, "account_type": BinanceAccountType.USDT_FUTURES, "venue": Venue(PERPETUAL_NAME)}
    spot = {**own, "account_type": BinanceAccountType.SPOT, "venue": Venue(SPOT_NAME)}
    node = TradingNode(
        config=TradingNodeConfig(
            trader_id=TraderId("TESTER-001"),
            logging=LoggingConfig(log_level="WARNING"),
            data_clients={
                SPOT_NAME: BinanceDataClientConfig(**spot, base_url_ws=WS),
                PERPETUAL_NAME: BinanceDataClientConfig(**futures, base_url_ws=WS),
            },
            exec_clients={
                SPOT_NAME: BinanceExecClientConfig(**spot, base_url_ws=f"{WS}/ws-api/v3"),
                PERPETUAL_NAME: BinanceExecClientConfig(
                    **futures, base_url_ws=f"{WS}/ws-fapi/v1", base_url_ws_stream=f"{WS}/private/ws"
                ),
            },
            timeout_connection=30.0,
        ),
        loop=asyncio.get_running_loop(),
    )
    for name in (SPOT_NAME, PERPETUAL_NAME):
        node.add_data_client_factory(name, BinanceLiveDataClientFactory)
        node.add_exec_client_factory(name, BinanceLiveExecClientFactory)
    return node


async def started(node, watcher):
    await until("the strategy runs", lambda: watcher.is_running)
    for own in IDS.values():
        need(watcher.cache.instrument(own) is not None, f"instrument {own} is missing")
        account = watcher.portfolio.account(own.venue)
        need(account is not None and account.balances(), f"no account at {own.venue}")


async def streams(watcher, symbol):
    for kind in ("deltas", "quote", "trade", "bar"):
        await until(f"{kind} of {symbol}", lambda: (IDS[symbol], kind) in watcher.heard, 100)


async def book(watcher, symbol):
    def local():
        book = watcher.cache.order_book(IDS[symbol])
        side = lambda levels: [(level.price.as_double(), level.size()) for level in levels]
        return side(book.bids()), side(book.asks())

    # The cached book is empty until the snapshot after its first deltas has arrived.
    await until(f"a book of {symbol}", lambda: all(local()))

    async def venue():
        path = "/api/v3/depth" if symbol == SPOT else "/fapi/v1/depth"
        return await asyncio.to_thread(steps.asked, f"{path}?symbol={symbol}&limit=100")

    await same_book_async(local, venue, asyncio.sleep)


async def orders(watcher, symbol):
    order = watcher.placed(symbol, OrderSide.BUY, SIZE[symbol], FAR[symbol])
    await until("accepted", lambda: watcher.told(order, "OrderAccepted"))
    watcher.cancel_order(order)
    await until("canceled", lambda: watcher.told(order, "OrderCanceled"))
    need(order.is_closed, order)
    other = watcher.placed(symbol, OrderSide.BUY, SIZE[symbol], FAR[symbol])
    await until("accepted", lambda: watcher.told(other, "OrderAccepted"))
    watcher.cancel_all_orders(IDS[symbol])
    await until("all canceled", lambda: watcher.told(other, "OrderCanceled"))


async def fills(watcher, symbol):
    order = watcher.placed(symbol, OrderSide.BUY, SIZE[symbol])
    await until("filled", lambda: order.is_closed and watcher.told(order, "OrderFilled"))
    if symbol == PERPETUAL:
        net = lambda: watcher.portfolio.net_position(IDS[symbol])
        await until("the position", lambda: net() == SIZE[symbol])
        watcher.placed(symbol, OrderSide.SELL, SIZE[symbol], reduce_only=True)
        await until("no position", lambda: net() == 0)


async def live():
    node, watcher = node_of(), Watcher()
    node.trader.add_strategy(watcher)
    node.build()
    running = asyncio.create_task(node.run_async())
    await step_async("market data", "instruments and accounts of spot and futures", lambda: started(node, watcher))
    for symbol, name in ((SPOT, "spot"), (PERPETUAL, "USD-M")):
        await step_async("book", f"{name}: its order book of deltas", lambda: book(watcher, symbol))
        await step_async("orders", f"{name}: places, cancels, cancels all", lambda: orders(watcher, symbol))
        await step_async("fills", f"{name}: market orders and what they leave", lambda: fills(watcher, symbol))
        await step_async("streams", f"{name}: deltas, quotes, trades, bars", lambda: streams(watcher, symbol))
        # Only the user stream reports an order's events here.
        await step_async("user data", f"{name}: events of orders", lambda: told_of(watcher, symbol))
    running.cancel()


async def told_of(watcher, symbol):
    orders = watcher.cache.orders_closed(instrument_id=IDS[symbol])
    need(len(orders) >= 3 and all(watcher.told(order, "OrderAccepted") for order in orders), orders)


asyncio.run(live())
steps.finish()
