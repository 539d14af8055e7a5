// The state besides accounts and orders, as parts: how each is stored in a snapshot, restored, and hashed. A new table
// of the state needs one new row here, which adds it to snapshots and hash. Rows are hashed in this order, and replays
// of old journals compare hashes, so add new rows at the end.

import { Wallet } from "../../../core/accounts.ts";
import { indexOriginCount } from "../../../core/perpetuals/index-price.ts";
import { holdUnsettled } from "../apply/custody-posting.ts";
import { setMakerGroup } from "../apply/group-posting.ts";
import type { MarketFunding } from "../tables/funding-state.ts";
import type { VenueState } from "../venue-state.ts";
import type { Counted, HashLanes } from "./hash-lanes.ts";

interface Part<Stored> {
  /** A copy in snapshot form. */
  capture(state: VenueState): Stored;
  /** Fills a fresh state. Storage returns small amounts as numbers, which become bigints again. */
  restore(state: VenueState, stored: Stored): void;
  hash(state: VenueState, lanes: HashLanes): void;
}

/** A part that is stored as a list of rows. */
function rows<Row extends object>(
  all: (state: VenueState) => Iterable<Row>,
  add: (state: VenueState, row: Row) => void,
  columns: { readonly [Name in keyof Row]: Counted },
): Part<Row[]> {
  const names = Object.entries(columns) as [keyof Row & string, Counted][];
  const amounts = names.flatMap(([name, how]) => (how === "amount" ? [name] : []));
  const restored = (row: Row): Row => {
    const copy = { ...row };
    for (const name of amounts) copy[name] = BigInt(row[name] as bigint) as Row[typeof name];
    return copy;
  };
  return {
    capture: (state) => Array.from(all(state), (row) => ({ ...row })),
    restore: (state, stored) => {
      for (const row of stored) add(state, restored(row));
    },
    hash: (state, lanes) => {
      for (const row of all(state)) for (const [name, how] of names) lanes.count(how, row[name]);
    },
  };
}

type Column = Uint8Array | Float64Array | BigInt64Array;

/** A part that is stored as columns, with `width` entries for each market. */
function columns<Name extends string, Stored extends Readonly<Record<Name, Column>>>(
  of: (state: VenueState) => Stored,
  hows: Readonly<Record<Name, Counted>>,
  width = 1,
): Part<{ [Key in Name]: Stored[Key] }> {
  const names = Object.keys(hows) as Name[];
  return {
    capture: (state) => {
      const end = state.marketCount * width;
      const copies = names.map((name) => [name, of(state)[name].slice(0, end)]);
      return Object.fromEntries(copies) as { [Key in Name]: Stored[Key] };
    },
    restore: (state, stored) => {
      for (const name of names) (of(state)[name] as Float64Array).set(stored[name] as Float64Array);
    },
    hash: (state, lanes) => {
      for (const name of names) {
        const column = of(state)[name].subarray(0, state.marketCount * width);
        for (const value of column) lanes.count(hows[name], value);
      }
    },
  };
}

function column<Stored extends Column>(
  of: (state: VenueState) => Stored,
  how: Counted,
): Part<Stored> {
  const one = columns((state) => ({ only: of(state) }), { only: how });
  return {
    capture: (state) => one.capture(state).only,
    restore: (state, only) => one.restore(state, { only }),
    hash: one.hash,
  };
}

/** Copies a market's funding; of a settlement in progress only the payments that are still to be made. */
function captureFunding({ settlement, ...funding }: MarketFunding): MarketFunding {
  if (settlement === null) return { ...funding, settlement };
  const { accounts, lots, next } = settlement;
  const left = { accounts: accounts.slice(next), lots: lots.slice(next), next: 0 };
  return { ...funding, settlement: { ...settlement, ...left } };
}

function restoreFunding(state: VenueState, stored: readonly MarketFunding[]): void {
  for (const [market, funding] of stored.entries()) {
    const { premiumSum, rate, settlement } = funding;
    const amounts = { premiumSum: BigInt(premiumSum), rate: BigInt(rate) };
    const open = settlement && { ...settlement, rate: BigInt(settlement.rate) };
    Object.assign(state.funding.of(market), { ...funding, ...amounts, settlement: open });
  }
}

/** Only the unfinished part of a settlement is hashed, because completed payments influence no later decision. */
function hashFunding(funding: MarketFunding, lanes: HashLanes): void {
  const { premiumSum, samples, sampledUs, rate, settledUs, settlement } = funding;
  lanes.amount(premiumSum);
  lanes.number(samples);
  lanes.number(sampledUs);
  lanes.amount(rate);
  lanes.number(settledUs);
  if (settlement === null) return;
  lanes.amount(settlement.rate);
  lanes.number(settlement.mark);
  for (let place = settlement.next; place < settlement.accounts.length; place++) {
    lanes.number(settlement.accounts[place] ?? 0);
    lanes.number(settlement.lots[place] ?? 0);
  }
}

const funding: Part<MarketFunding[]> = {
  capture: (state) => state.funding.all().slice(0, state.marketCount).map(captureFunding),
  restore: restoreFunding,
  hash: (state, lanes) => {
    for (const market of state.funding.all().slice(0, state.marketCount))
      hashFunding(market, lanes);
  },
};

const lostByHour = columns(({ fundHours }) => fundHours.columns, {
  ...{ sinceUs: "number", isPaused: "number", worth: "amount", paid: "amount" },
});

/** Also hashes the trading gate, before the hours; `liquidations` stores the gate but leaves it out of its own hash. */
const fundHours: typeof lostByHour = {
  ...lostByHour,
  hash: (state, lanes) => {
    lanes.word(state.liquidations.gate);
    lostByHour.hash(state, lanes);
  },
};

/** Liquidations, in the order in which they started. Clearing takes their steps in the same order. */
const underLiquidation = rows(
  ({ liquidations }) => liquidations.all(),
  ({ liquidations }, row) => liquidations.set(row),
  { account: "number", stage: "number", dryTries: "number", nextUs: "number" },
);

const liquidations: Part<{
  gate: VenueState["liquidations"]["gate"];
  under: ReturnType<typeof underLiquidation.capture>;
}> = {
  capture: (state) => ({ gate: state.liquidations.gate, under: underLiquidation.capture(state) }),
  restore: (state, { gate, under }) => {
    state.liquidations.gate = gate;
    underLiquidation.restore(state, under);
  },
  hash: underLiquidation.hash,
};

const swapMoves: Part<number> = {
  capture: (state) => state.swapMoves,
  restore: (state, stored) => {
    state.swapMoves = stored;
  },
  hash: (state, lanes) => lanes.number(state.swapMoves),
};

/** Hashed only if a gateway ever registered: venues without gateways keep the hashes of their old journals. */
const originsIssued: Part<number> = {
  capture: (state) => state.commandResults.issued,
  restore: (state, stored) => {
    state.commandResults.issued = stored;
  },
  hash: (state, lanes) => {
    if (state.commandResults.issued > 0) lanes.number(state.commandResults.issued);
  },
};

/** Hashed only if a connection was ever declared, like the origins. */
const connectionsIssued: Part<number> = {
  capture: (state) => state.connections.issued,
  restore: (state, stored) => {
    state.connections.issued = stored;
  },
  hash: (state, lanes) => {
    if (state.connections.issued > 0) lanes.number(state.connections.issued);
  },
};

const deposited: Part<bigint[]> = {
  capture: (state) => [...state.deposited],
  restore: (state, stored) => {
    for (const [asset, amount] of stored.entries()) state.deposited[asset] = BigInt(amount);
  },
  hash: (state, lanes) => {
    for (const amount of state.deposited) lanes.amount(amount);
  },
};

/** The length of this column gives the number of markets. */
const marketStatus: Part<Uint8Array> = {
  ...column(({ marketStatus }) => marketStatus, "word"),
  restore: (state, stored) => {
    state.marketCount = stored.length;
    state.marketStatus.set(stored);
  },
};

/** All parts, by their names in snapshots. */
export const snapshotParts = {
  protections: rows(
    ({ tpSl }) => tpSl.all(),
    ({ tpSl }, row) => tpSl.add(row),
    {
      ...{ account: "number", market: "number", side: "number" },
      ...{ owedTakeProfit: "number", owedStopLoss: "number", isSpent: "flag" },
      ...{ takeProfitId: "number", stopLossId: "number" },
    },
  ),
  keys: rows(
    ({ keys }) => keys.all().map(({ expiresUs: _, ...key }) => key),
    ({ keys }, row) => keys.register(row),
    {
      ...{ keyId: "number", account: "number", keyType: "number" },
      ...{ sessionId: "number", tier: "number", permissions: "number" },
    },
  ),
  sessions: rows(
    ({ sessions }) => sessions.all(),
    ({ sessions }, row) => sessions.open(row),
    { sessionId: "number", account: "number", expiresUs: "number", keyId: "number" },
  ),
  marketStatus,
  lastPrice: column(({ lastPrice }) => lastPrice, "number"),
  mark: column(({ mark }) => mark, "number"),
  index: column(({ index }) => index, "number"),
  references: columns(
    ({ references }) => references,
    { price: "number", untilUs: "number" },
    indexOriginCount,
  ),
  basis: columns(({ basis }) => basis, { average: "number", isKnown: "word" }),
  indexes: columns(({ indexes }) => indexes, {
    ...{ level: "number", believed: "number", leap: "number" },
    ...{ witnesses: "number", staleUs: "number" },
  }),
  riskTerms: rows(
    ({ riskTerms, marketCount }) => riskTerms.capture(marketCount),
    ({ riskTerms }, { market, term, value }) => riskTerms.set(market, term, value),
    { market: "number", term: "number", value: "number" },
  ),
  countdowns: rows(
    ({ countdowns }) => countdowns.all(),
    ({ countdowns }, row) => countdowns.set(row.account, row.market, row.cancelAtUs),
    { account: "number", market: "number", cancelAtUs: "number" },
  ),
  funding,
  fundHours,
  liquidations,
  withdrawals: rows(
    ({ withdrawals }) => withdrawals.all(),
    ({ withdrawals }, row) => withdrawals.begin(row),
    {
      ...{ withdrawalId: "number", account: "number", asset: "number" },
      ...{ amount: "amount", fee: "amount" },
    },
  ),
  unsettled: rows(
    ({ unsettled }) => unsettled.all(),
    (state, { account, asset, amount }) => holdUnsettled(state, account, asset, amount),
    { account: "number", asset: "number", amount: "amount" },
  ),
  swapHolds: rows(
    ({ swapHolds }) => swapHolds.all(),
    ({ swapHolds, balances }, hold) => {
      swapHolds.set(hold);
      balances.reserve(hold.account, Wallet.spot, hold.asset, hold.amount);
    },
    {
      ...{ account: "number", swapNo: "number", asset: "number", stage: "number" },
      ...{ isLooked: "flag", amount: "amount", booked: "amount" },
    },
  ),
  swapMoves,
  deposited,
  originsIssued,
  origins: rows(
    ({ commandResults }) => commandResults.origins(),
    ({ commandResults }, row) => commandResults.restore(row),
    {
      ...{ origin: "number", name: "text", usedUs: "number" },
      ...{ ordersConfirmed: "number", cancelsConfirmed: "number" },
      ...{ ordersHighest: "number", cancelsHighest: "number" },
    },
  ),
  commandResults: rows(
    ({ commandResults }) => commandResults.results(),
    ({ commandResults }, row) => commandResults.restoreResult(row),
    {
      ...{ origin: "number", lane: "number", number: "number" },
      ...{ subject: "number", seq: "number", isFinished: "flag" },
    },
  ),
  keyExpiries: rows(
    ({ keys }) => keys.expiring().map(({ keyId, expiresUs }) => ({ keyId, expiresUs })),
    ({ keys }, { keyId, expiresUs }) => keys.setExpiry(keyId, expiresUs),
    { keyId: "number", expiresUs: "number" },
  ),
  makerGroups: rows(
    ({ makerGroups }) => makerGroups.rows(),
    (state, { triggeredUs, ...terms }) => {
      setMakerGroup(state, terms).triggeredUs = triggeredUs;
    },
    {
      ...{ account: "number", group: "number", markets: "number", windowUs: "number" },
      ...{ qtyLimit: "number", valueLimit: "amount", countLimit: "number" },
      ...{ triggeredUs: "number" },
    },
  ),
  groupFills: rows(
    ({ makerGroups }) => makerGroups.fills(),
    ({ makerGroups }, row) => makerGroups.restoreFill(row),
    {
      ...{ account: "number", group: "number", tsUs: "number" },
      ...{ qty: "amount", value: "amount" },
    },
  ),
  connectionsIssued,
  connections: rows(
    ({ connections }) => connections.all(),
    ({ connections }, row) => connections.restore(row),
    {
      ...{ connectionId: "number", account: "number", origin: "number" },
      ...{ front: "number", keyId: "number" },
    },
  ),
  boundOrders: rows(
    ({ connections }) => connections.bound(),
    ({ connections }, { orderId, connectionId }) => connections.bind(orderId, connectionId),
    { orderId: "number", connectionId: "number" },
  ),
  subAccounts: rows(
    ({ accounts }) => accounts.subAccounts,
    ({ accounts }, row) => accounts.adopt(row),
    { account: "number", owner: "number", label: "text" },
  ),
  orderLists: rows(
    ({ orderLists }) => orderLists.all(),
    ({ orderLists }, row) => orderLists.open(row),
    {
      ...{
        listId: "number",
        account: "number",
        market: "number",
        type: "number",
        clientId: "text",
      },
      ...{ boughtLots: "number", proceeds: "amount" },
    },
  ),
};

type Parts = typeof snapshotParts;

export type SnapshotParts = { [Name in keyof Parts]: ReturnType<Parts[Name]["capture"]> };

const every = Object.entries(snapshotParts) as [keyof Parts, Part<unknown>][];

/** Number of parts. It counts toward the format number, because older snapshots lack parts that were added later. */
export const partCount = every.length;

export function captureParts(state: VenueState): SnapshotParts {
  return Object.fromEntries(
    every.map(([name, part]) => [name, part.capture(state)]),
  ) as SnapshotParts;
}

/** Fills a fresh state that has its accounts and balances. */
export function restoreParts(state: VenueState, stored: SnapshotParts): void {
  for (const [name, part] of every) part.restore(state, stored[name]);
}

export function hashParts(state: VenueState, lanes: HashLanes): void {
  for (const [, part] of every) part.hash(state, lanes);
}
