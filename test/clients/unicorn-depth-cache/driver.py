# unicorn-binance-local-depth-cache on spot and perpetuals. Two packages that it uses keep their addresses in a
# table and in class attributes, which are set here before a manager is created.

import logging
import time

import steps
from steps import BASE, PERPETUAL, SPOT, WS, need, same_book, step, until
from unicorn_binance_local_depth_cache import BinanceLocalDepthCacheManager
from unicorn_binance_rest_api import BinanceRestApiManager
from unicorn_binance_websocket_api import connection_settings

logging.disable(logging.CRITICAL)
SPOT_EXCHANGE, PERPETUAL_EXCHANGE = "binance.com", "binance.com-futures"
for exchange, session in ((SPOT_EXCHANGE, "/ws-api/v3"), (PERPETUAL_EXCHANGE, "/ws-fapi/v1")):
    streams_max = connection_settings.CONNECTION_SETTINGS[exchange][0]
    connection_settings.CONNECTION_SETTINGS[exchange] = (streams_max, f"{WS}/", f"{WS}{session}")


BinanceRestApiManager.API_URL = f"{BASE}/api"
BinanceRestApiManager.FUTURES_URL = f"{BASE}/fapi"


def venue_client():
    # If it is given a top-level domain instead of an exchange's name, the client uses the addresses of its class.
    return BinanceRestApiManager(tld="com", warn_on_update=False)


def data(client):
    need(len(client.get_order_book(symbol=SPOT)["bids"]) > 5, "depth")
    need(client.get_klines(symbol=SPOT, interval="1m"), "candles")
    need(len(client.futures_order_book(symbol=PERPETUAL)["bids"]) > 5, "depth")


def book(exchange, symbol):
    client = venue_client()
    manager = BinanceLocalDepthCacheManager(
        exchange=exchange, ubra_manager=client, warn_on_update=False, depth_cache_update_interval=100
    )
    try:
        manager.create_depth_cache(symbol)
        until("synchronized", lambda: manager.is_depth_cache_synchronized(symbol), 45)
        ask = client.get_order_book if symbol == SPOT else client.futures_order_book
        local = lambda: (manager.get_bids(symbol), manager.get_asks(symbol))
        same_book(local, lambda: ask(symbol=symbol, limit=100))
        need(manager.is_depth_cache_synchronized(symbol), "still synchronized")
    finally:
        manager.stop_manager()
        time.sleep(1)


step("market data", "spot and perpetual, with its REST client", lambda: data(venue_client()))
step("book", "spot", lambda: book(SPOT_EXCHANGE, SPOT))
step("book", "perpetual", lambda: book(PERPETUAL_EXCHANGE, PERPETUAL))
steps.finish()
