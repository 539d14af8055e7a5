// Contents of stream frames, field by field: the source of the AsyncAPI document, and the schemas with which tests
// check every frame of a running venue. Fields have Binance's names; names that Binance does not have (`seq`,
// `snapshot`, `after`) are the venue's own.

import * as z from "zod";

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const unixMs = z.int().min(0);
const count = z.int();
const text = z.string();
const levels = z.array(z.tuple([decimal, decimal]));
const seq = z.int().min(0);

const print = { E: unixMs, s: text, t: count, p: decimal, q: decimal, T: unixMs, m: z.boolean() };
const run = {
  e: z.literal("aggTrade"),
  E: unixMs,
  s: text,
  a: count,
  p: decimal,
  q: decimal,
  f: count,
  l: count,
  T: unixMs,
  m: z.boolean(),
};
const best = { u: count, s: text, b: decimal, B: decimal, a: decimal, A: decimal };
const day = {
  e: z.literal("24hrTicker"),
  E: unixMs,
  s: text,
  p: decimal,
  P: decimal,
  w: decimal,
  c: decimal,
  Q: decimal,
  o: decimal,
  h: decimal,
  l: decimal,
  v: decimal,
  q: decimal,
  O: unixMs,
  C: unixMs,
  F: count,
  L: count,
  n: count,
};
const change = {
  e: z.literal("depthUpdate"),
  E: unixMs,
  s: text,
  U: count,
  u: count,
  b: levels,
  a: levels,
  snapshot: z.literal(true).optional(),
};

const candle = {
  t: unixMs,
  T: unixMs,
  i: text,
  f: count,
  L: count,
  o: decimal,
  c: decimal,
  h: decimal,
  l: decimal,
  v: decimal,
  n: count,
  x: z.boolean(),
  q: decimal,
  V: decimal,
  Q: decimal,
  B: z.literal("0"),
};
const { Q: _lastQty, e: _event, ...window } = day;

/** Payloads of market data, by message name. Streams of all markets send lists of these payloads. */
export const marketPayloads = {
  trade: z.strictObject({ e: z.literal("trade"), ...print, M: z.literal(true) }),
  futuresTrade: z.strictObject({ e: z.literal("trade"), ...print, X: z.literal("MARKET") }),
  aggTrade: z.strictObject({ ...run, M: z.literal(true) }),
  futuresAggTrade: z.strictObject(run),
  depthLevels: z.strictObject({ lastUpdateId: count, bids: levels, asks: levels }),
  depthUpdate: z.strictObject(change),
  futuresDepthUpdate: z.strictObject({ ...change, T: unixMs, pu: count }),
  bookTicker: z.strictObject(best),
  futuresBookTicker: z.strictObject({
    e: z.literal("bookTicker"),
    E: unixMs,
    T: unixMs,
    ...best,
  }),
  ticker: z.strictObject({ ...day, x: decimal, b: decimal, B: decimal, a: decimal, A: decimal }),
  futuresTicker: z.strictObject(day),
  miniTicker: z.strictObject({
    e: z.literal("24hrMiniTicker"),
    E: unixMs,
    s: text,
    c: decimal,
    o: decimal,
    h: decimal,
    l: decimal,
    v: decimal,
    q: decimal,
  }),
  kline: z.strictObject({
    e: z.literal("kline"),
    E: unixMs,
    s: text,
    k: z.strictObject({ ...candle, s: text }),
  }),
  continuousKline: z.strictObject({
    e: z.literal("continuous_kline"),
    E: unixMs,
    ps: text,
    ct: z.literal("PERPETUAL"),
    k: z.strictObject(candle),
  }),
  windowTicker: z.strictObject({ e: z.enum(["1hTicker", "4hTicker", "1dTicker"]), ...window }),
  avgPrice: z.strictObject({
    e: z.literal("avgPrice"),
    E: unixMs,
    s: text,
    i: z.literal("5m"),
    w: decimal,
    T: unixMs,
  }),
  markPrice: z.strictObject({
    e: z.literal("markPriceUpdate"),
    E: unixMs,
    s: text,
    p: decimal,
    ap: decimal,
    P: decimal,
    i: decimal,
    r: decimal,
    T: unixMs,
  }),
  forceOrder: z.strictObject({
    e: z.literal("forceOrder"),
    E: unixMs,
    o: z.strictObject({
      s: text,
      S: z.enum(["BUY", "SELL"]),
      o: z.literal("LIMIT"),
      f: z.literal("IOC"),
      q: decimal,
      p: decimal,
      ap: decimal,
      X: z.enum(["FILLED", "EXPIRED"]),
      l: decimal,
      z: decimal,
      T: unixMs,
    }),
  }),
} as const;

const balance = z.strictObject({ a: text, f: decimal, l: decimal });
const collateral = z.strictObject({ a: text, wb: decimal, cw: decimal, bc: decimal });
const position = z.strictObject({
  s: text,
  pa: decimal,
  ep: decimal,
  bep: decimal,
  cr: decimal,
  up: decimal,
  mt: text,
  iw: decimal,
  ps: text,
  ma: text,
});
const snapshotHead = { e: z.literal("accountSnapshot"), E: unixMs, seq, after: count };
const orders = z.array(z.looseObject({ orderId: count }));

/** Payloads of user data, by message name. */
export const userPayloads = {
  executionReport: z.strictObject({
    e: z.literal("executionReport"),
    E: unixMs,
    s: text,
    c: text,
    S: z.enum(["BUY", "SELL"]),
    o: text,
    f: text,
    q: decimal,
    p: decimal,
    P: decimal,
    F: decimal,
    g: count,
    C: text,
    x: z.enum(["NEW", "TRADE", "CANCELED", "EXPIRED", "REPLACED", "TRADE_PREVENTION"]),
    X: z.enum(["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "EXPIRED", "EXPIRED_IN_MATCH"]),
    r: text,
    i: count,
    l: decimal,
    z: decimal,
    L: decimal,
    n: decimal,
    N: text.nullable(),
    T: unixMs,
    t: count,
    I: count,
    w: z.boolean(),
    m: z.boolean(),
    M: z.boolean(),
    O: unixMs,
    Z: decimal,
    Y: decimal,
    Q: decimal,
    W: unixMs,
    V: text,
    d: count.optional(),
    eR: text.optional(),
    seq,
  }),
  balanceUpdate: z.strictObject({
    e: z.literal("balanceUpdate"),
    E: unixMs,
    a: text,
    d: decimal,
    T: unixMs,
    seq,
  }),
  outboundAccountPosition: z.strictObject({
    e: z.literal("outboundAccountPosition"),
    E: unixMs,
    u: unixMs,
    B: z.array(balance),
    seq,
  }),
  accountSnapshot: z.strictObject({ ...snapshotHead, B: z.array(balance), orders }),
  ORDER_TRADE_UPDATE: z.strictObject({
    e: z.literal("ORDER_TRADE_UPDATE"),
    E: unixMs,
    T: unixMs,
    o: z.looseObject({ s: text, c: text, S: text, x: text, X: text, i: count, z: decimal }),
    seq,
  }),
  ALGO_UPDATE: z.strictObject({
    e: z.literal("ALGO_UPDATE"),
    T: unixMs,
    E: unixMs,
    o: z.strictObject({
      caid: text,
      aid: count,
      at: z.literal("CONDITIONAL"),
      o: text,
      s: text,
      S: z.enum(["BUY", "SELL"]),
      ps: z.literal("BOTH"),
      f: text,
      q: decimal,
      X: z.enum(["NEW", "TRIGGERED", "FINISHED", "CANCELED", "EXPIRED"]),
      ai: text,
      ap: decimal,
      aq: decimal,
      act: text,
      tp: decimal,
      p: decimal,
      V: text,
      wt: text,
      pm: z.literal("NONE"),
      cp: z.boolean(),
      pP: z.literal(false),
      R: z.boolean(),
      tt: unixMs,
      gtd: unixMs,
      rm: text,
      AP: decimal.optional(),
      cr: decimal.optional(),
    }),
    seq,
  }),
  ACCOUNT_UPDATE: z.strictObject({
    e: z.literal("ACCOUNT_UPDATE"),
    E: unixMs,
    T: unixMs,
    a: z.strictObject({ m: text, B: z.array(collateral), P: z.array(position) }),
    seq,
  }),
  ACCOUNT_CONFIG_UPDATE: z.strictObject({
    e: z.literal("ACCOUNT_CONFIG_UPDATE"),
    E: unixMs,
    T: unixMs,
    ac: z.strictObject({ s: text, l: count }),
    seq,
  }),
  futuresAccountSnapshot: z.strictObject({
    ...snapshotHead,
    B: z.array(collateral),
    P: z.array(position),
    orders,
  }),
} as const;

/** Notices about the connection itself. */
export const noticePayloads = {
  conflated: z.strictObject({
    e: z.literal("conflated"),
    E: unixMs,
    dropped: count,
    streams: z.array(text),
  }),
  serverShutdown: z.strictObject({ e: z.literal("serverShutdown"), E: unixMs }),
  listenKeyExpired: z.strictObject({ e: z.literal("listenKeyExpired"), E: unixMs }),
  eventStreamTerminated: z.strictObject({ e: z.literal("eventStreamTerminated"), E: unixMs }),
} as const;
