// Every bound of the venue, with its reason. The assertions at the end check that the bounds fit each other, for
// example that a matcher's rings have room for every record that can be in flight.

import { assert } from "./assert.ts";

/**
 * Largest price in ticks. It fits an element of the book's Int32 arrays, and its product with the largest quantity
 * fits an int64 amount.
 */
export const priceTicksMax = 1_000_000_000;

/** Largest quantity in lots: 10^8 lots × 10^9 ticks × 10 minor units stays below 2^63 with room for sums. */
export const qtyLotsMax = 100_000_000;

/** Largest position in lots. At the highest price its entry value still fits an int64. */
export const positionLotsMax = 5 * qtyLotsMax;

/** Resting orders in the whole venue. Arrays for all are reserved at the start, but take memory only as orders use it. */
export const ordersOpenMax = 2 ** 21;

/** Open orders of one account in one market (Binance: MAX_NUM_ORDERS 200); bounds a mass cancel. */
export const ordersPerMarketPerAccountMax = 200;

/**
 * Resting orders that one incoming order may trade with, reduce or remove; after that, its remainder expires. This
 * bounds the events of a transaction.
 */
export const matchesPerOrderMax = 500;

/** Orders placed or changed by one batch (Binance: 5). */
export const batchOrdersMax = 5;

/** Orders cancelled by one batch (Binance: 10). */
export const batchCancelsMax = 10;

/** Orders of the longest order list. */
export const listOrdersMax = 3;

/** Quotes of one mass quote, each with a bid and an ask (Deribit: 100 sides; Binance has none). */
export const quotesMax = 15;

/** Sides of one mass quote. */
export const quoteSidesMax = 2 * quotesMax;

/** Events of one mass quote besides its result: of each side the acceptance and the connection. */
export const quoteEventsMax = 2 * quoteSidesMax;

/** Resting orders of its own owner that one incoming order may skip in a row before it expires. */
export const ownSkipsMax = 500;

/** Accounts open at a time, a power of two. Balances are dense arrays, which take memory only as accounts use it. */
export const accountsMax = 2 ** 18;

/**
 * Account numbers in the lifetime of a venue: 2,048 for each account index. The largest number has nine digits, as many
 * as a deposit reference can contain. No number is given twice.
 */
export const accountNumbersMax = 2 ** 29;

/**
 * When fewer account indexes than this (an eighth of all) are free, an account that never held money is closed even if
 * it has an open session.
 */
export const accountSlotsSpare = accountsMax / 8;

/** Age at which an account that never held money is closed while account indexes are scarce. */
export const idleAccountShortMs = 3_600_000;

/**
 * Largest number of unused accounts that are closed in one minute. If a flood of logins has filled all account indexes,
 * they are free again about an hour after closing has begun.
 */
export const idleAccountsPerLook = 4_096;

/** Assets a venue can list: balances are stored account × wallet × asset. */
export const assetsMax = 8;

/** Markets a venue can list: leverage and positions are stored account × market. */
export const marketsMax = 16;

/** Active API keys in the venue, session keys included. */
export const apiKeysMax = 2 ** 20;

/** Active API keys of one account (specification: 10); session keys do not count. */
export const keysPerAccountMax = 10;

/** Characters of a key's label (specification: 64). */
export const keyLabelLengthMax = 64;

/** Address ranges of one key: more than a trading firm has, few enough to scan at each request. */
export const keyRangesMax = 20;

/** Keys listed for one user, newest first, revoked ones included. */
export const keysListedMax = 1000;

/** Wallet sessions in the venue: as many as there can be open accounts. */
export const sessionsMax = 2 ** 18;

/** Open sessions of one account; the oldest ends when another opens. */
export const sessionsPerAccountMax = 16;

/** Logins (challenges and verifications) from one address in a minute. */
export const loginsPerMinute = 60;

/** Counters of new accounts, by the network of the client's address; networks that share a counter share its limit. */
export const countedNetworksMax = 2 ** 18;

/** Longest client order id, as on Binance: `^[\.A-Z\:/a-z0-9_-]{1,36}$`. */
export const clientIdBytesMax = 36;

/** How long a new order with the client id of a closed order is still refused as a duplicate. */
export const clientIdMemoryMs = 600_000;

/** How long a repeated request with the same idempotency key gets the first result. Spec NAT-20. */
export const requestKeyMemoryMs = 86_400_000;

/** Characters of an idempotency key. Spec NAT-20. */
export const requestKeyLengthMax = 64;

/** Idempotency keys remembered for one account: one every nine seconds of a day. */
export const requestKeysPerAccountMax = 10_000;

/** Idempotency keys remembered in the venue: 110 MB if all are used, and less while fewer are in use. */
export const requestKeysMax = 2 ** 21;

/**
 * Commands of one origin and lane whose results the origin has not confirmed, a power of two. At 10,000 commands a second
 * a gateway may wait 0.4 s for its answers. The results of one lane take 68 KB.
 */
export const originWindowMax = 4096;

/** Origins that live at a time: 32 gateways, each with the incarnation before the current one. */
export const originsMax = 64;

/**
 * How long an origin without a recorded command is remembered, in event time. It is much longer than any request may
 * wait, so no gateway still needs a result of an origin that is forgotten.
 */
export const originMemoryMs = 86_400_000;

/** Longest time that a gateway may leave to a command, in milliseconds. It bounds what a faulty gateway can ask for. */
export const remainingMsMax = 60_000;

/** Withdrawals of one account in progress: more than a person needs, few enough to bound a flood. */
export const withdrawalsPerAccountMax = 20;

/** Withdrawals of the venue in progress. The number is limited because every snapshot contains all of them. */
export const withdrawalsMax = 20_000;

/** Requests in flight on the lane of orders to one matcher; each may be answered by a reply of maximum length. */
export const matcherCreditsMax = 64;

/** The same on the lane of cancels, each answered by one record: thousands of them need few turns of the threads. */
export const cancelCreditsMax = 192;

/** Requests that a lane may hold. A mass quote is accepted like any command, and sends one request a side. */
export const laneRequestsMax = Math.max(matcherCreditsMax + quoteSidesMax - 1, cancelCreditsMax);

/** Every record between clearing and a matcher, in either direction, has this length: one cache line. */
export const matcherRecordBytes = 64;

/** The longest event: header, body and a client id, rounded up to the record alignment. */
export const eventBytesMax = 160;

/**
 * Records that a matcher sends for one resting order in a sweep. There are two if a fill closes the position of a
 * reduce-only order: the fill, and the removal of the order's remainder.
 */
export const recordsPerMatchMax = 2;

/**
 * Events for one resting order in the sweep of an incoming order: the prevented match, a reduction or close of each of
 * the two orders, and the closes of the other orders of the resting order's list.
 */
const eventsPerMatchMax = 3 + listOrdersMax - 1;

/**
 * Events of one transaction: the incoming order's leverage or list, acceptance, peg, idempotency key, connection, close and
 * recorded result, those of the other orders of its list, and the events of every resting order in its sweep.
 */
export const eventsPerTransactionMax =
  matchesPerOrderMax * eventsPerMatchMax + 7 + 4 * (listOrdersMax - 1);

/** Bytes of the longest command, a mass quote. */
export const commandBytesMax = 384;

/** Ring from one command source to clearing: about 5,200 commands, some 100 ms of full load. */
export const commandRingBytes = 2 ** 20;

/** Cancels have their own ring so that they never queue behind orders. */
export const cancelRingBytes = 2 ** 19;

/** Ring of requests to a matcher: larger than credits × record size. */
export const matcherRequestRingBytes = 2 ** 16;

/** Ring of a matcher's replies: it holds credits × the longest reply, so a matcher never waits for room. */
export const matcherReplyRingBytes = 2 ** 23;

/**
 * Ring from clearing to the journal: it holds several commit batches, so that a slow commit does not stop matching at
 * once.
 */
export const journalRingBytes = 2 ** 25;

/** Ring from the journal to one front: as large as the journal's own ring. */
export const frontRingBytes = 2 ** 25;

/**
 * A commit batch closes at this many events: a larger batch makes the commit slower without reducing the cost per
 * event.
 */
export const commitBatchEventsMax = 4096;

/** A commit batch also closes at this many bytes of events. */
export const commitBatchBytesMax = 2 ** 20;

/** Bytes of a request body (specification: a longer one is answered with 413). */
export const bodyBytesMax = 2 ** 20;

/** A query string: the longest legitimate one is under 1 KiB. */
export const queryBytesMax = 8192;

/**
 * Addresses counted separately within a minute, a power of two: 4 MB of counters. Beyond that number, addresses share
 * counters, which only makes their limits stricter. So a flood of addresses takes no more memory.
 */
export const limitedAddressesMax = 2 ** 18;

/** Parameters of one request, query and body together. */
export const parametersMax = 64;

/** Requests that wait in one front for clearing and the journal; any further request is answered with 503. */
export const requestsInFlightMax = 16_384;

/** Public trades a front keeps per market: the longest list an API route returns (Binance: 1000). */
export const tapeLength = 1000;

/** Rows of income that the pages of one query cover together: reading a page also reads all pages before it. */
export const incomeRowsMax = 10_000;

/** Candles a front keeps per market and interval: the longest klines answer. */
export const candlesKept = 1500;

/** Stored buckets that one klines request may read: enough for 1,500 rows of 30m, about 20 ms of SQL. */
export const klineBucketsRead = 50_000;

/** Trades that one request for 1s klines may read: 1,000 rows at 20 trades a second. */
export const klineTradesRead = 20_000;

/** Trades read per page to find aggregate trades: most orders trade once or twice. */
export const aggregatePageTrades = 2000;

/** Pages of trades that one aggregate-trades request may read; after that, the answer has fewer rows than requested. */
export const aggregatePagesMax = 10;

/** Levels per side in the longest depth answer (Binance: 5000). */
export const depthLevelsMax = 5000;

/**
 * Smallest number of closed orders that a front remembers; the largest is twice as many. This is more than can close
 * before SQL has their final state.
 */
export const closedOrdersKept = 32_768;

/** Accounts whose rendered spot account a front caches: under 1 KiB each, so 16 MB at most. */
export const accountTextsKept = 16_384;

/** Open orders a front caches as rendered text: 512 bytes each, so 32 MB at most. */
export const openTextsKept = 65_536;

/** Characters of rendered open-order lists that a front caches: as many as it caches for single orders. */
export const openListCharactersKept = 2 ** 25;

/**
 * Orders whose fills a front keeps until it has answered the request that placed the order: as many as can be in
 * flight.
 */
export const filledOrdersKept = 16_384;

/** Streams of one connection (specification: 32); a longer list is refused. */
export const streamsPerConnectionMax = 32;

/** Bytes of one frame from a stream client: enough for 32 names of maximum length. */
export const streamFrameBytesMax = 4096;

/** Bytes of one request of an order session: enough for the parameters of the longest batch. */
export const sessionFrameBytesMax = 16_384;

/** Bytes buffered for a client that reads too slowly: a depth snapshot and a second of trades. */
export const streamBacklogBytesMax = 2 ** 17;

/** Requests of one stream connection in a second (Binance: 5 on spot, 10 on futures). */
export const streamRequestsPerSecondMax = 10;

/** Levels per side in the snapshot that opens a diff-depth stream: about 50 KB. */
export const streamSnapshotLevels = 1000;

/** Changes in one frame of a stream of orders: about 30 KB, a quarter of a slow client's backlog. */
export const orderChangesPerFrameMax = 256;

/** Frames of one account's user data stream from which a client can resume: at least this many. */
export const userFramesKept = 256;

/**
 * User feeds (one per account and surface) that are kept without a listener. Each holds at most twice `userFramesKept`
 * frames of some 700 bytes, so all of them take 180 MB at most.
 */
export const idleUserFeedsKept = 512;

/** Live listen keys of one account on one surface; a new one ends the oldest. */
export const listenKeysPerAccountMax = 16;

/** Trades published in one go before sockets and replies get their turn: about a millisecond of work. */
export const tradesPerTurnMax = 256;

/** Trades that may wait for publication in one market; when there are more, publishing them comes before other work. */
export const tradesQueuedMax = 4096;

/** Requests of one front that wait for an absent database: each is a small read, so all of them are soon answered. */
export const requestsAwaitingStoreMax = 1024;

/** Milliseconds between clearing's deadline for a command and the front's deadline for the request. */
export const deadlineMarginMs = 1000;

/** Leverage per account and market (specification: integer 1 to 100). */
export const leverageMax = 100;

/**
 * Smallest value of a perpetual order in whole units of the margin asset (ACC-26). Even at a rate of one basis point,
 * the fee for a fill of that value is not rounded down to zero, because rounding takes less than a millionth of a unit.
 */
export const perpetualValueMin = 5n;

/** Default leverage of every account and market (specification: LEVERAGE_V1). */
export const LEVERAGE_V1 = 10;

/** Limit orders priced above mark × this or below mark ÷ this are refused. */
export const limitBandFactor = 5;

/** Waiting conditional orders of one account in one market (Binance: MAX_NUM_ALGO_ORDERS). */
export const conditionalPerMarketPerAccountMax = 100;

/** Waiting trailing orders in one market: each price change examines all of them. */
export const trailingPerMarketMax = 1000;

/** How far the price must turn back to trigger a trailing order, in basis points (Binance: callbackRate 0.1 … 20 %). */
export const trailingBpsMin = 10;
export const trailingBpsMax = 2000;

/** How far ahead a GTD order may expire, in microseconds: a year, so that the time fits every time format. */
export const goodTillMaxUs = 366 * 86_400_000_000;

/** Orders that clearing expires, triggers or cancels in one step before it reads other commands. */
export const ownStepsMax = 64;

/**
 * Order slots that are searched for under-margined orders after each mark, while some book has a bid above its mark or
 * an ask below it. The search takes about 0.2 ms.
 */
export const slotsPerMarkMax = 65_536;

/** Averaging time of the basis in a mark, in microseconds: 30 s. */
export const basisAveragingUs = 30_000_000;

/**
 * How long a reference price may be valid, in microseconds: a week, so that a price that the operator forgets expires.
 */
export const referenceMaxUs = 7 * 86_400_000_000;

/**
 * How long an index may go unmeasured before transfers out of the perp wallet are refused. Shorter gaps are normal
 * while makers replace their orders. Spec RSK-39.
 */
export const indexGapMs = 3000;

/** How long after its last premium sample a market still counts as having an index: two sampling intervals. */
export const indexMemoryUs = 120_000_000;

/** External price feeds that a venue can have. */
export const priceFeedsMax = 8;

/** Bytes of the longest answer of a price feed: enough for all prices of a large venue. */
export const priceFeedBytesMax = 2 ** 18;

/** A source whose price is farther than this from the median of all sources, in percent, is ignored. */
export const priceDeviationPercent = 5;

/**
 * A price farther than this from the last accepted one, in percent, is accepted only after `priceWitnesses` similar
 * prices in a row.
 */
export const priceJumpPercent = 10;

/**
 * Number of similar prices in a row, the first one included, after which a price jump is accepted. A feed takes three
 * seconds to give them, so that one wrong answer liquidates no account.
 */
export const priceWitnesses = 3;

/** Premium samples of one funding interval: one a minute in eight hours. */
export const samplesPerFunding = 480;

/** Funding payments per tick. They take a third of a millisecond; ten thousand positions are paid in eight seconds. */
export const fundingPaymentsPerTickMax = 64;

/** Trading volume that earns one point of the referral programme, in whole units of the margin asset. */
export const volumePerPoint = 100n;

/**
 * Accounts whose commission is accrued in one tick. Each takes two events; a tick's accruals take a third of a
 * millisecond.
 */
export const accrualsPerTickMax = 32;

/** Countdowns that expire in one tick: each may cancel 200 orders. */
export const countdownsPerTickMax = 8;

/** Accounts whose liquidation begins in one interval: a cascade is spread over seconds. Spec RSK-2. */
export const liquidationsBegunMax = 128;

/** Value that liquidations trade per market and interval, in whole units of the margin asset. Spec RSK-2. */
export const liquidationNotionalMax = 1_000_000;

/** How far from the mark the venue's liquidation orders may trade, in basis points. Spec RSK-5. */
export const liquidationBandBps = 200;

/** Fee for a position the venue closes, paid to the insurance fund: 0.2 % of the value. */
export const clearanceFeeBps = 20;

/** A liquidated account is reduced until it has 125 % of its maintenance margin. Spec RSK-4. */
export const safeMaintenancePercent = 125n;

/** Consecutive liquidation orders without a trade before the insurance fund takes over. */
export const dryTriesMax = 3;

/** Positions that move between accounts in one pause of matching: each needs two changes in a matcher. */
export const movesPerPauseMax = 16;

/** Accounts that one deleveraging examines before it waits for the next interval. */
export const deleveragingLooksMax = 8;

/**
 * Equity of the insurance fund in whole units of the margin asset. Once the fund has reached it, trading pauses
 * whenever the fund has less. Spec RSK-10.
 */
export const insuranceThreshold = 10_000;

/**
 * Amount that the faucet of a development venue grants the insurance fund, in units of the margin asset. Spec RSK-15.
 */
export const insuranceSeed = 1_000_000;

/** MARKET orders stop at the best price ± this many basis points: 5 %. */
export const marketBandBps = 500;

assert(
  Number.isInteger(Math.log2(accountsMax)),
  "the maximum number of accounts must be a power of two",
);
assert(
  Number.isInteger(Math.log2(originWindowMax)),
  "the window of an origin must be a power of two",
);
const recordHeaderBytes = 8;
// The reply ring holds the replies of all orders in flight (matches and an end record each) and of all cancels (an end
// record each). A quote never trades on arrival, so a mass quote adds one end record a side.
assert(
  (matcherCreditsMax * (matchesPerOrderMax * recordsPerMatchMax + 1) +
    cancelCreditsMax +
    quoteSidesMax) *
    (matcherRecordBytes + recordHeaderBytes) <=
    matcherReplyRingBytes,
  "the reply ring must hold all replies that a matcher's credits allow",
);
assert(
  2 * movesPerPauseMax <= matcherCreditsMax,
  "the credits must cover all position moves of one pause",
);
assert(
  2 * laneRequestsMax * (matcherRecordBytes + recordHeaderBytes) <= matcherRequestRingBytes,
  "the request ring must hold all requests that clearing's credits allow",
);
assert(
  eventsPerTransactionMax * (eventBytesMax + recordHeaderBytes) * 4 <= journalRingBytes,
  "the journal ring must hold several transactions of maximum length",
);
assert(
  quoteEventsMax + 1 <= eventsPerTransactionMax,
  "the largest mass quote, with its result, must fit a transaction",
);
assert(
  BigInt(priceTicksMax) * BigInt(qtyLotsMax) * 10n < 2n ** 62n,
  "the largest notional must fit an int64 amount with room for additions",
);
assert(
  BigInt(priceTicksMax) * BigInt(positionLotsMax) * 10n < 2n ** 63n,
  "the entry value of the largest position must fit an int64",
);
assert(positionLotsMax < 2 ** 31, "the quantity of any order must fit its Int32 column");
