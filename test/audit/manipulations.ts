// Ways to falsify a venue's records, each with the check that must find it and the entry at which it must. All
// checksums, numbers and seals are recomputed by whoever falsifies, unless they are what is falsified.

import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { InsuranceCause } from "../../src/core/liquidation.ts";
import { isPerpetual } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import type { BalanceStatement } from "../../src/services/journal/balance-statement.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { changed, doubled, exchanged, firstOf, without } from "./altered-events.ts";
import { type Evidence, exportOf } from "./evidence.ts";

/** What the manipulations start from: a run's events, and what its venue states after them. */
export interface Honest {
  readonly events: readonly VenueEvent[];
  readonly balances: BalanceStatement;
}

export interface Falsified {
  readonly evidence: Evidence;
  /** The entry that must be named; null if it is the statement that differs. */
  readonly seq: number | null;
  /** The account that must be named, if the manipulation is about one. */
  readonly account?: number;
}

export interface Manipulation {
  readonly name: string;
  /** Part of the rule of the check that finds it. Without this check, nothing is found at that entry. */
  readonly rule: string;
  readonly falsify: (honest: Honest) => Falsified;
}

const nobody = 3_000;
const entriesAfter = 20;

function isPerp({ market }: { readonly market: number }): boolean {
  return isPerpetual(testMarkets.market(market));
}

/** Falsifies the values of one event. */
function oneEvent<Kind extends VenueEvent["kind"]>(
  kind: Kind,
  change: (
    event: Extract<VenueEvent, { kind: Kind }>,
  ) => Partial<Extract<VenueEvent, { kind: Kind }>>,
  isWanted?: (event: Extract<VenueEvent, { kind: Kind }>) => boolean,
): Manipulation["falsify"] {
  return ({ events }) => {
    const event = firstOf(events, kind, isWanted);
    return journal(changed(events, event, change(event)), event.seq);
  };
}

/** Falsifies what the venue states, not the journal. */
function statement(
  change: (balances: BalanceStatement) => BalanceStatement,
  account?: number,
): Manipulation["falsify"] {
  return ({ events, balances }) => ({
    evidence: { journal: exportOf(events), balances: change(balances) },
    seq: null,
    ...(account === undefined ? {} : { account }),
  });
}

/**
 * The export of falsified events, of which the one with this seq must be named. It ends soon after that entry, since an
 * audit does too.
 */
function journal(events: readonly VenueEvent[], seq: number): Falsified {
  return { evidence: { journal: exportOf(events.slice(0, seq + entriesAfter)) }, seq };
}

const isPaidFill = (event: Traded) => event.takerFee > 0n && !isPerp(event);
const realises = (event: Traded) => isPerp(event) && event.takerPnl !== 0n;
/** The lowest account number that has a balance. */
const { fees: cash } = SystemAccount;

/** Falsified statements of balances, which the journal refutes. */
export const statementManipulations: readonly Manipulation[] = [
  {
    name: "a deposit is larger than what its account is told to have",
    rule: "is the recomputed one",
    falsify: ({ events, balances }) => {
      const event = firstOf(events, EventKind.credited, ({ wallet }) => wallet === Wallet.funding);
      const altered = changed(events, event, { amount: event.amount + 1n });
      return {
        evidence: { journal: exportOf(altered), balances },
        seq: null,
        account: event.account,
      };
    },
  },
  {
    name: "a balance that the venue states is a minor unit too high",
    rule: "is the recomputed one",
    falsify: statement(
      (given) => ({
        ...given,
        balances: given.balances.map((row, index) => (index === 0 ? { ...row, units: "1" } : row)),
      }),
      cash,
    ),
  },
  {
    name: "the venue states a negative balance for an account that owes nothing",
    rule: "is the recomputed one",
    falsify: statement(
      (given) => ({
        ...given,
        balances: [
          ...given.balances,
          { account: nobody, wallet: "perp", asset: "USDC", units: "-5" },
        ],
      }),
      nobody,
    ),
  },
  {
    name: "the venue states a balance of an account that was never opened",
    rule: "is the recomputed one",
    falsify: statement(
      (given) => ({
        ...given,
        balances: [...given.balances, { account: nobody, wallet: "spot", asset: "CC", units: "1" }],
      }),
      nobody,
    ),
  },
  {
    name: "the venue leaves out what an account has",
    rule: "is the recomputed one",
    falsify: statement((given) => ({ ...given, balances: given.balances.slice(1) }), cash),
  },
  {
    name: "the venue states another position",
    rule: "is the recomputed one",
    falsify: statement((given) => ({ ...given, positions: given.positions.slice(1) })),
  },
];

/** Falsified entries. */
export const entryManipulations: readonly Manipulation[] = [
  {
    name: "a fee is a minor unit too low",
    rule: "the fee follows",
    falsify: oneEvent(
      EventKind.traded,
      ({ takerFee }) => ({ takerFee: takerFee - 1n }),
      isPaidFill,
    ),
  },
  {
    name: "an account pays no fee although it is not a house account",
    rule: "the fee follows",
    falsify: oneEvent(
      EventKind.traded,
      () => ({ makerFee: 0n }),
      ({ makerFee }) => makerFee > 0n,
    ),
  },
  {
    name: "a position's profit is a minor unit too high",
    rule: "the profit follows",
    falsify: oneEvent(EventKind.traded, ({ takerPnl }) => ({ takerPnl: takerPnl + 1n }), realises),
  },
  {
    name: "a spot fill pays a profit",
    rule: "a spot fill realises no profit",
    falsify: oneEvent(
      EventKind.traded,
      () => ({ makerPnl: 7n }),
      (event) => !isPerp(event),
    ),
  },
  {
    name: "a fill has another price than the resting order",
    rule: "the price of the resting order",
    falsify: oneEvent(EventKind.traded, ({ price, takerSide }) => ({
      price: takerSide === Side.buy ? price - 1 : price + 1,
    })),
  },
  {
    name: "a fill has more lots than its orders",
    rule: "no more than its open lots",
    falsify: oneEvent(EventKind.traded, ({ qty }) => ({ qty: qty + 1_000_000 })),
  },
  {
    name: "a fill is booked on another account",
    rule: "keeps its account and market",
    falsify: ({ events }) => {
      const event = firstOf(events, EventKind.traded);
      const other = firstOf(
        events,
        EventKind.accountOpened,
        ({ account }) =>
          ![event.account, event.makerAccount].includes(account) && account > event.seq % 2,
      );
      return journal(changed(events, event, { makerAccount: other.account }), event.seq);
    },
  },
  {
    name: "a fill is booked on an account that was never opened",
    rule: "must have been opened",
    falsify: oneEvent(EventKind.traded, () => ({ makerAccount: nobody })),
  },
  {
    name: "a fill is there twice",
    rule: "the order must be open",
    falsify: ({ events }) => {
      const closing = firstOf(
        events,
        EventKind.traded,
        ({ seq, makerOrderId, takerOrderId }) =>
          !events.some((later) => later.seq > seq && isAbout(later, [makerOrderId, takerOrderId])),
      );
      return journal(doubled(events, closing), closing.seq + 1);
    },
  },
  {
    name: "a fill is left out, and everything after it renumbered",
    rule: "the profit follows",
    falsify: ({ events }) => {
      const fill = firstOf(
        events,
        EventKind.traded,
        (event) => isPerp(event) && refutation(events, event) !== null,
      );
      return journal(without(events, fill), (refutation(events, fill)?.seq ?? 0) - 1);
    },
  },
  {
    name: "an acceptance is left out",
    rule: "order ids count without a gap",
    falsify: ({ events }) => {
      const accepted = firstOf(events, EventKind.orderAccepted);
      const next = firstOf(events, EventKind.orderAccepted, ({ seq }) => seq > accepted.seq);
      return journal(without(events, accepted), next.seq - 1);
    },
  },
  {
    name: "an entry is missing, and its number too",
    rule: "entries are numbered without a gap",
    falsify: ({ events }) => {
      const missing = firstOf(events, EventKind.marked);
      const rest = events.filter(({ seq }) => seq !== missing.seq);
      return journal(rest, missing.seq + 1);
    },
  },
  {
    name: "a fill stands before the acceptance of its order",
    rule: "the order must be open",
    falsify: ({ events }) => {
      const fill = firstOf(events, EventKind.traded, ({ seq, takerOrderId }) => {
        const before = events[seq - 2];
        return before?.kind === EventKind.orderAccepted && before.orderId === takerOrderId;
      });
      return journal(exchanged(events, fill), fill.seq - 1);
    },
  },
  {
    name: "an entry has an earlier time than the one before it",
    rule: "times increase",
    falsify: ({ events }) => {
      const event = events[500] as VenueEvent;
      return journal(changed(events, event, { tsUs: (events[499] as VenueEvent).tsUs }), event.seq);
    },
  },
  {
    name: "an account transfers more than it has",
    rule: "a wallet pays only what it has",
    falsify: oneEvent(
      EventKind.transferred,
      () => ({ amount: 10n ** 17n }),
      ({ amount }) => amount > 0n,
    ),
  },
  {
    name: "a funding payment is a minor unit too low",
    rule: "funding is value",
    falsify: oneEvent(EventKind.fundingPaid, ({ amount }) => ({ amount: amount - 1n })),
  },
  {
    name: "an account is spared its funding payment",
    rule: "every position was paid",
    falsify: ({ events }) => {
      const paid = firstOf(events, EventKind.fundingPaid);
      const next = firstOf(
        events,
        EventKind.fundingStarted,
        ({ seq, market }) => seq > paid.seq && market === paid.market,
      );
      return journal(without(events, paid), next.seq - 1);
    },
  },
  {
    name: "an account pays funding twice",
    rule: "each position at the settlement's start pays once",
    falsify: ({ events }) => {
      const paid = firstOf(events, EventKind.fundingPaid);
      return journal(doubled(events, paid), paid.seq + 1);
    },
  },
  {
    name: "a position moves at another profit",
    rule: "the profit follows",
    falsify: oneEvent(EventKind.positionMoved, ({ counterpartyPnl }) => ({
      counterpartyPnl: counterpartyPnl + 1n,
    })),
  },
  {
    name: "more of a position moves than there is",
    rule: "a position moves in part or whole",
    falsify: oneEvent(EventKind.positionMoved, ({ qty }) => ({ qty: qty * 1_000 })),
  },
  {
    name: "the insurance fund pays an account that owes nothing",
    rule: "the fund pays no more than a debt",
    falsify: oneEvent(EventKind.insuranceSettled, () => ({
      cause: InsuranceCause.shortfall,
      amount: 10n ** 15n,
    })),
  },
  {
    name: "a withdrawal that failed returns more",
    rule: "ends with the terms of its request",
    falsify: oneEvent(EventKind.withdrawalEnded, ({ amount }) => ({ amount: amount + 1n })),
  },
  {
    name: "a withdrawal is paid twice",
    rule: "ends with the terms of its request",
    falsify: ({ events }) => {
      const ended = firstOf(events, EventKind.withdrawalEnded);
      return journal(doubled(events, ended), ended.seq + 1);
    },
  },
  {
    name: "a referrer is paid more commission than accrued",
    rule: "a claim takes the whole",
    falsify: oneEvent(EventKind.rewardClaimed, ({ amount }) => ({ amount: amount + 1n })),
  },
  {
    name: "more commission accrues than a tenth of the fees",
    rule: "commission is a tenth",
    falsify: oneEvent(EventKind.rewarded, ({ amount }) => ({ amount: amount + 1n })),
  },
  {
    name: "an account is credited a negative amount",
    rule: "only a mirrored wallet",
    falsify: oneEvent(
      EventKind.credited,
      ({ amount }) => ({ amount: -amount }),
      ({ wallet }) => wallet === Wallet.perp,
    ),
  },
  {
    name: "an account number is given to two",
    rule: "an account number is given once",
    falsify: ({ events }) => {
      const [first, second] = events.filter(({ kind }) => kind === EventKind.accountOpened) as [
        VenueEvent,
        VenueEvent,
      ];
      return journal(changed(events, second, { account: first.account }), second.seq);
    },
  },
  {
    name: "an account is closed with what it has",
    rule: "an account that is closed holds nothing",
    falsify: ({ events }) => {
      const credited = firstOf(events, EventKind.credited);
      const type = firstOf(events, EventKind.accountTypeSet, ({ seq }) => seq > credited.seq);
      const closed = { account: credited.account, accountType: AccountType.closed };
      return journal(changed(events, type, closed), type.seq);
    },
  },
];

/**
 * The fill whose profit refutes a journal without `fill`, a fill of a perpetual. Null if something else, such as a funding
 * payment, refutes it before.
 */
function refutation(events: readonly VenueEvent[], fill: Traded): Traded | null {
  const own = [fill.account, fill.makerAccount];
  const later = events.slice(fill.seq);
  const first = later.find((event) => {
    // Commission accrues on the fees of fills.
    if (event.kind === EventKind.rewarded) return true;
    if (!("market" in event) || event.market !== fill.market) return false;
    if (event.kind === EventKind.traded)
      return realisesFor(event, own) || isOfReducing(events, event);
    return changesPositions.has(event.kind) && own.includes(event.account);
  });
  return first?.kind === EventKind.traded && !isOfReducing(events, first) ? first : null;
}

const changesPositions = new Set<number>([EventKind.fundingPaid, EventKind.positionMoved]);

/** Whether a fill realises a profit or a loss of one of these accounts. */
function realisesFor(
  { account, makerAccount, takerPnl, makerPnl }: Traded,
  own: readonly number[],
) {
  return (
    (own.includes(account) && takerPnl !== 0n) || (own.includes(makerAccount) && makerPnl !== 0n)
  );
}

/** Whether one of the orders of a fill may only reduce a position. */
function isOfReducing(events: readonly VenueEvent[], fill: Traded): boolean {
  const ids = [fill.takerOrderId, fill.makerOrderId];
  return events.some(
    (event) => "isReduceOnly" in event && event.isReduceOnly && ids.includes(event.orderId),
  );
}

/** Whether an event is about one of these orders. */
function isAbout(event: VenueEvent, orderIds: readonly number[]): boolean {
  const own =
    event.kind === EventKind.traded
      ? [event.makerOrderId, event.takerOrderId]
      : "orderId" in event
        ? [event.orderId]
        : [];
  return own.some((orderId) => orderIds.includes(orderId));
}
