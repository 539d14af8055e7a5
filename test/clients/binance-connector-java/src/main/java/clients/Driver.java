package clients;

import static clients.Steps.need;
import static clients.Steps.step;
import static clients.Steps.until;

import com.binance.connector.client.SpotClient;
import com.binance.connector.client.impl.SpotClientImpl;
import com.binance.connector.client.impl.WebSocketApiClientImpl;
import com.binance.connector.client.impl.WebSocketStreamClientImpl;
import com.binance.connector.client.utils.signaturegenerator.Ed25519SignatureGenerator;
import com.binance.connector.client.utils.signaturegenerator.HmacSignatureGenerator;
import com.binance.connector.futures.client.impl.UMFuturesClientImpl;
import com.binance.connector.futures.client.impl.UMWebsocketClientImpl;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.json.JSONArray;
import org.json.JSONObject;

/** Binance's Java connectors, spot and USD-M futures: every client takes its address in the constructor. */
public final class Driver {
  private static final String BASE = System.getenv("BASE");
  private static final String STREAMS = BASE.replaceFirst("http", "ws");
  private static final String KEY = System.getenv("KEY");
  private static final String SECRET = System.getenv("SECRET");
  private static final String SPOT = System.getenv("SPOT");
  private static final String PERPETUAL = System.getenv("PERPETUAL");

  private Driver() {}

  private static LinkedHashMap<String, Object> of(Object... pairs) {
    LinkedHashMap<String, Object> map = new LinkedHashMap<>();
    for (int at = 0; at < pairs.length; at += 2) map.put((String) pairs[at], pairs[at + 1]);
    return map;
  }

  private static LinkedHashMap<String, Object> limit(String symbol, String quantity, String price) {
    return of("symbol", symbol, "side", "BUY", "type", "LIMIT", "timeInForce", "GTC", "quantity", quantity,
        "price", price);
  }

  private interface Refused {
    void run();
  }

  /** Returns the error code of a refusal, or 0 if there was none; both connectors expose the code in the same way. */
  private static int codeOf(Refused body) {
    try {
      body.run();
    } catch (com.binance.connector.client.exceptions.BinanceClientException refusal) {
      return refusal.getErrorCode();
    } catch (com.binance.connector.futures.client.exceptions.BinanceClientException refusal) {
      return refusal.getErrorCode();
    }
    return 0;
  }

  private static void spotData(SpotClient client) {
    var market = client.createMarket();
    need(new JSONObject(market.time()).getLong("serverTime") > 0, "time");
    need(market.exchangeInfo(of("symbol", SPOT)).contains("LOT_SIZE"), "markets");
    need(new JSONObject(market.depth(of("symbol", SPOT))).getJSONArray("bids").length() > 5, "depth");
    need(new JSONArray(market.trades(of("symbol", SPOT))).length() > 0, "trades");
    for (String interval : List.of("1m", "5m", "1d")) {
      need(new JSONArray(market.klines(of("symbol", SPOT, "interval", interval))).length() > 0, interval);
    }
    need(new JSONObject(market.ticker24H(of("symbol", SPOT))).getDouble("lastPrice") > 0, "ticker");
    need(new JSONObject(market.bookTicker(of("symbol", SPOT))).getDouble("bidPrice") > 0, "touch");
    need(new JSONObject(market.averagePrice(of("symbol", SPOT))).getDouble("price") > 0, "average");
  }

  private static void spotOrders(SpotClient client) {
    var trade = client.createTrade();
    trade.testNewOrder(limit(SPOT, "200.0", "0.1200"));
    long id = new JSONObject(trade.newOrder(limit(SPOT, "200.0", "0.1200"))).getLong("orderId");
    JSONObject order = new JSONObject(trade.getOrder(of("symbol", SPOT, "orderId", id)));
    need(order.getString("status").equals("NEW"), order);
    need(new JSONArray(trade.getOpenOrders(of("symbol", SPOT))).length() > 0, "open");
    order = new JSONObject(trade.cancelOrder(of("symbol", SPOT, "orderId", id)));
    need(order.getString("status").equals("CANCELED"), order);
    need(codeOf(() -> trade.getOrder(of("symbol", SPOT, "orderId", 999999999))) == -2013, "-2013");
    need(codeOf(() -> trade.cancelOrder(of("symbol", SPOT, "orderId", 999999999))) == -2011, "-2011");
  }

  private static void spotFills(SpotClient client) {
    var trade = client.createTrade();
    JSONObject order = new JSONObject(
        trade.newOrder(of("symbol", SPOT, "side", "BUY", "type", "MARKET", "quantity", "200.0")));
    need(order.getString("status").equals("FILLED"), order);
    long id = order.getLong("orderId");
    need(new JSONArray(trade.myTrades(of("symbol", SPOT, "orderId", id))).length() > 0, "fills");
    need(new JSONObject(trade.account(of())).getJSONArray("balances").length() > 0, "balances");
  }

  private static void perpetualData(UMFuturesClientImpl client) {
    var market = client.market();
    need(market.exchangeInfo().contains(PERPETUAL), "markets");
    need(new JSONObject(market.depth(of("symbol", PERPETUAL))).getJSONArray("bids").length() > 5, "depth");
    need(new JSONArray(market.klines(of("symbol", PERPETUAL, "interval", "1m"))).length() > 0, "candles");
    need(new JSONObject(market.markPrice(of("symbol", PERPETUAL))).getDouble("markPrice") > 0, "mark");
    need(new JSONObject(market.openInterest(of("symbol", PERPETUAL))).getDouble("openInterest") > 0, "interest");
  }

  private static void perpetualOrders(UMFuturesClientImpl client) {
    var account = client.account();
    long id = new JSONObject(account.newOrder(limit(PERPETUAL, "0.010", "50000.00"))).getLong("orderId");
    JSONObject order = new JSONObject(account.queryOrder(of("symbol", PERPETUAL, "orderId", id)));
    need(order.getString("status").equals("NEW"), order);
    order = new JSONObject(account.cancelOrder(of("symbol", PERPETUAL, "orderId", id)));
    need(order.getString("status").equals("CANCELED"), order);
    account.newOrder(limit(PERPETUAL, "0.010", "50000.00"));
    account.cancelAllOpenOrders(of("symbol", PERPETUAL));
    need(new JSONArray(account.currentAllOpenOrders(of("symbol", PERPETUAL))).isEmpty(), "all canceled");
    need(codeOf(() -> account.queryOrder(of("symbol", PERPETUAL, "orderId", 999999999))) == -2013, "-2013");
    need(codeOf(() -> account.cancelOrder(of("symbol", PERPETUAL, "orderId", 999999999))) == -2011, "-2011");
  }

  private static void perpetualFills(UMFuturesClientImpl client) {
    var account = client.account();
    account.changeInitialLeverage(of("symbol", PERPETUAL, "leverage", 5));
    account.newOrder(of("symbol", PERPETUAL, "side", "BUY", "type", "MARKET", "quantity", "0.010"));
    JSONArray held = new JSONArray(account.positionInformation(of("symbol", PERPETUAL)));
    need(held.getJSONObject(0).getDouble("positionAmt") == 0.01, held);
    need(new JSONArray(account.accountTradeList(of("symbol", PERPETUAL))).length() > 0, "fills");
    account.newOrder(
        of("symbol", PERPETUAL, "side", "SELL", "type", "MARKET", "quantity", "0.010", "reduceOnly", "true"));
    need(new JSONArray(account.futuresAccountBalance(of())).length() > 0, "balance");
  }

  private static void spotStreams() throws Exception {
    var client = new WebSocketStreamClientImpl(STREAMS);
    Set<String> heard = ConcurrentHashMap.newKeySet();
    List<Integer> open = List.of(
        client.tradeStream(SPOT, text -> heard.add("trade")),
        client.aggTradeStream(SPOT, text -> heard.add("aggTrade")),
        client.klineStream(SPOT, "5m", text -> heard.add("kline")),
        client.symbolTicker(SPOT, text -> heard.add("ticker")),
        client.allTickerStream(text -> heard.add("all tickers")),
        client.bookTicker(SPOT, text -> heard.add("touch")),
        client.partialDepthStream(SPOT, 20, 100, text -> heard.add("depth20")));
    try {
      until("every stream", () -> heard.size() == 7);
    } catch (IllegalStateException silent) {
      throw new IllegalStateException("heard only " + heard);
    } finally {
      // Close one by one: closing all at once would also end the threads that later connections use.
      open.forEach(client::closeConnection);
    }
  }

  private static void perpetualStreams() throws Exception {
    var client = new UMWebsocketClientImpl(STREAMS);
    Set<String> heard = ConcurrentHashMap.newKeySet();
    List<Integer> open = List.of(
        client.aggTradeStream(PERPETUAL, text -> heard.add("aggTrade")),
        client.markPriceStream(PERPETUAL, 1, text -> heard.add("mark")),
        client.klineStream(PERPETUAL, "5m", text -> heard.add("kline")),
        client.continuousKlineStream(PERPETUAL, "perpetual", "1m", text -> heard.add("continuous kline")),
        client.allTickerStream(text -> heard.add("all tickers")),
        client.bookTicker(PERPETUAL, text -> heard.add("touch")),
        client.allMarkPriceStream(1, text -> heard.add("all marks")));
    try {
      until("every stream", () -> heard.size() == 7);
    } catch (IllegalStateException silent) {
      throw new IllegalStateException("heard only " + heard);
    } finally {
      // Close one by one: closing all at once would also end the threads that later connections use.
      open.forEach(client::closeConnection);
    }
  }

  private static void spotBook(SpotClient client) throws Exception {
    var streams = new WebSocketStreamClientImpl(STREAMS);
    var book = new Steps.Book(false);
    int open = streams.diffDepthStream(SPOT, 100, text -> book.take(new JSONObject(text)));
    var market = client.createMarket();
    until("an update", book::hasHeard);
    book.start(new JSONObject(market.depth(of("symbol", SPOT, "limit", 1000))));
    book.same(() -> new JSONObject(market.depth(of("symbol", SPOT, "limit", 100))));
    streams.closeConnection(open);
  }

  private static void perpetualBook(UMFuturesClientImpl client) throws Exception {
    var streams = new UMWebsocketClientImpl(STREAMS);
    var book = new Steps.Book(true);
    int open = streams.diffDepthStream(PERPETUAL, 100, text -> book.take(new JSONObject(text)));
    until("an update", book::hasHeard);
    book.start(new JSONObject(client.market().depth(of("symbol", PERPETUAL, "limit", 1000))));
    book.same(() -> new JSONObject(client.market().depth(of("symbol", PERPETUAL, "limit", 100))));
    streams.closeConnection(open);
  }

  private static void spotUserData(SpotClient client) throws Exception {
    String listenKey = new JSONObject(client.createUserData().createListenKey()).getString("listenKey");
    var streams = new WebSocketStreamClientImpl(STREAMS);
    Set<String> told = ConcurrentHashMap.newKeySet();
    Set<String> open = ConcurrentHashMap.newKeySet();
    int stream = streams.listenUserStream(listenKey, response -> open.add("open"), text -> {
      JSONObject event = new JSONObject(text);
      if (event.getString("e").equals("executionReport")) told.add(event.getString("x") + event.getLong("i"));
    }, (code, reason) -> {}, (code, reason) -> {}, (fault, response) -> {});
    until("the stream is open", () -> !open.isEmpty());
    var trade = client.createTrade();
    long id = new JSONObject(trade.newOrder(limit(SPOT, "200.0", "0.1200"))).getLong("orderId");
    trade.cancelOrder(of("symbol", SPOT, "orderId", id));
    until("reports of the order and its cancel", () -> told.containsAll(Set.of("NEW" + id, "CANCELED" + id)));
    client.createUserData().extendListenKey(of("listenKey", listenKey));
    streams.closeConnection(stream);
  }

  private static void perpetualUserData(UMFuturesClientImpl client) throws Exception {
    String listenKey = new JSONObject(client.userData().createListenKey()).getString("listenKey");
    var streams = new UMWebsocketClientImpl(STREAMS);
    Set<String> told = ConcurrentHashMap.newKeySet();
    Set<String> open = ConcurrentHashMap.newKeySet();
    int stream = streams.listenUserStream(listenKey, text -> open.add("open"), text -> {
      JSONObject event = new JSONObject(text);
      JSONObject order = event.optJSONObject("o");
      if (order != null) told.add(order.getString("x") + order.getLong("i"));
    }, text -> {}, text -> {});
    until("the stream is open", () -> !open.isEmpty());
    var account = client.account();
    long id = new JSONObject(account.newOrder(limit(PERPETUAL, "0.010", "50000.00"))).getLong("orderId");
    account.cancelOrder(of("symbol", PERPETUAL, "orderId", id));
    until("reports of the order and its cancel", () -> told.containsAll(Set.of("NEW" + id, "CANCELED" + id)));
    client.userData().extendListenKey();
    streams.closeConnection(stream);
  }

  private static void session() throws Exception {
    var client = new WebSocketApiClientImpl(KEY, new HmacSignatureGenerator(SECRET), STREAMS + "/ws-api/v3");
    var answers = new LinkedBlockingQueue<String>();
    client.connect(answers::add);
    var terms = new JSONObject().put("timeInForce", "GTC").put("quantity", "200.0").put("price", "0.1200");
    client.trade().newOrder(SPOT, "BUY", "LIMIT", terms);
    JSONObject placed = new JSONObject(answers.poll(20, TimeUnit.SECONDS));
    need(placed.getInt("status") == 200, placed);
    long id = placed.getJSONObject("result").getLong("orderId");
    client.trade().cancelOrder(SPOT, new JSONObject().put("orderId", id));
    JSONObject canceled = new JSONObject(answers.poll(20, TimeUnit.SECONDS));
    need(canceled.getJSONObject("result").getString("status").equals("CANCELED"), canceled);
    client.close();
  }

  public static void main(String[] words) {
    String ed25519 = System.getenv("ED25519_KEY");
    var byHmac = new SpotClientImpl(KEY, SECRET, BASE);
    SpotClient byEd25519;
    try {
      var signs = new Ed25519SignatureGenerator(System.getenv("ED25519_FILE"));
      byEd25519 = new SpotClientImpl(ed25519, signs, BASE);
    } catch (java.io.IOException unreadable) {
      throw new IllegalStateException(unreadable);
    }
    var usdm = new UMFuturesClientImpl(KEY, SECRET, BASE);
    for (var each : List.of(byHmac, byEd25519)) {
      String keys = each == byHmac ? "HMAC" : "Ed25519";
      step("market data", "spot, " + keys, () -> spotData(each));
      step("orders", "spot: place, query, cancel, unknown orders, " + keys, () -> spotOrders(each));
      step("fills", "spot: a market order, its fills, the account, " + keys, () -> spotFills(each));
    }
    step("market data", "USD-M", () -> perpetualData(usdm));
    step("orders", "USD-M: place, query, cancel, unknown orders", () -> perpetualOrders(usdm));
    step("orders", "spot over the WebSocket API", Driver::session);
    step("fills", "USD-M: leverage, a position opened and closed", () -> perpetualFills(usdm));
    step("streams", "spot: trades, candles, tickers, touch, depth", Driver::spotStreams);
    step("streams", "USD-M: trades, marks, candles, tickers, touch", Driver::perpetualStreams);
    step("book", "spot: from its diff depth", () -> spotBook(byHmac));
    step("book", "USD-M: from its diff depth", () -> perpetualBook(usdm));
    step("user data", "spot, by a listen key", () -> spotUserData(byHmac));
    step("user data", "USD-M, by a listen key", () -> perpetualUserData(usdm));
    System.out.println("{\"outside\":[]}");
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
