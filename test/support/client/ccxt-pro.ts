// ccxt.pro with every address of Binance's replaced by a venue's, on the compat view.

import { pro } from "ccxt";

interface CcxtOptions {
  readonly type?: "spot" | "linear";
  /** More settings of the client, such as its key. */
  readonly more?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A client of the venue at `address`, for spot or for perpetuals. */
export function ccxtProAt(
  address: string,
  { type = "spot", more = {}, options = {} }: CcxtOptions = {},
) {
  const exchange = new pro.binance({
    ...more,
    rateLimit: 5,
    timeout: 60_000,
    // The library's timer keeps the process alive until the timer finds its connection closed.
    options: {
      ...{ listenKeyRefreshRate: 1000, fetchCurrencies: false, fetchMargins: false },
      // A busy machine may delay a request for longer than the library's 10 s.
      recvWindow: 60_000,
      fetchMarkets: { types: [type] },
      ...options,
    },
  });
  const at = (base: string, url: string) => url.replace(/^[a-z]+:\/\/[^/]+/, base);
  const api = exchange.urls["api"] as Record<string, unknown>;
  for (const [name, url] of Object.entries(api)) {
    if (typeof url === "string") api[name] = at(`${address}/compat`, url);
  }
  const sockets = `${address.replace("http", "ws")}/compat`;
  const ws = api["ws"] as Record<string, unknown>;
  for (const name of ["spot", "margin", "future", "delivery"]) ws[name] = `${sockets}/ws`;
  ws["ws-api"] = { spot: `${sockets}/ws-api/v3`, future: `${sockets}/ws-fapi/v1` };
  return exchange;
}
