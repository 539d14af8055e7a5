# hummingbot's connectors binance and binance_perpetual, run by its own clock. Their addresses are constants of
# two modules without an option; the driver sets them before it creates a connector.

import asyncio
import logging
from decimal import Decimal

import steps
from hummingbot.connector.derivative.binance_perpetual import binance_perpetual_constants
from hummingbot.connector.derivative.binance_perpetual.binance_perpetual_derivative import BinancePerpetualDerivative
from hummingbot.connector.exchange.binance import binance_constants
from hummingbot.connector.exchange.binance.binance_exchange import BinanceExchange
from hummingbot.core.clock import Clock, ClockMode
from hummingbot.core.data_type.common import OrderType, PositionAction, PositionMode, PriceType, TradeType
from hummingbot.core.data_type.in_flight_order import InFlightOrder
from hummingbot.core.event.event_forwarder import EventForwarder
from hummingbot.core.event.events import MarketEvent
from hummingbot.core.network_iterator import NetworkStatus
from steps import BASE, HMAC, PERPETUAL, SPOT, WS, need, same_book_async, step_async

binance_constants.REST_URL = f"{BASE}/api/"
binance_constants.WSS_URL = f"{WS}/ws"
binance_constants.WSS_API_URL = f"{WS}/ws-api/v3"
binance_perpetual_constants.PERPETUAL_BASE_URL = f"{BASE}/fapi/"
binance_perpetual_constants.PERPETUAL_WS_URL = f"{WS}/"

logging.disable(logging.CRITICAL)
PAIRS = {SPOT: "CC-USDC", PERPETUAL: "BTC-USDT"}
FAR = {SPOT: Decimal("0.12"), PERPETUAL: Decimal("50000")}
SIZE = {SPOT: Decimal("200"), PERPETUAL: Decimal("0.01")}
EVENTS = (
    MarketEvent.BuyOrderCreated,
    MarketEvent.OrderCancelled,
    MarketEvent.OrderFilled,
    MarketEvent.BuyOrderCompleted,
    MarketEvent.SellOrderCompleted,
    MarketEvent.OrderFailure,
)


class Trading:
    """One connector with its clock, and the events it sends to a strategy."""

    def __init__(self, connector, symbol):
        self.connector, self.symbol, self.pair = connector, symbol, PAIRS[symbol]
        self.events = []
        forwarder = EventForwarder(lambda event: self.events.append(event))
        self.forwarder = forwarder
        for tag in EVENTS:
            connector.add_listener(tag, forwarder)
        self.clock = Clock(ClockMode.REALTIME, 0.2)
        self.clock.add_iterator(connector)

    async def start(self):
        with self.clock:
            await self.clock.run()

    async def until(self, what, holds, seconds=60):
        for _ in range(int(seconds / 0.05)):
            value = holds()
            if value:
                return value
            await asyncio.sleep(0.05)
        raise AssertionError(f"timed out while waiting for: {what}; {self.connector.status_dict}; {self.events[-5:]}")

    def told(self, order_id, *names):
        kinds = {type(event).__name__ for event in self.events if event.order_id == order_id}
        return kinds >= set(names)

    async def ready(self):
        await self.until("connected", lambda: self.connector.network_status == NetworkStatus.CONNECTED)
        await self.until("ready", lambda: self.connector.ready)

    async def data(self):
        rule = self.connector.trading_rules[self.pair]
        need(rule.min_price_increment > 0 and rule.min_base_amount_increment > 0, rule)
        need(self.connector.get_price_by_type(self.pair, PriceType.MidPrice) > 0, "middle")
        prices = await self.connector.get_last_traded_prices([self.pair])
        need(prices[self.pair] > 0, prices)

    async def book(self):
        book = self.connector.get_order_book(self.pair)

        def local():
            side = lambda entries: [(row.price, row.amount) for row in entries]
            return side(book.bid_entries()), side(book.ask_entries())

        async def venue():
            path = "/depth" if self.symbol == SPOT else "v1/depth"
            return await self.connector._api_get(path_url=path, params={"symbol": self.symbol, "limit": 100})

        await same_book_async(local, venue, asyncio.sleep)

    async def orders(self):
        order_id = self.buy(OrderType.LIMIT, FAR[self.symbol])
        await self.until("created", lambda: self.told(order_id, "BuyOrderCreatedEvent"))
        self.connector.cancel(self.pair, order_id)
        await self.until("cancelled", lambda: self.told(order_id, "OrderCancelledEvent"))
        await self.until("closed", lambda: order_id not in self.connector.in_flight_orders)

    def buy(self, kind, price):
        terms = {} if self.symbol == SPOT else {"position_action": PositionAction.OPEN}
        return self.connector.buy(self.pair, SIZE[self.symbol], kind, price, **terms)

    async def lost_orders(self):
        """An unknown order is distinguished from a failed request."""
        lost = InFlightOrder(
            client_order_id="lost-order",
            exchange_order_id="999999999",
            trading_pair=self.pair,
            order_type=OrderType.LIMIT,
            trade_type=TradeType.BUY,
            amount=SIZE[self.symbol],
            price=FAR[self.symbol],
            creation_timestamp=self.connector.current_timestamp,
        )
        try:
            await self.connector._request_order_status(lost)
            raise AssertionError("an unknown order must not be found")
        except Exception as error:
            need(self.connector._is_order_not_found_during_status_update_error(error), error)
        try:
            await self.connector._place_cancel("lost-order", lost)
            raise AssertionError("an unknown order must not be canceled")
        except Exception as error:
            need(self.connector._is_order_not_found_during_cancelation_error(error), error)

    async def fills(self):
        order_id = self.buy(OrderType.MARKET, Decimal("NaN"))
        await self.until("filled", lambda: self.told(order_id, "OrderFilledEvent", "BuyOrderCompletedEvent"))
        if self.symbol == SPOT:
            await self.until("the balance", lambda: self.connector.get_balance("CC") > 1_000_000)
            return
        held = lambda: [row for row in self.connector.account_positions.values() if row.amount > 0]
        await self.until("a position", held)
        close = {"position_action": PositionAction.CLOSE}
        order_id = self.connector.sell(self.pair, SIZE[self.symbol], OrderType.MARKET, Decimal("NaN"), **close)
        await self.until("closed", lambda: self.told(order_id, "SellOrderCompletedEvent"))
        await self.until("no position", lambda: not held())

    async def user_data(self):
        """The fills above came over the user stream; the time of its last message shows that it is alive."""
        need(self.connector.status_dict["user_stream_initialized"], "user stream")
        need(self.connector._user_stream_tracker.data_source.last_recv_time > 0, "nothing was received")
        need(self.connector.available_balances, "balances")


async def trade(name, connector, symbol):
    trading = Trading(connector, symbol)
    running = asyncio.create_task(trading.start())
    await step_async("market data", f"{name}: starts and is ready", trading.ready)
    await step_async("market data", f"{name}: rules, middle, last price", trading.data)
    await step_async("book", f"{name}: its order book tracker", trading.book)
    await step_async("orders", f"{name}: places and cancels", trading.orders)
    await step_async("orders", f"{name}: knows a lost order by its refusal", trading.lost_orders)
    if symbol == PERPETUAL:
        await step_async("account", f"{name}: position mode and leverage", lambda: settings(trading))
    await step_async("fills", f"{name}: market orders, balance or position", trading.fills)
    await step_async("user data", f"{name}: its user stream", trading.user_data)
    running.cancel()
    await connector.stop_network()


async def settings(trading):
    connector = trading.connector
    connector.set_position_mode(PositionMode.ONEWAY)
    connector.set_leverage(trading.pair, 5)
    await trading.until("leverage", lambda: connector.get_leverage(trading.pair) == 5)
    await trading.until("mode", lambda: connector.position_mode == PositionMode.ONEWAY)
    info = await trading.until("funding", lambda: connector.get_funding_info(trading.pair))
    need(info.mark_price > 0 and info.next_funding_utc_timestamp > 0, info)


async def live():
    key, secret = HMAC
    spot = BinanceExchange(key, secret, trading_pairs=[PAIRS[SPOT]])
    await trade("binance", spot, SPOT)
    perpetual = BinancePerpetualDerivative(
        binance_perpetual_api_key=key, binance_perpetual_api_secret=secret, trading_pairs=[PAIRS[PERPETUAL]]
    )
    await trade("binance_perpetual", perpetual, PERPETUAL)


asyncio.run(live())
steps.finish()
