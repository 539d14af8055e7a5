"""Quotes both sides of BTCUSDT with hummingbot's connector, run by its own clock, which keeps orders and positions."""

import asyncio
import logging
import os
from decimal import Decimal

from hummingbot.connector.derivative.binance_perpetual import binance_perpetual_constants as constants
from hummingbot.connector.derivative.binance_perpetual.binance_perpetual_derivative import BinancePerpetualDerivative
from hummingbot.core.clock import Clock, ClockMode
from hummingbot.core.data_type.common import OrderType, PositionAction, PriceType
from rewind_bot import BASE, WS, is_over, tell

PAIR = "BTC-USDT"
SIZE, MOST, AWAY = Decimal("0.01"), Decimal("0.05"), Decimal("0.0005")
SETTLE_SECONDS = 40

constants.PERPETUAL_BASE_URL = f"{BASE}/fapi/"
constants.PERPETUAL_WS_URL = f"{WS}/"
logging.disable(logging.CRITICAL)


def position_of(connector):
    return sum((row.amount for row in connector.account_positions.values()), Decimal(0))


def turn(connector):
    if connector.in_flight_orders:
        for name in list(connector.in_flight_orders):
            connector.cancel(PAIR, name)
        return
    middle = connector.get_price_by_type(PAIR, PriceType.MidPrice)
    if middle.is_nan():
        return
    position = position_of(connector)
    terms = {"position_action": PositionAction.OPEN}
    if position < MOST:
        connector.buy(PAIR, SIZE, OrderType.LIMIT, middle * (1 - AWAY), **terms)
    if position > -MOST:
        connector.sell(PAIR, SIZE, OrderType.LIMIT, middle * (1 + AWAY), **terms)


async def main():
    connector = BinancePerpetualDerivative(
        binance_perpetual_api_key=os.environ["KEY"],
        binance_perpetual_api_secret=os.environ["SECRET"],
        trading_pairs=[PAIR],
    )
    clock = Clock(ClockMode.REALTIME, 0.2)
    clock.add_iterator(connector)

    async def run():
        with clock:
            await clock.run()

    running = asyncio.create_task(run())
    while not is_over.is_set():
        if connector.ready:
            turn(connector)
        await asyncio.sleep(1)
    await asyncio.sleep(SETTLE_SECONDS)
    running.cancel()
    names = [name for name, order in connector.in_flight_orders.items() if order.is_open]
    tell(names, position_of(connector))


asyncio.run(main())
