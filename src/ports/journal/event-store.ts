// Stores the journal: appends a commit batch, reads it back, and stores snapshots. A batch is written
// completely or not at all, and only by the one writer that holds the venue's lock and the newest writer
// epoch.
//
// Rows are given as columns because one statement sends them that way.

/** New orders of a batch, in their state at the end of the batch. */
export interface OrderColumns {
  orderId: number[];
  account: number[];
  market: number[];
  /** Null if the id derives from the order id. */
  clientId: (string | null)[];
  side: number[];
  type: number[];
  timeInForce: number[];
  price: number[];
  qty: number[];
  createdUs: number[];
  filledQty: number[];
  /** Traded value in quote minor units. */
  filledQuote: bigint[];
  status: number[];
  updatedUs: number[];
}

/** Options and terms of orders that are not plain or whose terms changed, including new ones. */
export interface OrderDetailColumns {
  orderId: number[];
  price: number[];
  qty: number[];
  /** 1: reduce-only; 2: closes the position. */
  flags: number[];
  stpMode: number[];
  quoteQty: bigint[];
  goodTillUs: number[];
  triggerPrice: number[];
  workingPrice: number[];
  trailingBps: number[];
  activationPrice: number[];
  triggeredUs: number[];
}

/** New states of orders stored earlier. */
export interface OrderStateColumns {
  orderId: number[];
  filledQty: number[];
  filledQuote: bigint[];
  status: number[];
  updatedUs: number[];
}

/** One row per trade. */
export interface FillColumns {
  tradeId: number[];
  tsUs: number[];
  market: number[];
  takerSide: number[];
  price: number[];
  qty: number[];
  quote: bigint[];
  takerOrderId: number[];
  makerOrderId: number[];
  takerAccount: number[];
  makerAccount: number[];
  takerFee: bigint[];
  makerFee: bigint[];
  takerPnl: bigint[];
  makerPnl: bigint[];
}

/** Contributions of a batch to candles, merged into the bucket's row; the open is that of the first. */
export interface CandleColumns {
  market: number[];
  intervalMs: number[];
  openTimeMs: number[];
  open: number[];
  high: number[];
  low: number[];
  close: number[];
  volume: number[];
  quote: bigint[];
  count: number[];
  takerBuyVolume: number[];
  takerBuyQuote: bigint[];
}

export interface AccountColumns {
  account: number[];
  type: number[];
  flags: number[];
  openedUs: number[];
}

export interface KeyStateColumns {
  keyId: number[];
  tier: number[];
  permissions: number[];
  /** Time of revocation in microseconds; null while the key is active. */
  revokedUs: (number | null)[];
}

export interface BalanceColumns {
  account: number[];
  wallet: number[];
  asset: number[];
  total: bigint[];
  reserved: bigint[];
}

export interface PositionColumns {
  account: number[];
  market: number[];
  /** Signed lots. */
  qty: number[];
  entryValue: bigint[];
  realisedPnl: bigint[];
  leverage: number[];
}

export interface MarketStateColumns {
  market: number[];
  status: number[];
}

/** Everything one commit writes. Event columns have one entry per event, in seq order. */
export interface CommitBatch {
  /** Seq of the first event; the others follow without a gap. */
  firstSeq: number;
  count: number;
  /** The exact bytes of the events, concatenated. */
  bytes: Uint8Array;
  /** Byte length of each event. */
  lengths: number[];
  tsUs: number[];
  kinds: number[];
  accounts: number[];
  orders: OrderColumns;
  orderStates: OrderStateColumns;
  orderDetails: OrderDetailColumns;
  fills: FillColumns;
  candles: CandleColumns;
  /** Accounts opened or with changed flags, changed keys and markets: upserted. */
  accountRows: AccountColumns;
  keyStates: KeyStateColumns;
  marketStates: MarketStateColumns;
  balances: BalanceColumns;
  positions: PositionColumns;
}

/** A stored snapshot: the state after `seq`, packed. */
export interface StoredSnapshot {
  seq: number;
  stateHash: string;
  bytes: Uint8Array;
}

/** A stored snapshot with missing bytes; `message` says how many are present. */
export interface TornSnapshot {
  seq: number;
  message: string;
}

/** Receives events read back: `bytes` holds `count` events, event i at offsets[i] with lengths[i]. */
export interface EventChunk {
  firstSeq: number;
  count: number;
  bytes: Uint8Array;
  offsets: Uint32Array;
  lengths: Uint32Array;
}

export interface EventStore {
  /**
   * Takes the venue's lock and a new writer epoch. Refuses (FaultError, not retryable) while another venue
   * holds the lock. Must precede reading the journal.
   */
  becomeWriter(): Promise<void>;
  /** Seq of the newest committed event; 0 for an empty journal. */
  lastSeq(): Promise<number>;
  /**
   * Commits the batch, or detects that it is committed after an unknown outcome. Retries retryable faults
   * while `isStopping` returns false; a gap or a lost epoch is a bug and throws.
   */
  appendBatch(batch: CommitBatch): Promise<void>;
  /** Those of the orders whose row is open; in no order. */
  openByRow(orderIds: readonly number[]): Promise<number[]>;
  /** Reads events with seq > `afterSeq`, up to `untilSeq` if given, in order and in chunks. */
  readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void>;
  /**
   * Snapshots newest first, at most `limit`, each read on demand. A damaged one is reported as torn, one
   * deleted meanwhile is skipped. A caller falls back to the next if one is bad.
   */
  readSnapshots(limit: number): AsyncIterable<StoredSnapshot | TornSnapshot>;
  writeSnapshot(snapshot: StoredSnapshot): Promise<void>;
  close(): Promise<void>;
}
