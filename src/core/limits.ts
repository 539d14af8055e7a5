// Every bound of the venue, with its reason. The assertions at the end relate the bounds to each
// other: they are the proof that no ring can be asked to hold more than it was built for.

import { assert } from "./assert.ts";

/** Price in ticks fits an Int32 slot of the book and, times the largest quantity, an int64 amount. */
export const priceTicksMax = 1_000_000_000;

/** Quantity in lots: 10^9 lots × 10^9 ticks × 10 minor units stays below 2^63 with room for sums. */
export const qtyLotsMax = 100_000_000;

/** Lots of one position: at the highest price its entry value still fits an int64. */
export const positionLotsMax = 5 * qtyLotsMax;

/** Resting orders in the whole venue. Typed arrays are reserved for all, touched only as used. */
export const ordersOpenMax = 2 ** 21;

/** Open orders of one account in one market (Binance: MAX_NUM_ORDERS 200); bounds a mass cancel. */
export const ordersPerMarketPerAccountMax = 200;

/**
 * Resting orders that one incoming order may trade with, reduce or remove. The remainder of a longer
 * sweep expires; bounds a transaction of events.
 */
export const matchesPerOrderMax = 500;

/** Orders placed or changed by one batch (Binance: 5). */
export const batchOrdersMax = 5;

/** Orders cancelled by one batch (Binance: 10). */
export const batchCancelsMax = 10;

/** Resting orders of the same account that one incoming order may step over before it expires. */
export const ownSkipsMax = 500;

/** Accounts open at a time, a power of two. Balances are dense arrays, touched only as used. */
export const accountsMax = 2 ** 18;

/**
 * Account numbers there can ever be: 2,048 for each place, and nine digits in the reference of a deposit. No
 * number is given twice.
 */
export const accountNumbersMax = 2 ** 29;

/** Places of accounts below which open sessions no longer keep accounts that never held money: an eighth. */
export const accountSlotsSpare = accountsMax / 8;

/** Age at which an account that never held money is closed while the venue is short of accounts. */
export const idleAccountShortMs = 3_600_000;

/** Accounts that are closed in a minute at most: a venue that strangers have filled is free again in an hour. */
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

/** Address ranges a key may be used from: more than a desk has, few enough to look through at each request. */
export const keyRangesMax = 20;

/** Keys in one list of a user, revoked ones included: the newest. */
export const keysListedMax = 1000;

/** Wallet sessions in the venue: one for each account there can be. */
export const sessionsMax = 2 ** 18;

/** Open sessions of one account; the oldest ends when another opens. */
export const sessionsPerAccountMax = 16;

/** Logins (challenges and verifications) from one address in a minute. */
export const loginsPerMinute = 60;

/** Places in which the new accounts of networks are counted; networks that share one have stricter limits. */
export const countedNetworksMax = 2 ** 18;

/** Client order id, as Binance: `^[\.A-Z\:/a-z0-9_-]{1,36}$`. */
export const clientIdBytesMax = 36;

/** How long a closed order's client id still refuses a duplicate (decided.md 7). */
export const clientIdMemoryMs = 600_000;

/** How long an idempotency key finds what it caused (decided.md 3). */
export const requestKeyMemoryMs = 86_400_000;

/** Characters of an idempotency key (decided.md 3). */
export const requestKeyLengthMax = 64;

/** Idempotency keys of one account that are remembered at a time: one each nine seconds of a day. */
export const requestKeysPerAccountMax = 10_000;

/** Idempotency keys of the venue: 110 MB when all are used, held only as they are. */
export const requestKeysMax = 2 ** 21;

/** Withdrawals of one account under way: more than a person has open, fewer than a flood. */
export const withdrawalsPerAccountMax = 20;

/** Withdrawals of the venue under way: they are in every snapshot. */
export const withdrawalsMax = 20_000;

/** Requests in flight between clearing and one matcher: each may be answered by a longest reply. */
export const matcherCreditsMax = 64;

/** One record between clearing and a matcher, either way: fixed, one cache line. */
export const matcherRecordBytes = 64;

/** The longest event: header, body and a client id, rounded up to the record alignment. */
export const eventBytesMax = 160;

/** A resting order that is met trades, is reduced, removed or met alone; one without position left, two of these. */
export const recordsPerMatchMax = 2;

/** What comes of a resting order that is met: that its match was prevented, and what either order lost. */
const eventsPerMatchMax = 3;

/**
 * Events of one unit: leverage, acceptance and key, what came of every resting order that was met, one
 * close.
 */
export const eventsPerTransactionMax = matchesPerOrderMax * eventsPerMatchMax + 4;

/** Command record, client id included. */
export const commandBytesMax = 192;

/** Ring from one command source to clearing: about 5,500 commands, some 100 ms of full load. */
export const commandRingBytes = 2 ** 20;

/** Cancels have their own ring so that they never queue behind orders. */
export const cancelRingBytes = 2 ** 19;

/** Requests to a matcher: credits × record, rounded far up. */
export const matcherRequestRingBytes = 2 ** 16;

/** Replies of a matcher: credits × the longest reply must fit, so a matcher never waits. */
export const matcherReplyRingBytes = 2 ** 23;

/** Clearing to journal: several commit batches deep, so that a slow commit does not stop matching at once. */
export const journalRingBytes = 2 ** 25;

/** Journal to one front: as deep as the journal's own ring. */
export const frontRingBytes = 2 ** 25;

/** A commit batch closes at this many events: beyond it a commit grows longer, not cheaper. */
export const commitBatchEventsMax = 4096;

/** … or at this many bytes of events. */
export const commitBatchBytesMax = 2 ** 20;

/** A request body (specification: 413 beyond). */
export const bodyBytesMax = 2 ** 20;

/** A query string: the longest honest one is under 1 KiB. */
export const queryBytesMax = 8192;

/**
 * Addresses counted apart within a minute, a power of two: 4 MB of counters. Beyond it some share a
 * counter, which only makes their limits stricter; no flood of addresses takes more memory.
 */
export const limitedAddressesMax = 2 ** 18;

/** Parameters of one request, query and body together. */
export const parametersMax = 64;

/** Requests one front holds while clearing and the journal work; beyond it 503. */
export const requestsInFlightMax = 16_384;

/** Public trades a front keeps per market: the longest list the surfaces give (Binance: 1000). */
export const tapeLength = 1000;

/** Rows of income that pages of one query reach: each page reads all pages before it. */
export const incomeRowsMax = 10_000;

/** Candles a front keeps per market and interval: the longest window klines answers (specification). */
export const candlesKept = 1500;

/** Stored buckets one klines request may read: 1,000 rows of 30m and more, some 20 ms of SQL. */
export const klineBucketsRead = 50_000;

/** Trades one 1s klines request may read: the longest window at 20 trades a second. */
export const klineTradesRead = 20_000;

/** Trades read at once to find aggregate trades: most orders trade once or twice. */
export const aggregatePageTrades = 2000;

/** Pages of trades one aggregate-trades request may read before it answers with fewer rows. */
export const aggregatePagesMax = 10;

/** Levels a side in the longest depth answer (Binance: 5000). */
export const depthLevelsMax = 5000;

/**
 * Closed orders a front remembers, twice as many at most: more than close while SQL catches up with
 * their final state.
 */
export const closedOrdersKept = 32_768;

/** Accounts whose rendered spot account a front keeps: under 1 KiB each, so 16 MB at most. */
export const accountTextsKept = 16_384;

/** Open orders a front keeps as rendered text: 512 bytes each, so 32 MB at most. */
export const openTextsKept = 65_536;

/** Characters in the rendered lists of open orders a front keeps: as many as the orders in them. */
export const openListCharactersKept = 2 ** 25;

/** Orders whose fills a front holds until it has answered them: as many as may be in flight. */
export const filledOrdersKept = 16_384;

/** Streams of one connection (specification: 32; beyond it the list is refused). */
export const streamsPerConnectionMax = 32;

/** One frame from a stream client: 32 names of the longest form with room to spare. */
export const streamFrameBytesMax = 4096;

/** One request of an order session: the parameters of the longest batch. */
export const sessionFrameBytesMax = 16_384;

/** Bytes held for a client that reads slower than it is sent: a depth snapshot and a second of trades. */
export const streamBacklogBytesMax = 2 ** 17;

/** Requests of one stream connection in a second (Binance: 5 on spot, 10 on futures). */
export const streamRequestsPerSecondMax = 10;

/** Levels a side in the snapshot that opens a diff-depth stream: about 50 KB. */
export const streamSnapshotLevels = 1000;

/** Frames of one account's user data stream that a client may resume over: at least this many. */
export const userFramesKept = 256;

/** Accounts whose frames are kept though nobody listens: 512 frames of 700 bytes each, so 180 MB at most. */
export const idleUserFeedsKept = 512;

/** Live listen keys of one account on one surface; the oldest ends when another is made. */
export const listenKeysPerAccountMax = 16;

/** Trades published before sockets and replies have their turn again: about a millisecond. */
export const tradesPerTurnMax = 256;

/** Trades waiting to be published in one market; beyond it they go out before anything else. */
export const tradesQueuedMax = 4096;

/** Milliseconds between clearing's deadline for a command and the front's own for the request. */
export const deadlineMarginMs = 1000;

/** Leverage per account and market (specification: integer 1 to 100). */
export const leverageMax = 100;

/**
 * Whole units of the margin asset that an order of a perpetual is worth at least (decided.md 10). A fill of so
 * much pays a fee at any rate of a basis point and more: fees round down by less than a millionth of a unit.
 */
export const perpetualValueMin = 5n;

/** Default leverage of every account and market (specification: LEVERAGE_V1). */
export const LEVERAGE_V1 = 10;

/** Limit orders outside mark × 5 … mark ÷ 5 are refused (decided.md 10). */
export const limitBandFactor = 5;

/** Conditional orders of one account in one market that wait (Binance: MAX_NUM_ALGO_ORDERS). */
export const conditionalPerMarketPerAccountMax = 100;

/** Waiting trailing orders in one market: each change of its price looks at all of them. */
export const trailingPerMarketMax = 1000;

/** Distance of a trailing order in basis points (Binance: callbackRate 0.1 … 10 %). */
export const trailingBpsMin = 10;
export const trailingBpsMax = 1000;

/** How far ahead a GTD order may end, in microseconds: a year, so that its time fits any clock. */
export const goodTillMaxUs = 366 * 86_400_000_000;

/** Orders that one step of clearing expires, fires or cancels by itself before it hears others. */
export const ownStepsMax = 64;

/** Slots of orders looked at after each mark while a book stands beyond its mark: about 0.2 ms. */
export const slotsPerMarkMax = 65_536;

/** How long the average of the basis in a mark looks back, in microseconds: 30 s. */
export const basisAveragingUs = 30_000_000;

/** How long a reference price may hold, in microseconds: a week, so that nobody forgets one for good. */
export const referenceMaxUs = 7 * 86_400_000_000;

/** Quotes that are renewed are missing for a moment: an index unmeasured for longer holds transfers. */
export const indexGapMs = 3000;

/** How long after a sample of its premium a market still counts as one with an index: two samples. */
export const indexMemoryUs = 120_000_000;

/** Price feeds outside the venue that are asked. */
export const priceFeedsMax = 8;

/** One answer of a price feed: the prices of a whole large venue. */
export const priceFeedBytesMax = 2 ** 18;

/** A source farther from the median of all, in percent, does not count. */
export const priceDeviationPercent = 5;

/** A price farther from the one before, in percent, is believed when it has been said again … */
export const priceJumpPercent = 10;

/** … so often in a row: three seconds of a feed, so that one wrong answer liquidates nobody. */
export const priceWitnesses = 3;

/** Premium samples of one funding interval: one a minute in eight hours. */
export const samplesPerFunding = 480;

/** Funding payments of one tick: a third of a millisecond; ten thousand positions in eight seconds. */
export const fundingPaymentsPerTickMax = 64;

/** Whole units of the margin asset traded for one point (decided.md 5). */
export const volumePerPoint = 100n;

/** Accounts whose commission one tick accrues: two events each, a third of a millisecond. */
export const accrualsPerTickMax = 32;

/** Countdowns that run out in one tick: each may close 200 waiting orders at once. */
export const countdownsPerTickMax = 8;

/** Accounts whose liquidation begins in one interval: a cascade goes on for seconds, not at once. */
export const liquidationsBegunMax = 128;

/** Whole units of the margin asset that liquidations sell or buy in one market and interval. */
export const liquidationNotionalMax = 1_000_000;

/** How far from the mark the venue's closing orders may trade, in basis points. */
export const liquidationBandBps = 200;

/** Fee of what the venue closes for an account, to the insurance fund: 0.2 % of the value. */
export const clearanceFeeBps = 20;

/** A liquidated account is reduced until it has 125 % of its maintenance. */
export const safeMaintenancePercent = 125n;

/** Closing orders in a row that may trade nothing before the insurance fund takes over. */
export const dryTriesMax = 3;

/** Positions that move between accounts in one pause of matching: each asks two changes of a matcher. */
export const movesPerPauseMax = 16;

/** Accounts looked at before a deleveraging waits for the next interval. */
export const deleveragingLooksMax = 8;

/** Whole units of the margin asset below which the insurance fund pauses trading (decided.md 10). */
export const insuranceThreshold = 10_000;

/** Whole units of the margin asset that the faucet gives the insurance fund (decided.md 10). */
export const insuranceSeed = 1_000_000;

/** MARKET orders stop at the best price ± this many basis points (decided.md 10: 5 %). */
export const marketBandBps = 500;

/** Providers of liquidity asked for one quote: the best by how they behaved. */
export const providersPerQuoteMax = 8;

/** Registrations of providers nobody has decided on: what strangers can leave behind. */
export const pendingProvidersMax = 200;

/** Characters of a provider's name. */
export const providerNameLengthMax = 64;

/** Characters of a provider's address: each of its paths is appended to it. */
export const providerUrlLengthMax = 256;

/** Longest answer of a provider that is read: the largest it can mean is an acceptance of 600 bytes. */
export const providerAnswerBytesMax = 8192;

/** Requests of a provider whose quotes or notices wait for its answer; more would only wait for each other. */
export const providerConnectionsMax = 16;

assert(Number.isInteger(Math.log2(accountsMax)), "the place of an account is a part of its bits");
const recordHeaderBytes = 8;
// Each order in flight is answered by its matches and an end, each cancel by an end.
assert(
  matcherCreditsMax *
    (matchesPerOrderMax * recordsPerMatchMax + 2) *
    (matcherRecordBytes + recordHeaderBytes) <=
    matcherReplyRingBytes,
  "a matcher can always write its replies",
);
assert(2 * movesPerPauseMax <= matcherCreditsMax, "all moves of a pause have their credits");
assert(
  2 * matcherCreditsMax * (matcherRecordBytes + recordHeaderBytes) <= matcherRequestRingBytes,
  "clearing can always write what its credits allow",
);
assert(
  eventsPerTransactionMax * (eventBytesMax + recordHeaderBytes) * 4 <= journalRingBytes,
  "the journal ring holds several of the longest transactions",
);
assert(
  BigInt(priceTicksMax) * BigInt(qtyLotsMax) * 10n < 2n ** 62n,
  "the largest notional fits an int64 amount with room to add",
);
assert(
  BigInt(priceTicksMax) * BigInt(positionLotsMax) * 10n < 2n ** 63n,
  "the entry value of the largest position fits an int64",
);

/**
 * Swaps of one account that are not over. Each asks up to eight providers and is looked at until it
 * ends; nobody takes more than a few quotes at once.
 */
export const swapsOpenPerAccountMax = 8;
