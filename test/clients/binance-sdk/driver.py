# Binance's own SDKs for Python, spot and USD-M futures: requests, the WebSocket API and streams, all pointed at
# the venue by the constructors' addresses. They keep no book; the driver builds one from their depth events.

import asyncio

import steps
from binance_common.configuration import (
    ConfigurationRestAPI,
    ConfigurationWebSocketAPI,
    ConfigurationWebSocketStreams,
)
from binance_common.errors import ClientError
from binance_sdk_derivatives_trading_usds_futures.derivatives_trading_usds_futures import (
    DerivativesTradingUsdsFutures,
)
from binance_sdk_spot.spot import Spot
from steps import BASE, ED25519, HMAC, PERPETUAL, SPOT, WS, DiffBook, need, same_book_async, step, step_async

FAR = {SPOT: 0.12, PERPETUAL: 50_000}
SIZE = {SPOT: 200, PERPETUAL: 0.01}


def made(kind, api, session, streams, key, secret=None, private_key=None):
    own = {"api_key": key, "api_secret": secret, "private_key": private_key}
    return kind(
        config_rest_api=ConfigurationRestAPI(**own, base_path=BASE, timeout=10_000),
        config_ws_api=ConfigurationWebSocketAPI(**own, stream_url=WS + session),
        config_ws_streams=ConfigurationWebSocketStreams(stream_url=WS + streams),
    )


def spot_client(*keys):
    return made(Spot, "/api", "/ws-api/v3", "/stream", *keys)


def perpetual_client(*keys):
    return made(DerivativesTradingUsdsFutures, "/fapi", "/ws-fapi/v1", "/stream", *keys)


def rows(answer):
    """Unwraps an answer: the SDK wraps lists and alternatives in models of one value."""
    while hasattr(answer, "actual_instance") and answer.actual_instance is not None:
        answer = answer.actual_instance
    while hasattr(answer, "root"):
        answer = answer.root
    return answer


def plain(answer):
    return rows(answer.data())


def levels(book):
    """Returns a depth answer in the form in which the route sends it."""
    side = lambda its: [list(rows(row)) for row in rows(its)]
    return {"lastUpdateId": book.last_update_id, "bids": side(book.bids), "asks": side(book.asks)}


def words_of(body):
    """Returns the message of a refusal: the SDK exposes only the message and the status."""
    try:
        body()
    except ClientError as error:
        return error.error_message
    raise AssertionError("the venue must refuse the request")


def spot_data(api):
    api.ping()
    need(plain(api.time()).server_time > 0, "time")
    need(plain(api.exchange_info(symbol=SPOT)).symbols, "markets")
    need(len(levels(plain(api.depth(symbol=SPOT)))["bids"]) > 5, "depth")
    need(plain(api.get_trades(symbol=SPOT)), "trades")
    need(plain(api.agg_trades(symbol=SPOT)), "aggregate trades")
    for interval in ("1m", "5m", "1d"):
        need(plain(api.klines(symbol=SPOT, interval=interval)), interval)
    need(plain(api.ticker24hr(symbol=SPOT)).last_price, "ticker")
    need(plain(api.ticker_price(symbol=SPOT)).price, "price")
    need(plain(api.ticker_book_ticker(symbol=SPOT)).bid_price, "touch")
    need(plain(api.avg_price(symbol=SPOT)).price, "average price")


def spot_orders(api):
    terms = {"symbol": SPOT, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    api.order_test(**terms, quantity=SIZE[SPOT], price=FAR[SPOT])
    order_id = plain(api.new_order(**terms, quantity=SIZE[SPOT], price=FAR[SPOT])).order_id
    need(plain(api.get_order(symbol=SPOT, order_id=order_id)).status == "NEW", "query")
    need(order_id in [row.order_id for row in plain(api.get_open_orders(symbol=SPOT))], "open")
    need(order_id in [row.order_id for row in plain(api.all_orders(symbol=SPOT))], "all")
    need(plain(api.delete_order(symbol=SPOT, order_id=order_id)).status == "CANCELED", "cancel")
    api.new_order(**terms, quantity=SIZE[SPOT], price=FAR[SPOT])
    api.delete_open_orders(symbol=SPOT)
    need(not plain(api.get_open_orders(symbol=SPOT)), "all canceled")
    need(words_of(lambda: api.get_order(symbol=SPOT, order_id=999_999_999)) == "Order does not exist.", "query of an unknown order")
    need(words_of(lambda: api.delete_order(symbol=SPOT, order_id=999_999_999)) == "Unknown order sent.", "cancel of one")


def spot_fills(api):
    order = plain(api.new_order(symbol=SPOT, side="BUY", type="MARKET", quantity=SIZE[SPOT]))
    need(order.status == "FILLED" and order.fills, order)
    fills = plain(api.my_trades(symbol=SPOT, order_id=order.order_id))
    need(sum(float(row.qty) for row in fills) == SIZE[SPOT], fills)
    need(plain(api.get_account()).balances, "balances")
    need(plain(api.rate_limit_order()), "order counts")
    need(plain(api.account_commission(symbol=SPOT)).standard_commission, "commission")


def perpetual_data(api):
    api.test_connectivity()
    need(plain(api.exchange_information()).symbols, "markets")
    need(len(levels(plain(api.order_book(symbol=PERPETUAL)))["bids"]) > 5, "depth")
    need(plain(api.recent_trades_list(symbol=PERPETUAL)), "trades")
    need(plain(api.kline_candlestick_data(symbol=PERPETUAL, interval="1m", limit=5)), "candles")
    need(plain(api.mark_price(symbol=PERPETUAL)).mark_price, "mark")
    need(plain(api.ticker24hr_price_change_statistics(symbol=PERPETUAL)).last_price, "ticker")
    need(plain(api.open_interest(symbol=PERPETUAL)).open_interest, "open interest")
    api.get_funding_rate_history(symbol=PERPETUAL)


def perpetual_orders(api):
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    order_id = plain(api.new_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])).order_id
    need(plain(api.query_order(symbol=PERPETUAL, order_id=order_id)).status == "NEW", "query")
    api.modify_order(
        symbol=PERPETUAL, side="BUY", order_id=order_id, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL] + 10
    )
    need(plain(api.current_all_open_orders(symbol=PERPETUAL)), "open")
    need(plain(api.cancel_order(symbol=PERPETUAL, order_id=order_id)).status == "CANCELED", "cancel")
    api.new_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])
    api.cancel_all_open_orders(symbol=PERPETUAL)
    need(not plain(api.current_all_open_orders(symbol=PERPETUAL)), "all canceled")
    need(words_of(lambda: api.query_order(symbol=PERPETUAL, order_id=999_999_999)) == "Order does not exist.", "query of an unknown order")
    need(words_of(lambda: api.cancel_order(symbol=PERPETUAL, order_id=999_999_999)) == "Unknown order sent.", "cancel of one")


def perpetual_fills(api):
    terms = {"symbol": PERPETUAL, "type": "MARKET", "quantity": SIZE[PERPETUAL]}
    need(plain(api.change_initial_leverage(symbol=PERPETUAL, leverage=5)).leverage == 5, "leverage")
    api.new_order(**terms, side="BUY", new_order_resp_type="RESULT")
    (held,) = plain(api.position_information_v3(symbol=PERPETUAL))
    need(float(held.position_amt) == SIZE[PERPETUAL], held)
    need(plain(api.account_trade_list(symbol=PERPETUAL)), "fills")
    api.new_order(**terms, side="SELL", reduce_only="true")
    need(plain(api.account_information_v3()).assets, "account")
    need(plain(api.futures_account_balance_v3()), "balance")


async def first(stream, holds, seconds=30):
    """The first message of a subscription for which `holds` is true."""
    heard = asyncio.get_running_loop().create_future()

    def take(message):
        if not heard.done() and holds(message):
            heard.set_result(message)

    stream.on("message", take)
    return await asyncio.wait_for(heard, seconds)


async def spot_streams(client):
    connection = await client.websocket_streams.create_connection()
    some = [
        connection.trade(symbol=SPOT.lower()),
        connection.agg_trade(symbol=SPOT.lower()),
        connection.kline(symbol=SPOT.lower(), interval="5m"),
        connection.ticker(symbol=SPOT.lower()),
        connection.mini_ticker(symbol=SPOT.lower()),
        connection.book_ticker(symbol=SPOT.lower()),
        connection.partial_book_depth(symbol=SPOT.lower(), levels="5"),
        connection.avg_price(symbol=SPOT.lower()),
        connection.all_mini_ticker(),
    ]
    for awaited in some:
        await first(await awaited, lambda one: True)
    await connection.close_connection(close_session=True)


async def perpetual_streams(client):
    connection = await client.websocket_streams.create_connection()
    name = PERPETUAL.lower()
    some = [
        connection.aggregate_trade_streams(symbol=name),
        connection.kline_candlestick_streams(symbol=name, interval="5m"),
        connection.mark_price_stream(symbol=name),
        connection.individual_symbol_ticker_streams(symbol=name),
        connection.individual_symbol_book_ticker_streams(symbol=name),
        connection.mark_price_stream_for_all_market(),
        connection.all_market_tickers_streams(),
    ]
    for awaited in some:
        await first(await awaited, lambda one: True)
    await connection.close_connection(close_session=True)


async def book(client, symbol):
    connection = await client.websocket_streams.create_connection()
    is_perpetual = symbol == PERPETUAL
    kept = DiffBook(is_perpetual)

    def take(event):
        side = lambda its: [list(rows(row)) for row in rows(its) or []]
        update = {"U": event.U, "u": event.u, "b": side(event.b), "a": side(event.a)}
        kept.take({**update, "pu": getattr(event, "pu", None)})

    diff = connection.diff_book_depth_streams if is_perpetual else connection.diff_book_depth
    (await diff(symbol=symbol.lower(), update_speed="100ms")).on("message", take)
    api = client.rest_api
    ask = api.order_book if is_perpetual else api.depth

    async def venue(limit=100):
        return levels(plain(await asyncio.to_thread(ask, symbol=symbol, limit=limit)))

    while not kept.waiting:
        await asyncio.sleep(0.1)
    kept.start(await venue(1000))
    await same_book_async(kept.sides, venue, asyncio.sleep)
    await connection.close_connection(close_session=True)


async def spot_session(client):
    """Places, queries and cancels an order over the WebSocket API; the client signs each request."""
    session = await client.websocket_api.create_connection()
    need((await session.time()).data(), "time")
    terms = {"symbol": SPOT, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    placed = await session.order_place(**terms, quantity=SIZE[SPOT], price=FAR[SPOT])
    order_id = placed.data().result.order_id
    need((await session.order_status(symbol=SPOT, order_id=order_id)).data().result.status == "NEW", "query")
    await session.order_cancel(symbol=SPOT, order_id=order_id)
    need((await session.account_status()).data().result.balances, "balances")
    await session.close_connection(close_session=True)


async def spot_user_data(client, by_logon):
    session = await client.websocket_api.create_connection()
    if by_logon:
        await session.session_logon()
        answer = await session.user_data_stream_subscribe()
    else:
        answer = await session.user_data_stream_subscribe_signature()
    heard = []
    answer.stream.on("message", lambda event: heard.append(rows(event)))
    api = client.rest_api
    terms = {"symbol": SPOT, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    order_id = plain(api.new_order(**terms, quantity=SIZE[SPOT], price=FAR[SPOT])).order_id
    api.delete_order(symbol=SPOT, order_id=order_id)
    told = lambda: {getattr(one, "x", None) for one in heard if getattr(one, "i", None) == order_id}
    for _ in range(200):
        if told() >= {"NEW", "CANCELED"}:
            break
        await asyncio.sleep(0.05)
    need(told() >= {"NEW", "CANCELED"}, f"reported only {told()}; received {[str(one)[:200] for one in heard]}")
    await session.user_data_stream_unsubscribe()
    await session.close_connection(close_session=True)


async def perpetual_session(client):
    session = await client.websocket_api.create_connection()
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    placed = await session.new_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])
    order_id = placed.data().result.order_id
    answer = await session.query_order(symbol=PERPETUAL, order_id=order_id)
    need(answer.data().result.status == "NEW", "query")
    await session.cancel_order(symbol=PERPETUAL, order_id=order_id)
    need((await session.futures_account_balance_v2()).data().result, "balance")
    await session.close_connection(close_session=True)


async def perpetual_user_data(client):
    api = client.rest_api
    key = plain(api.start_user_data_stream()).listen_key
    connection = await client.websocket_streams.create_connection()
    heard = []
    (await connection.user_data(key)).on("message", lambda event: heard.append(rows(event)))
    await asyncio.sleep(1)
    terms = {"symbol": PERPETUAL, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC"}
    order_id = plain(api.new_order(**terms, quantity=SIZE[PERPETUAL], price=FAR[PERPETUAL])).order_id
    api.cancel_order(symbol=PERPETUAL, order_id=order_id)
    mine = lambda: [one.o for one in heard if getattr(one, "o", None) is not None]
    told = lambda: {order.x for order in mine() if order.i == order_id}
    for _ in range(200):
        if told() >= {"NEW", "CANCELED"}:
            break
        await asyncio.sleep(0.05)
    need(told() >= {"NEW", "CANCELED"}, f"reported only {told()}; received {[str(one)[:200] for one in heard]}")
    api.keepalive_user_data_stream()
    await connection.close_connection(close_session=True)


async def live():
    by_hmac, by_ed25519 = spot_client(*HMAC), spot_client(ED25519[0], None, ED25519[1])
    usdm = perpetual_client(*HMAC)
    await step_async("streams", "spot: trades, candles, tickers, touch, depth", lambda: spot_streams(by_hmac))
    await step_async("streams", "USD-M: trades, candles, marks, tickers, touch", lambda: perpetual_streams(usdm))
    await step_async("book", "spot: from its diff depth", lambda: book(by_hmac, SPOT))
    await step_async("book", "USD-M: from its diff depth", lambda: book(usdm, PERPETUAL))
    await step_async("orders", "spot over the WebSocket API", lambda: spot_session(by_hmac))
    await step_async("orders", "USD-M over the WebSocket API", lambda: perpetual_session(usdm))
    await step_async("user data", "spot, by a signed subscription", lambda: spot_user_data(by_hmac, False))
    await step_async("user data", "spot, by a session that logs on", lambda: spot_user_data(by_ed25519, True))
    await step_async("user data", "USD-M, by a listen key", lambda: perpetual_user_data(usdm))


for keys, own in (("HMAC", HMAC), ("Ed25519", (ED25519[0], None, ED25519[1]))):
    spot, usdm = spot_client(*own).rest_api, perpetual_client(*own).rest_api
    step("market data", f"spot, {keys}", lambda: spot_data(spot))
    step("market data", f"USD-M, {keys}", lambda: perpetual_data(usdm))
    step("orders", f"spot: place, query, cancel, unknown orders, {keys}", lambda: spot_orders(spot))
    step("orders", f"USD-M: place, modify, cancel, unknown orders, {keys}", lambda: perpetual_orders(usdm))
    step("fills", f"spot: a market order, its fills and balances, {keys}", lambda: spot_fills(spot))
    step("fills", f"USD-M: leverage, a position opened and closed, {keys}", lambda: perpetual_fills(usdm))
asyncio.run(live())
steps.finish()
