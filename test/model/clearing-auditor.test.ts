// Proves that the auditor can fail. Correct events pass, and each kind of wrong event or number is detected with the
// right message; otherwise every model test that uses the auditor would prove nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { CloseReason, OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { marketId, oneUsdc, testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { ClearingAuditor } from "./clearing-auditor.ts";
import { assertAgreement, assertConserved, assertSound, audit } from "./conservation.ts";

type EventOf<K extends VenueEvent["kind"]> = Extract<VenueEvent, { kind: K }>;

/**
 * A short trading day: spot and perpetual trades, an order left on each side, a cancel, and an IOC order whose
 * remainder is closed.
 */
function shortDay(): TestVenue {
  const venue = new TestVenue();
  const [first, second, third] = [
    venue.fund(50_000n * oneUsdc),
    venue.fund(50_000n * oneUsdc),
    venue.fund(50_000n * oneUsdc),
  ];
  venue.credit(first, Wallet.spot, 1, 10_000n * 10n ** 8n);
  venue.credit(second, Wallet.spot, 1, 10_000n * 10n ** 8n);
  const { ccUsdc, btcPerp } = marketId;
  venue.sell(first, ccUsdc, 1500, 2000, { clientId: "first" });
  venue.sell(second, ccUsdc, 1500, 2000);
  venue.buy(third, ccUsdc, 1500, 3000);
  const resting = venue.buy(third, ccUsdc, 1400, 3000);
  venue.cancel(third, ccUsdc, resting);
  venue.buy(third, ccUsdc, 1500, 2000, { timeInForce: TimeInForce.ioc });
  venue.buy(first, btcPerp, 5_000_000, 100);
  venue.sell(second, btcPerp, 5_000_000, 70);
  venue.sell(first, btcPerp, 5_100_000, 70, { clientId: "second" });
  venue.buy(third, btcPerp, 5_100_000, 30);
  venue.buy(second, btcPerp, 4_900_000, 10, { type: OrderType.limitMaker });
  return venue;
}

const day = shortDay();

/** Returns the day's events, with one of them changed: the event of `kind` at `index` among its kind. */
function withChanged<K extends VenueEvent["kind"]>(
  kind: K,
  change: (event: EventOf<K>) => void,
  index = 0,
): VenueEvent[] {
  const events = day.events.map((event) => ({ ...event }));
  const event = events.filter((one): one is EventOf<K> => one.kind === kind)[index];
  assert(event !== undefined);
  change(event);
  return events;
}

function judge(events: readonly VenueEvent[]): void {
  audit(events, new ClearingAuditor(testMarkets));
}

test("the auditor accepts correct events and agrees with the state that produced them", () => {
  const auditor = new ClearingAuditor(testMarkets);
  assert(audit(day.events, auditor) > 10);
  assertSound(day.state, auditor);
});

const { orderAccepted, orderClosed, traded, credited, accountOpened } = EventKind;
const perpTrade = 3;

const canaries: readonly [name: string, words: RegExp, events: () => VenueEvent[]][] = [
  ["a skipped seq", /seq must be gapless/, () => withChanged(traded, (event) => event.seq++)],
  [
    "an event time that does not increase",
    /event times/,
    () =>
      withChanged(traded, (event) => {
        event.tsUs = 1;
      }),
  ],
  ["a skipped order id", /order ids/, () => withChanged(orderAccepted, (event) => event.orderId++)],
  ["a skipped trade id", /trade ids/, () => withChanged(traded, (event) => event.tradeId++)],
  [
    "a skipped account number",
    /account numbers/,
    () => withChanged(accountOpened, (event) => event.account++, 2),
  ],
  [
    "a fee that is too high",
    /fee of a trade/,
    () =>
      withChanged(traded, (event) => {
        event.takerFee += 1n;
      }),
  ],
  [
    "a missing fee",
    /fee of a trade/,
    () =>
      withChanged(traded, (event) => {
        event.makerFee = 0n;
      }),
  ],
  [
    "a profit without a closed position",
    /profit of a trade/,
    () =>
      withChanged(
        traded,
        (event) => {
          event.makerPnl += 1n;
        },
        perpTrade,
      ),
  ],
  [
    "a trade with the younger order first",
    /price, then time/,
    () =>
      withChanged(traded, (event) => {
        event.makerOrderId = 2;
        event.makerAccount = 1002;
      }),
  ],
  [
    "a price that no order has",
    /resting order's price/,
    () =>
      withChanged(traded, (event) => {
        event.price = 1499;
        event.takerFee = 1n;
      }),
  ],
  [
    "a trade of an account with itself",
    /must belong to the event's|with itself/,
    () =>
      withChanged(traded, (event) => {
        event.makerAccount = event.account;
      }),
  ],
  [
    "a fill that is too large",
    /beyond its quantity|more than it shows/,
    () =>
      withChanged(traded, (event) => {
        event.qty = 2001;
        event.takerFee = (2001n * 10_000_000n * 10n) / 10_000n;
        event.makerFee = (2001n * 1500n * 10n * 4n) / 10_000n;
      }),
  ],
  [
    "a remainder that must not rest",
    /may rest/,
    () => {
      const events = withChanged(orderAccepted, (event) => {
        event.timeInForce = TimeInForce.ioc;
      });
      return events;
    },
  ],
  [
    "a crossed book",
    /never be crossed/,
    () =>
      withChanged(
        orderAccepted,
        (event) => {
          event.side = Side.buy;
          event.price = 1500;
        },
        1,
      ),
  ],
  [
    "a post-only order that takes",
    /post-only/,
    () =>
      withChanged(
        orderAccepted,
        (event) => {
          event.timeInForce = TimeInForce.gtx;
        },
        2,
      ),
  ],
  [
    "a FOK order that fills in part",
    /whole or not at all/,
    () =>
      withChanged(
        orderAccepted,
        (event) => {
          event.timeInForce = TimeInForce.fok;
        },
        4,
      ),
  ],
  [
    "a close of another account's order",
    /closed order must belong/,
    () => withChanged(orderClosed, (event) => event.account++),
  ],
  [
    "a resting order that expires",
    /on request/,
    () =>
      withChanged(orderClosed, (event) => {
        event.reason = CloseReason.unfilled;
      }),
  ],
  [
    "a client id used twice",
    /used twice/,
    () =>
      withChanged(
        orderAccepted,
        (event) => {
          event.clientId = "first";
        },
        7,
      ),
  ],
  [
    "an order of a system account",
    /only customers may place orders/,
    () =>
      withChanged(orderAccepted, (event) => {
        event.account = SystemAccount.fees;
      }),
  ],
  [
    "an order without enough balance",
    /cover spot orders/,
    () =>
      withChanged(
        credited,
        (event) => {
          event.amount = 1n;
        },
        6,
      ),
  ],
  [
    "an incomplete transaction",
    /whole/,
    () =>
      day.events.slice(
        0,
        day.events.findIndex(({ kind }) => kind === traded),
      ),
  ],
  [
    "a trade outside its order's transaction",
    /to the transaction's order/,
    () =>
      withChanged(traded, (event) => {
        event.takerOrderId = 1;
      }),
  ],
];

for (const [name, message, events] of canaries) {
  test(`canary: the auditor detects ${name}`, () => {
    assert.throws(() => judge(events()), message);
  });
}

test("canary: the auditor detects an order that fills after it closed", () => {
  const events = day.events.map((event) => ({ ...event }));
  const closed = events.findIndex(({ kind }) => kind === orderClosed);
  const again = events
    .slice(closed)
    .map((event) => ({ ...event, seq: event.seq + 1, tsUs: event.tsUs + 1 }));
  const copy = events.slice(0, closed + 1).concat(again);
  assert.throws(() => judge(copy), /must be open/);
});

/** Wrong changes to the state of a short day, each with the message that must report it. */
const stateCanaries: readonly [name: string, words: RegExp, harm: (venue: TestVenue) => void][] = [
  [
    "cash created from nothing",
    /conservation of USDC/,
    ({ state }) => state.balances.add(1001, Wallet.funding, 0, 1n),
  ],
  [
    "an extra hold",
    /sum of holds/,
    ({ state }) => state.balances.reserve(1001, Wallet.perp, 0, 1n),
  ],
  [
    "a spot balance below its holds",
    /cover spot orders/,
    (venue) => {
      const { state } = venue;
      const account = venue.fund(15n * oneUsdc);
      venue.buy(account, marketId.ccUsdc, 1400, 1000);
      state.balances.add(account, Wallet.spot, 0, -5n * oneUsdc);
    },
  ],
  [
    "a position on one side only",
    /sum to zero/,
    ({ state }) => {
      const entryValue = state.positions.entryValue(1001, marketId.btcPerp);
      state.positions.set(1001, marketId.btcPerp, { qty: 999, entryValue, pnl: 0n });
    },
  ],
  [
    "an entry value without a trade",
    /conservation of USDC/,
    ({ state }) => {
      const qty = state.positions.qty(1001, marketId.btcPerp);
      state.positions.set(1001, marketId.btcPerp, { qty, entryValue: 1n, pnl: 0n });
    },
  ],
  [
    "open interest that is too small",
    /open interest/,
    ({ state }) => {
      // No call of the table's methods makes its open interest wrong, so replace the method that returns open
      // interest.
      const { positions } = state;
      positions.openInterest = () => 1;
    },
  ],
];

for (const [name, message, harm] of stateCanaries) {
  test(`canary: the invariants of a state detect ${name}`, () => {
    const venue = shortDay();
    assertConserved(venue.state);
    harm(venue);
    assert.throws(() => assertConserved(venue.state), message);
  });
}

test("canary: the agreement check detects a different balance, order and event", () => {
  const harms: [RegExp, (venue: TestVenue) => void][] = [
    [
      /balances differ/,
      ({ state }) => {
        state.balances.add(1001, Wallet.funding, 0, 1n);
        state.balances.add(1002, Wallet.funding, 0, -1n);
      },
    ],
    [
      /remaining lots differ/,
      ({ state }) => {
        const slot = state.orders.firstOfAccount(1002);
        state.orders.qty[slot] = (state.orders.qty[slot] ?? 0) + 1;
      },
    ],
    [
      /holds of an order differ/,
      ({ state }) => {
        const slot = state.orders.firstOfAccount(1002);
        state.orders.reserved[slot] = 1n;
      },
    ],
    [/same events/, (venue) => venue.open(AccountType.house)],
  ];
  for (const [message, harm] of harms) {
    const venue = shortDay();
    const auditor = new ClearingAuditor(testMarkets);
    audit(venue.events, auditor);
    assertAgreement(venue.state, auditor);
    harm(venue);
    assert.throws(() => assertAgreement(venue.state, auditor), message);
  }
});
