# python-binance on spot and perpetuals: requests, streams, its two depth caches and the WebSocket API. Its
# addresses are constants of its classes, which a user sets before making a client.

import asyncio
import logging

import steps
from binance import AsyncClient, BinanceSocketManager, Client, DepthCacheManager
from binance.exceptions import BinanceAPIException
from binance.ws.depthcache import FuturesDepthCacheManager
from steps import BASE, ED25519, HMAC, PERPETUAL, SPOT, WS, need, same_book_async, step, step_async

for kind in (Client, AsyncClient):
    kind.API_URL = f"{BASE}/api"
    kind.MARGIN_API_URL = f"{BASE}/sapi"
    kind.FUTURES_URL = f"{BASE}/fapi"
    kind.FUTURES_DATA_URL = f"{BASE}/futures/data"
    kind.WS_API_URL = f"{WS}/ws-api/v3"
    kind.WS_FUTURES_URL = f"{WS}/ws-fapi/v1"
BinanceSocketManager.STREAM_URL = f"{WS}/"
BinanceSocketManager.FSTREAM_URL = f"{WS}/"

logging.disable(logging.CRITICAL)
FAR = {SPOT: "0.1200", PERPETUAL: "50000.00"}
SIZE = {SPOT: "200.0", PERPETUAL: "0.010"}


def code_of(body):
    try:
        body()
    except BinanceAPIException as error:
        return error.code
    raise AssertionError("the venue must refuse the request")


def spot_data(client):
    need(client.ping() == {}, "ping")
    info = client.get_symbol_info(SPOT)
    need({row["filterType"] for row in info["filters"]} >= {"PRICE_FILTER", "LOT_SIZE"}, "filters")
    need(len(client.get_order_book(symbol=SPOT)["bids"]) > 5, "depth")
    need(client.get_recent_trades(symbol=SPOT), "trades")
    need(client.get_aggregate_trades(symbol=SPOT), "aggregate trades")
    need(float(client.get_symbol_ticker(symbol=SPOT)["price"]) > 0, "price")
    need(float(client.get_ticker(symbol=SPOT)["lastPrice"]) > 0, "ticker")
    need(client.get_all_tickers() and client.get_orderbook_tickers(), "all tickers")
    need(float(client.get_avg_price(symbol=SPOT)["price"]) > 0, "average price")


def spot_candles(client):
    for interval in ("1m", "5m", "1h", "1d"):
        need(client.get_klines(symbol=SPOT, interval=interval), interval)
    need(client.get_historical_klines(SPOT, "1m", "1 hour ago UTC"), "history")


def spot_orders(client):
    client.create_test_order(
        symbol=SPOT, side="BUY", type="LIMIT", timeInForce="GTC", quantity=SIZE[SPOT], price=FAR[SPOT]
    )
    order = client.order_limit_buy(symbol=SPOT, quantity=SIZE[SPOT], price=FAR[SPOT])
    need(order["status"] == "NEW", order)
    one = {"symbol": SPOT, "orderId": order["orderId"]}
    need(client.get_order(**one)["price"] == order["price"], "query")
    need(order["orderId"] in [row["orderId"] for row in client.get_open_orders(symbol=SPOT)], "open")
    need(order["orderId"] in [row["orderId"] for row in client.get_all_orders(symbol=SPOT)], "all")
    need(client.cancel_order(**one)["status"] == "CANCELED", "cancel")
    need(client.get_order(**one)["status"] == "CANCELED", "canceled")


OCO = {
    "symbol": SPOT,
    "side": "SELL",
    "quantity": SIZE[SPOT],
    "aboveType": "LIMIT_MAKER",
    "abovePrice": "0.4000",
    "belowType": "STOP_LOSS_LIMIT",
    "belowStopPrice": "0.0600",
    "belowPrice": "0.0590",
    "belowTimeInForce": "GTC",
}
OTOCO = {
    "symbol": SPOT,
    "workingType": "LIMIT",
    "workingSide": "BUY",
    "workingPrice": FAR[SPOT],
    "workingQuantity": SIZE[SPOT],
    "workingTimeInForce": "GTC",
    "pendingSide": "SELL",
    "pendingQuantity": SIZE[SPOT],
    "pendingAboveType": "LIMIT_MAKER",
    "pendingAbovePrice": "0.4000",
    "pendingBelowType": "STOP_LOSS",
    "pendingBelowStopPrice": "0.0600",
}


def order_lists(client):
    placed = client.create_oco_order(**OCO)
    need(placed["contingencyType"] == "OCO" and len(placed["orderReports"]) == 2, placed)
    one = {"orderListId": placed["orderListId"]}
    need(client.v3_get_order_list(**one)["listOrderStatus"] == "EXECUTING", "query")
    need(one["orderListId"] in [row["orderListId"] for row in client.get_open_oco_orders()], "open")
    gone = client.v3_delete_order_list(symbol=SPOT, **one)
    need([row["status"] for row in gone["orderReports"]] == ["CANCELED", "CANCELED"], gone)
    need(one["orderListId"] in [row["orderListId"] for row in client.v3_get_all_order_list()], "all")
    placed = client.v3_post_order_list_otoco(**OTOCO)
    states = [row["status"] for row in placed["orderReports"]]
    need(states == ["NEW", "PENDING_NEW", "PENDING_NEW"], placed)
    client.v3_delete_order_list(symbol=SPOT, orderListId=placed["orderListId"])


def spot_refusals(client):
    unknown = {"symbol": SPOT, "orderId": 999_999_999}
    need(code_of(lambda: client.get_order(**unknown)) == -2013, "query of an unknown order is -2013")
    need(code_of(lambda: client.cancel_order(**unknown)) == -2011, "cancel of one is -2011")


def spot_fills(client):
    before = float(client.get_asset_balance(asset="CC")["free"])
    order = client.order_market_buy(symbol=SPOT, quantity=SIZE[SPOT])
    need(order["status"] == "FILLED" and order["fills"], order)
    after = float(client.get_asset_balance(asset="CC")["free"])
    need(0 < after - before <= float(SIZE[SPOT]), f"{before} {after}")
    fills = client.get_my_trades(symbol=SPOT, orderId=order["orderId"])
    need(sum(float(row["qty"]) for row in fills) == float(SIZE[SPOT]), fills)


def spot_account(client):
    need(client.get_account()["canTrade"], "account")
    need(client.get_account_api_permissions()["enableSpotAndMarginTrading"], "permissions")
    need(client.get_asset_details() is not None, "asset details")
    need(client.get_all_coins_info(), "coins")
    client.get_deposit_history()
    client.get_withdraw_history()


def perpetual_data(client):
    symbols = {row["symbol"] for row in client.futures_exchange_info()["symbols"]}
    need(PERPETUAL in symbols, symbols)
    need(len(client.futures_order_book(symbol=PERPETUAL)["bids"]) > 5, "depth")
    need(client.futures_recent_trades(symbol=PERPETUAL), "trades")
    need(float(client.futures_mark_price(symbol=PERPETUAL)["markPrice"]) > 0, "mark")
    need(float(client.futures_ticker(symbol=PERPETUAL)["lastPrice"]) > 0, "ticker")
    need(client.futures_orderbook_ticker(symbol=PERPETUAL), "touch")
    need(client.futures_klines(symbol=PERPETUAL, interval="1m", limit=10), "candles")
    need(float(client.futures_open_interest(symbol=PERPETUAL)["openInterest"]) >= 0, "interest")
    client.futures_funding_rate(symbol=PERPETUAL)


def perpetual_orders(client):
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    order = client.futures_create_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])
    one = {"symbol": PERPETUAL, "orderId": order["orderId"]}
    need(client.futures_get_order(**one)["status"] == "NEW", order)
    need(client.futures_get_open_orders(symbol=PERPETUAL), "open")
    need(client.futures_cancel_order(**one)["status"] == "CANCELED", "cancel")
    if client.PRIVATE_KEY is None:
        # The client can encode a batch only for an HMAC signature, not for an Ed25519 signature.
        batch = [{**terms, "quantity": SIZE[PERPETUAL], "price": price} for price in ("50000.00", "50001.00")]
        placed = client.futures_place_batch_order(batchOrders=batch)
        need(all(row["status"] == "NEW" for row in placed), placed)
    need(client.futures_cancel_all_open_orders(symbol=PERPETUAL)["code"] in (200, "200"), "all")
    need(code_of(lambda: client.futures_get_order(symbol=PERPETUAL, orderId=999_999_999)) == -2013, "-2013")
    need(code_of(lambda: client.futures_cancel_order(symbol=PERPETUAL, orderId=999_999_999)) == -2011, "-2011")


def perpetual_conditional(client):
    terms = {"symbol": PERPETUAL, "side": "SELL", "type": "STOP_MARKET", "quantity": SIZE[PERPETUAL]}
    order = client.futures_create_order(**terms, stopPrice="40000.00")
    need(order["algoStatus"] == "NEW", order)
    one = {"symbol": PERPETUAL, "algoId": order["algoId"]}
    need(client.futures_get_order(**one)["triggerPrice"] == "40000.00", "query")
    need(client.futures_cancel_order(**one)["code"] in (200, "200"), "cancel")
    need(client.futures_get_order(**one)["algoStatus"] == "CANCELED", "canceled")


def perpetual_matched(client):
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "priceMatch": "QUEUE_5"}
    order = client.futures_create_order(**terms, quantity=SIZE[PERPETUAL])
    need(float(order["price"]) > float(FAR[PERPETUAL]), order)
    need(client.futures_cancel_all_open_orders(symbol=PERPETUAL)["code"] in (200, "200"), "cancel")


def perpetual_position(client):
    terms = {"symbol": PERPETUAL, "type": "MARKET", "quantity": SIZE[PERPETUAL]}
    need(client.futures_change_leverage(symbol=PERPETUAL, leverage=5)["leverage"] == 5, "leverage")
    order = client.futures_create_order(**terms, side="BUY", newOrderRespType="RESULT")
    need(order["status"] == "FILLED", order)
    (held,) = client.futures_position_information(symbol=PERPETUAL)
    need(float(held["positionAmt"]) == float(SIZE[PERPETUAL]), held)
    need(client.futures_account_trades(symbol=PERPETUAL), "fills")
    client.futures_create_order(**terms, side="SELL", reduceOnly="true")
    held = client.futures_position_information(symbol=PERPETUAL)
    need(all(float(row["positionAmt"]) == 0 for row in held), held)
    need(any(row["asset"] == "USDT" for row in client.futures_account_balance()), "balance")
    need(client.futures_account()["totalWalletBalance"], "account")


async def first(socket, holds, seconds=30):
    """The first message of a socket for which `holds` is true."""

    async def wait():
        while True:
            message = await socket.recv()
            message = message.get("data", message) if type(message) is dict else message
            if holds(message):
                return message

    return await asyncio.wait_for(wait(), seconds)


async def streams(manager):
    sockets = [
        (manager.trade_socket(SPOT), "trade"),
        (manager.kline_socket(SPOT, "5m"), "kline"),
        (manager.symbol_ticker_socket(SPOT), "24hrTicker"),
        (manager.multiplex_socket([f"{SPOT.lower()}@aggTrade", f"{SPOT.lower()}@miniTicker"]), "aggTrade"),
        (manager.symbol_mark_price_socket(PERPETUAL), "markPriceUpdate"),
        (manager.aggtrade_futures_socket(PERPETUAL), "aggTrade"),
        (manager.kline_futures_socket(PERPETUAL), "continuous_kline"),
        (manager.ticker_socket(), None),
        (manager.all_mark_price_socket(), None),
    ]

    async def heard(socket, kind):
        holds = lambda one: type(one) is list if kind is None else kind == one.get("e")
        await socket.connect()
        try:
            await first(socket, holds)
        except TimeoutError:
            return socket._path
        await socket.close()

    silent = await asyncio.gather(*(heard(socket, kind) for socket, kind in sockets))
    need(not any(silent), f"silent: {[one for one in silent if one]}")


async def quiet(client):
    """Waits for a quiet moment, because the spot cache also applies updates older than its first snapshot."""
    seen = None
    while True:
        book = await client.get_order_book(symbol=SPOT, limit=100)
        now = book["bids"], book["asks"]
        if now == seen:
            return
        seen = now
        await asyncio.sleep(0.7)


async def followed(cache, venue, levels):
    """Reads a cache in the background and compares it."""

    async def drain():
        while True:
            await cache.recv()

    reading = asyncio.create_task(drain())
    local = lambda: (cache.get_depth_cache()._bids, cache.get_depth_cache()._asks)
    try:
        await same_book_async(local, venue, asyncio.sleep, levels)
    finally:
        reading.cancel()


async def spot_cache(client, manager):
    await quiet(client)
    async with DepthCacheManager(client, SPOT, bm=manager, ws_interval=100, limit=1000) as cache:
        await followed(cache, lambda: client.get_order_book(symbol=SPOT), 100)


async def perpetual_cache(client, manager):
    async with FuturesDepthCacheManager(client, PERPETUAL, bm=manager) as cache:
        await cache.recv()
        await followed(cache, lambda: client.futures_order_book(symbol=PERPETUAL), 10)


async def spot_user_data(client, manager):
    async with manager.user_socket() as socket:
        order = await client.order_limit_buy(symbol=SPOT, quantity=SIZE[SPOT], price=FAR[SPOT])
        mine = lambda one: one["e"] == "executionReport" and one["i"] == order["orderId"]
        need((await first(socket, mine))["x"] == "NEW", "the order must be reported")
        await client.cancel_order(symbol=SPOT, orderId=order["orderId"])
        need((await first(socket, mine))["x"] == "CANCELED", "its cancel must be reported")
        await client.order_market_buy(symbol=SPOT, quantity=SIZE[SPOT])
        await first(socket, lambda one: one["e"] == "outboundAccountPosition")


async def perpetual_user_data(client, manager):
    async with manager.futures_user_socket() as socket:
        terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
        order = await client.futures_create_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])
        mine = lambda one: one["e"] == "ORDER_TRADE_UPDATE" and one["o"]["i"] == order["orderId"]
        need((await first(socket, mine))["o"]["x"] == "NEW", "the order must be reported")
        await client.futures_cancel_order(symbol=PERPETUAL, orderId=order["orderId"])
        need((await first(socket, mine))["o"]["x"] == "CANCELED", "its cancel must be reported")


async def spot_session(client):
    need("serverTime" in await client.ws_get_time(), "time")
    need(len((await client.ws_get_order_book(symbol=SPOT))["bids"]) > 5, "depth")
    order = await client.ws_order_limit_buy(symbol=SPOT, quantity=SIZE[SPOT], price=FAR[SPOT])
    one = {"symbol": SPOT, "orderId": order["orderId"]}
    need((await client.ws_get_order(**one))["status"] == "NEW", "query")
    need((await client.ws_cancel_order(**one))["status"] == "CANCELED", "cancel")
    need((await client.ws_get_account())["canTrade"], "account")


async def lists_session(client):
    placed = await client.ws_create_oco_order(**OCO)
    need(placed["listOrderStatus"] == "EXECUTING", placed)
    one = {"orderListId": placed["orderListId"]}
    need((await client.ws_get_oco_order(**one))["contingencyType"] == "OCO", "query")
    need(await client.ws_get_oco_open_orders(), "open")
    need((await client.ws_cancel_oco_order(symbol=SPOT, **one))["listOrderStatus"] == "ALL_DONE", "cancel")


async def perpetual_session(client):
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    order = await client.ws_futures_create_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])
    one = {"symbol": PERPETUAL, "orderId": order["orderId"]}
    need((await client.ws_futures_get_order(**one))["status"] == "NEW", "query")
    need((await client.ws_futures_cancel_order(**one))["status"] == "CANCELED", "cancel")


async def live(key, secret):
    client = await AsyncClient.create(key, secret)
    manager = BinanceSocketManager(client)
    await step_async("streams", "trades, candles, tickers and marks of both surfaces, single and of all", lambda: streams(manager))
    await step_async("book", "spot: DepthCacheManager", lambda: spot_cache(client, manager))
    await step_async("book", "perpetual: FuturesDepthCacheManager, ten levels", lambda: perpetual_cache(client, manager))
    await step_async("user data", "spot, over the WebSocket API: orders, cancels and balances", lambda: spot_user_data(client, manager))
    await step_async("user data", "perpetual, by a listen key: orders and cancels", lambda: perpetual_user_data(client, manager))
    await step_async("orders", "spot over the WebSocket API", lambda: spot_session(client))
    await step_async("order lists", "over the WebSocket API", lambda: lists_session(client))
    await step_async("orders", "perpetual over the WebSocket API", lambda: perpetual_session(client))


def requests(client, keys):
    step("market data", f"spot, {keys}", lambda: spot_data(client))
    step("market data", f"spot candles and their history, {keys}", lambda: spot_candles(client))
    step("market data", f"perpetual, {keys}", lambda: perpetual_data(client))
    step("orders", f"spot: place, query, list, cancel, {keys}", lambda: spot_orders(client))
    step("order lists", f"OCO and OTOCO: place, query, list, cancel, {keys}", lambda: order_lists(client))
    step("orders", f"spot: unknown orders, {keys}", lambda: spot_refusals(client))
    batch = ", batch" if keys == "HMAC" else ""
    step("orders", f"perpetual: place, query{batch}, cancel, {keys}", lambda: perpetual_orders(client))
    step("orders", f"perpetual: a conditional order by algoOrder, {keys}", lambda: perpetual_conditional(client))
    step("orders", f"perpetual: an order at a level of the book, {keys}", lambda: perpetual_matched(client))
    step("fills", f"spot: a market order, its fills and balance, {keys}", lambda: spot_fills(client))
    step("fills", f"perpetual: leverage, a position opened and closed, {keys}", lambda: perpetual_position(client))
    step("account", f"account, permissions, assets, deposits and withdrawals, {keys}", lambda: spot_account(client))


requests(Client(*HMAC), "HMAC")
requests(Client(ED25519[0], private_key=open(ED25519[1]).read()), "Ed25519")
asyncio.run(live(*HMAC))
steps.finish()
