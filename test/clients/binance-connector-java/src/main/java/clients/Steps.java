package clients;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.json.JSONArray;
import org.json.JSONObject;

/**
 * Steps of a driver in Java: each is one line of JSON with the feature it proves, printed whether it passed or not.
 * Also a local book by Binance's documented procedure, since these clients have none, and its comparison.
 */
final class Steps {
  private static final int BOOK_SECONDS = 60;
  private static final int SAME_BOOKS = 4;
  private static final int LEVELS = 100;

  private Steps() {}

  interface Body {
    void run() throws Exception;
  }

  static void step(String feature, String name, Body body) {
    String error = "";
    try {
      body.run();
    } catch (Throwable fault) {
      error = fault.getClass().getSimpleName() + ": " + fault.getMessage();
    }
    System.out.println("{\"feature\":" + JSONObject.quote(feature) + ",\"name\":" + JSONObject.quote(name)
        + ",\"error\":" + JSONObject.quote(error) + "}");
  }

  static void need(boolean holds, Object words) {
    if (!holds) throw new IllegalStateException(String.valueOf(words));
  }

  static void until(String what, Callable<Boolean> holds) throws Exception {
    long end = System.currentTimeMillis() + 30_000;
    while (!holds.call()) {
      need(System.currentTimeMillis() < end, "timed out while waiting for: " + what);
      Thread.sleep(20);
    }
  }

  /** A book built from diff depth events, of spot or of perpetuals. */
  static final class Book {
    private final boolean isPerpetual;
    private final Map<Double, Double> bids = new TreeMap<>(Comparator.reverseOrder());
    private final Map<Double, Double> asks = new TreeMap<>();
    private final List<JSONObject> waiting = new ArrayList<>();
    private long last = -1;
    private boolean isFirst = true;

    Book(boolean isPerpetual) {
      this.isPerpetual = isPerpetual;
    }

    synchronized void take(JSONObject event) {
      if (last < 0) waiting.add(event);
      else apply(event);
    }

    synchronized boolean hasHeard() {
      return !waiting.isEmpty();
    }

    synchronized void start(JSONObject snapshot) {
      put(bids, snapshot.getJSONArray("bids"));
      put(asks, snapshot.getJSONArray("asks"));
      last = snapshot.getLong("lastUpdateId");
      waiting.forEach(this::apply);
    }

    private void apply(JSONObject event) {
      if (isFirst && event.getLong("u") <= last) return;
      long before = isPerpetual ? event.getLong("pu") : event.getLong("U") - 1;
      need(isFirst ? event.getLong("U") <= last + 1 : before == last, "an update is missing before " + event);
      isFirst = false;
      last = event.getLong("u");
      put(bids, event.getJSONArray("b"));
      put(asks, event.getJSONArray("a"));
    }

    private static void put(Map<Double, Double> side, JSONArray rows) {
      for (int at = 0; at < rows.length(); at++) {
        double price = rows.getJSONArray(at).getDouble(0);
        double quantity = rows.getJSONArray(at).getDouble(1);
        if (quantity == 0) side.remove(price);
        else side.put(price, quantity);
      }
    }

    private synchronized String best() {
      return List.of(bids.entrySet().stream().limit(LEVELS).toList(), asks.entrySet().stream().limit(LEVELS).toList())
          .toString();
    }

    /** Compares with the venue until the books were equal at enough different moments. */
    void same(Supplier<JSONObject> venue) throws Exception {
      Set<Long> moments = new HashSet<>();
      long end = System.currentTimeMillis() + BOOK_SECONDS * 1000L;
      while (moments.size() < SAME_BOOKS) {
        String ours = best();
        JSONObject answer = venue.get();
        Book theirs = new Book(isPerpetual);
        theirs.start(answer);
        if (ours.equals(theirs.best())) moments.add(answer.getLong("lastUpdateId"));
        need(System.currentTimeMillis() < end, "the books were equal at only " + moments.size() + " moments");
        Thread.sleep(400);
      }
    }
  }
}
