# ccxt and ccxt.pro of Python, spot (binance) and perpetuals (binanceusdm): requests by the synchronous and
# the asynchronous client, streams, local books and user data by ccxt.pro. Every address is a setting.

import asyncio
import time

import ccxt
import ccxt.async_support
import ccxt.pro
import steps
from steps import BASE, ED25519, HMAC, WS, need, same_book_async, step, step_async

SPOT, PERPETUAL = "CC/USDC", "BTC/USDT:USDT"
FAR = {SPOT: 0.12, PERPETUAL: 50_000}
SIZE = {SPOT: 200, PERPETUAL: 0.01}


def moved(address):
    """Replaces Binance by the venue in an address or a table of addresses."""
    if isinstance(address, dict):
        return {name: moved(one) for name, one in address.items()}
    scheme, _, rest = address.split("/", 2)
    return (WS if scheme == "wss:" else BASE) + "/" + rest.split("/", 1)[1]


def made(kind, key, secret):
    """A client whose addresses are all the venue's."""
    client = kind({"apiKey": key, "secret": secret, "rateLimit": 50})
    if kind.__name__ == "binance":
        client.options["fetchMarkets"] = {"types": ["spot"]}
    client.urls["api"] = moved(client.urls["api"])
    return client


def market_data(client, symbol):
    client.load_markets()
    need(client.market(symbol)["precision"]["price"], "precision")
    need(abs(client.fetch_time() - time.time() * 1000) < 5000, "time")
    need(len(client.fetch_order_book(symbol)["bids"]) > 5, "depth")
    need(client.fetch_trades(symbol), "trades")
    need(client.fetch_ticker(symbol)["last"] > 0, "ticker")
    need(symbol in client.fetch_tickers() and symbol in client.fetch_bids_asks(), "tickers")
    need(client.fetch_ohlcv(symbol, "1m"), "candles")
    need(client.fetch_status()["status"] == "ok" if symbol == SPOT else True, "status")


def perpetual_data(client):
    need(client.fetch_funding_rate(PERPETUAL)["markPrice"] > 0, "funding rate")
    need(client.fetch_open_interest(PERPETUAL)["openInterestAmount"] > 0, "open interest")
    client.fetch_funding_rate_history(PERPETUAL)
    need(client.fetch_leverage_tiers([PERPETUAL])[PERPETUAL], "leverage tiers")


def refused(body, kind):
    try:
        body()
    except kind:
        return
    raise AssertionError(f"the call must raise {kind.__name__}")


def orders(client, symbol):
    order = client.create_order(symbol, "limit", "buy", SIZE[symbol], FAR[symbol])
    need(client.fetch_order(order["id"], symbol)["status"] == "open", order)
    need(order["id"] in [row["id"] for row in client.fetch_open_orders(symbol)], "open")
    changed = client.edit_order(order["id"], symbol, "limit", "buy", SIZE[symbol], FAR[symbol] * 1.01)
    need(client.fetch_order(changed["id"], symbol)["price"] > FAR[symbol], "edit")
    client.cancel_order(changed["id"], symbol)
    need(client.fetch_order(changed["id"], symbol)["status"] == "canceled", "canceled")
    client.create_order(symbol, "limit", "buy", SIZE[symbol], FAR[symbol])
    client.cancel_all_orders(symbol)
    need(client.fetch_open_orders(symbol) == [], "all canceled")
    need(client.fetch_orders(symbol), "history")
    refused(lambda: client.fetch_order("999999999", symbol), ccxt.OrderNotFound)
    refused(lambda: client.cancel_order("999999999", symbol), ccxt.OrderNotFound)
    refused(lambda: client.create_order(symbol, "limit", "buy", 10_000_000, FAR[symbol]), ccxt.BaseError)


def order_lists(client):
    symbol = client.market(SPOT)["id"]
    above = {"aboveType": "LIMIT_MAKER", "abovePrice": "0.4000"}
    below = {"belowType": "STOP_LOSS_LIMIT", "belowStopPrice": "0.0600", "belowPrice": "0.0590", "belowTimeInForce": "GTC"}
    terms = {"symbol": symbol, "side": "SELL", "quantity": SIZE[SPOT]}
    placed = client.private_post_orderlist_oco({**terms, **above, **below})
    need(placed["contingencyType"] == "OCO" and len(placed["orderReports"]) == 2, placed)
    one = {"orderListId": placed["orderListId"]}
    need(client.private_get_orderlist(one)["listOrderStatus"] == "EXECUTING", "query")
    need(one["orderListId"] in [row["orderListId"] for row in client.private_get_openorderlist()], "open")
    gone = client.private_delete_orderlist({"symbol": symbol, **one})
    need(gone["listOrderStatus"] == "ALL_DONE", gone)


def spot_fills(client):
    before = client.fetch_balance()["CC"]["total"]
    order = client.create_order(SPOT, "market", "buy", SIZE[SPOT])
    need(client.fetch_order(order["id"], SPOT)["filled"] == SIZE[SPOT], order)
    need(client.fetch_my_trades(SPOT), "fills")
    after = client.fetch_balance()["CC"]["total"]
    need(0 < after - before <= SIZE[SPOT], f"{before} {after}")
    client.fetch_trading_fees()


def perpetual_fills(client):
    client.set_leverage(5, PERPETUAL)
    client.create_order(PERPETUAL, "market", "buy", SIZE[PERPETUAL])
    (held,) = client.fetch_positions([PERPETUAL])
    need(held["contracts"] == SIZE[PERPETUAL] and held["side"] == "long", held)
    need(client.fetch_my_trades(PERPETUAL), "fills")
    client.create_order(PERPETUAL, "market", "sell", SIZE[PERPETUAL], None, {"reduceOnly": True})
    need(client.fetch_positions([PERPETUAL]) == [], "closed")
    need(client.fetch_balance()["USDT"]["total"] > 0, "balance")
    stop = client.create_order(PERPETUAL, "market", "sell", SIZE[PERPETUAL], None, {"stopLossPrice": 30_000})
    client.cancel_order(stop["id"], PERPETUAL, {"trigger": True})


async def soon(awaited):
    return await asyncio.wait_for(awaited, 40)


async def streams(client, symbol):
    need((await soon(client.watch_ticker(symbol)))["last"] > 0, "ticker")
    need(await soon(client.watch_trades(symbol)), "trades")
    need(await soon(client.watch_ohlcv(symbol, "1m")), "candles of a minute")
    need(await soon(client.watch_ohlcv(symbol, "5m")), "candles of five minutes")
    need((await soon(client.watch_bids_asks([symbol])))[symbol]["bid"] > 0, "touch")
    need(await soon(client.watch_tickers([symbol])), "tickers")
    need(await soon(client.watch_tickers()), "all tickers")


async def perpetual_streams(client):
    await streams(client, PERPETUAL)
    need((await soon(client.watch_mark_price(PERPETUAL)))["markPrice"] > 0, "mark price")
    need(await soon(client.watch_mark_prices()), "all mark prices")


async def book(client, symbol):
    book = await soon(client.watch_order_book(symbol))

    async def follow():
        while True:
            await client.watch_order_book(symbol)

    following = asyncio.create_task(follow())
    venue = client.public_get_depth if symbol == SPOT else client.fapipublic_get_depth
    name = client.market(symbol)["id"]
    ask = lambda: venue({"symbol": name, "limit": 100})
    await same_book_async(lambda: (book["bids"], book["asks"]), ask, asyncio.sleep)
    following.cancel()


async def user_data(client, symbol):
    heard = []

    async def listen():
        while True:
            heard.extend(await client.watch_orders(symbol))

    listening = asyncio.create_task(listen())
    balance = asyncio.create_task(client.watch_balance())
    await asyncio.sleep(2)
    order = await client.create_order(symbol, "limit", "buy", SIZE[symbol], FAR[symbol])
    await told(heard, order["id"], "open")
    await client.cancel_order(order["id"], symbol)
    await told(heard, order["id"], "canceled")
    filling = asyncio.create_task(client.watch_my_trades(symbol))
    await asyncio.sleep(0.5)
    order = await client.create_order(symbol, "market", "buy", SIZE[symbol])
    need(await soon(filling), "fills must be reported")
    await told(heard, order["id"], "closed")
    need(await soon(balance), "the balance must be reported")
    if symbol == PERPETUAL:
        await client.create_order(symbol, "market", "sell", SIZE[symbol], None, {"reduceOnly": True})
    listening.cancel()


async def told(heard, order_id, status):
    for _ in range(400):
        if any(row["id"] == order_id and row["status"] == status for row in heard):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"not reported in time: {status} of order {order_id}")


async def session(client, symbol):
    order = await client.create_order_ws(symbol, "limit", "buy", SIZE[symbol], FAR[symbol])
    need((await client.fetch_order_ws(order["id"], symbol))["status"] == "open", order)
    await client.cancel_order_ws(order["id"], symbol)
    need((await client.fetch_balance_ws())["info"], "balance")


async def live():
    for symbol, kind in ((SPOT, ccxt.pro.binance), (PERPETUAL, ccxt.pro.binanceusdm)):
        client = made(kind, *HMAC)
        await client.load_markets()
        name = kind.__name__
        if symbol == SPOT:
            await step_async("streams", f"{name}: tickers, trades, candles, touch", lambda: streams(client, symbol))
        else:
            await step_async("streams", f"{name}: tickers, trades, candles, touch, marks", lambda: perpetual_streams(client))
        await step_async("book", f"{name}: watch_order_book", lambda: book(client, symbol))
        await step_async("user data", f"{name}: orders, fills and balance", lambda: user_data(client, symbol))
        await step_async("orders", f"{name}: over the WebSocket API", lambda: session(client, symbol))
        await client.close()


for keys, (key, secret) in (("HMAC", HMAC), ("Ed25519", (ED25519[0], open(ED25519[1]).read()))):
    spot, usdm = made(ccxt.binance, key, secret), made(ccxt.binanceusdm, key, secret)
    step("market data", f"binance, {keys}", lambda: market_data(spot, SPOT))
    step("market data", f"binanceusdm, {keys}", lambda: market_data(usdm, PERPETUAL))
    step("market data", f"binanceusdm: funding, open interest, brackets, {keys}", lambda: perpetual_data(usdm))
    step("orders", f"binance: place, query, edit, cancel, unknown orders, {keys}", lambda: orders(spot, SPOT))
    step("orders", f"binanceusdm: place, query, edit, cancel, unknown orders, {keys}", lambda: orders(usdm, PERPETUAL))
    step("order lists", f"binance: an OCO: place, query, cancel, {keys}", lambda: order_lists(spot))
    step("fills", f"binance: a market order, its fills and balance, {keys}", lambda: spot_fills(spot))
    step("fills", f"binanceusdm: leverage, a position, a stop, {keys}", lambda: perpetual_fills(usdm))
asyncio.run(live())
steps.finish()
