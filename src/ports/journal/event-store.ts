// Stores the journal: appends a commit batch, reads it back, and stores snapshots. A batch is written completely or not
// at all. Only the writer that holds the venue's lock and the newest writer epoch can write.
//
// Rows are given as columns, because one statement sends them in that form.

/** New orders of a commit batch, in their state at the end of the batch. */
export interface OrderColumns {
  orderId: number[];
  account: number[];
  market: number[];
  /** Client order id; null if it is derived from the order id. */
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

/** Options of orders that have some or whose options changed, new orders included. */
export interface OrderDetailColumns {
  orderId: number[];
  /** Bit flags: 1 reduce-only, 2 closes the position, 4 waits for the working order of its list. */
  flags: number[];
  stpMode: number[];
  quoteQty: bigint[];
  goodTillUs: number[];
  triggerPrice: number[];
  workingPrice: number[];
  trailingBps: number[];
  activationPrice: number[];
  triggeredUs: number[];
  /** The list that the order belongs to; null for none. */
  listId: (number | null)[];
  icebergQty: (number | null)[];
}

/** New terms and states of orders stored earlier. */
export interface OrderStateColumns {
  orderId: number[];
  price: number[];
  qty: number[];
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

/**
 * Contributions of a commit batch to candles. Each is merged into the row of its bucket; the row keeps the opening
 * price of the first contribution.
 */
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

/** Statements of liabilities that the journal has from now on. */
export interface StatedColumns {
  epoch: number[];
  /** SHA-256 of the statement. */
  digest: Uint8Array[];
  /** The entry with the digest. */
  entrySeq: number[];
}

/** Everything that one commit writes. Event columns have one entry per event, in seq order. */
export interface CommitBatch {
  /** Seq of the first event; the other events follow without a gap. */
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
  /** New accounts, and accounts, keys and markets that changed; their rows are inserted or updated. */
  accountRows: AccountColumns;
  keyStates: KeyStateColumns;
  marketStates: MarketStateColumns;
  balances: BalanceColumns;
  positions: PositionColumns;
  stated: StatedColumns;
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

/**
 * A chunk of events that were read from the journal. `bytes` holds `count` events; event i begins at offsets[i] and has
 * lengths[i] bytes.
 */
export interface EventChunk {
  firstSeq: number;
  count: number;
  bytes: Uint8Array;
  offsets: Uint32Array;
  lengths: Uint32Array;
}

export interface EventStore {
  /**
   * Takes the venue's lock and a new writer epoch, or the epoch that was `claimed` with a lease; returns the epoch.
   * Throws a fault that is not retryable while another venue holds the lock or leads. Must be called before the journal
   * is read.
   */
  becomeWriter(claimed?: string | null): Promise<string>;
  /** Seq of the newest committed event; 0 for an empty journal. */
  lastSeq(): Promise<number>;
  /**
   * Commits the batch. If the outcome of an attempt is unknown, finds out whether the batch was committed. Retries
   * retryable faults until the venue stops. A gap in the journal or a lost writer epoch is a bug and throws.
   */
  appendBatch(batch: CommitBatch): Promise<void>;
  /** Returns those of the orders whose stored row is open, in no particular order. */
  openByRow(orderIds: readonly number[]): Promise<number[]>;
  /** Reads events with seq > `afterSeq`, up to `untilSeq` if it is given, in order and in chunks. */
  readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void>;
  /**
   * Reads at most `limit` snapshots, newest first, each on demand. A snapshot with missing bytes is reported as torn. A
   * snapshot that is deleted in the meantime is skipped. A caller that cannot use a snapshot tries the next one.
   */
  readSnapshots(limit: number): AsyncIterable<StoredSnapshot | TornSnapshot>;
  writeSnapshot(snapshot: StoredSnapshot): Promise<void>;
  close(): Promise<void>;
}
