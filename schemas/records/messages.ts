// Messages between threads besides commands and events: requests to matchers and their answers, one cache
// line each, and replies to command sources. They exist in a ring for microseconds and are never stored, so
// their layouts may change. The header of messages between gateways and the leader is here too; programs of different
// versions may read it, so a change of its layout needs a new version of the protocol. Numbers are float64 holding safe integers: one store each, exact to 53 bits.

import {
  anyLots,
  anyNumber,
  anyTicks,
  bit,
  code,
  type Fields,
  kindOf,
  market,
  number16,
  number32,
  packed,
} from "./fields.ts";

export interface MessageRow {
  readonly description: string;
  /** The fields, in the order of the message object or of the arguments of the call that delivers the message. */
  readonly fields: Fields;
  /** The memory layout: field names in order; a number is the byte offset of the next field. */
  readonly layout: readonly (string | number)[];
}

const slot = number32(
  "Index of the order in clearing's table and in the matcher's pool, 0 … ordersOpenMax − 1.",
);
const generation = number32("Distinguishes successive orders in one slot.");

export const matchRequest: MessageRow = {
  description:
    "A request to the matcher that owns `market`. Mutable so that one record can be reused.",
  fields: {
    kind: code("MatchRequestKind"),
    market: market(),
    slot,
    generation,
    account: number32(),
    owner: number32(
      "The account's owner, if the account has sub-accounts or is one; otherwise 0. Orders of one owner never trade " +
        "with each other.",
    ),
    side: code("Side"),
    type: code("OrderType"),
    timeInForce: code("TimeInForce"),
    stpMode: packed(
      "flags",
      7,
      code("StpMode", "What happens when the order would trade with an order of its own owner."),
    ),
    isReduceOnly: bit(
      "flags",
      8,
      "The order never trades more than the account's position; only on perpetuals.",
    ),
    price: anyTicks("the limit, or for MARKET the protection price where the sweep stops."),
    qty: anyLots(
      "the quantity to place. For an amend: the new open quantity, if `seenQty` lots are still open. For an adjust: " +
        "the signed change of the account's position. For a level: its number on `side`, 1 for the best.",
    ),
    budget: anyNumber(
      "MARKET by quote amount: the largest Σ ticks × lots that the sweep may trade; 0 for no limit.",
    ),
    seenQty: anyLots(
      "for an amend: the lots that were open when clearing decided it. If fewer are open now, `qty` is reduced by the " +
        "difference, so that the order never trades more than requested. More cannot be open, because an order has at " +
        "most one amend in flight. For a cancel: the lots that must still be open; 0 for any number.",
    ),
    icebergQty: number32(
      "Lots that the order shows its book at a time; 0 for all of them. Only on spot.",
    ),
    shownQty: number32(
      "Only of a restored iceberg order: the lots left of the slice that it shows; 0 for a slice that has not traded.",
    ),
  },
  layout: [
    ...["kind", "market", "slot", "generation", "account", "price", "qty"],
    ...["side", "type", "timeInForce", "flags", "owner", "budget", "seenQty", "icebergQty"],
    "shownQty",
  ],
};

const pair = { takerSlot: number32(), makerSlot: number32() } satisfies Fields;

/**
 * Answers of a matcher, by the name of the call that delivers each. Their kinds differ from those of requests, so that
 * a record in the wrong ring is detected.
 */
export const matchReplies: Readonly<Record<string, MessageRow>> = {
  filled: {
    description:
      "The incoming order traded `qty` lots with the resting order in `makerSlot`, at the resting order's price.",
    fields: { kind: kindOf(10), ...pair, price: anyTicks(), qty: anyLots() },
    layout: ["kind", "takerSlot", "makerSlot", "price", "qty"],
  },
  reduced: {
    description:
      "Instead of trading with each other (`StpMode.decrement`), the incoming and the resting order each lost " +
      "`qty` lots. A resting order with nothing left has left the book.",
    fields: { kind: kindOf(12), ...pair, qty: anyLots() },
    layout: ["kind", "takerSlot", "makerSlot", 24, "qty"],
  },
  removed: {
    description: "The resting order left the book with `remaining` lots, which is at least 1.",
    fields: { kind: kindOf(13), ...pair, reason: code("RemovalReason"), remaining: anyLots() },
    layout: ["kind", "takerSlot", "makerSlot", "reason", "remaining"],
  },
  met: {
    description:
      "The incoming order stops at a resting order of its own owner; the resting order stays unchanged.",
    fields: { kind: kindOf(14), ...pair },
    layout: ["kind", "takerSlot", "makerSlot"],
  },
  ended: {
    description:
      "The request about `slot` is done. `remaining` lots were left to rest, expire or cancel; of a level that was " +
      "read, it is the price in ticks, 0 for none. `bestBid` and `bestAsk` are the market's current best prices, 0 for " +
      "an empty side.",
    fields: {
      kind: kindOf(11),
      market: market(),
      slot,
      generation,
      lane: code("MatchLane"),
      outcome: code("MatchOutcome"),
      remaining: anyLots(),
      bestBid: anyTicks(),
      bestAsk: anyTicks(),
    },
    layout: [
      ...["kind", "lane", "market", "slot", "generation", "outcome", "remaining"],
      ...["bestBid", "bestAsk"],
    ],
  },
};

export const reply: MessageRow = {
  description:
    "Clearing's reply to a command, delivered through the journal: it leaves the venue only after `lastSeq` is " +
    "committed. This applies to refusals and repeated answers too, because they may depend on events that are " +
    "not durable yet.",
  fields: {
    source: number16(),
    correlation: number32(),
    reason: packed("answer", 0x7fff, code("RejectReason", "0 for success."), 2),
    lastSeq: anyNumber("Last seq issued when this was decided."),
    subject: anyNumber(
      "The order placed or cancelled, the account opened, the seq of a transfer, the count of a mass cancel; else 0.",
    ),
    isRepeated: bit(
      "answer",
      0x8000,
      "The request was done before with the same idempotency key: `subject` is the first result.",
      2,
    ),
  },
  layout: ["source", "answer", "correlation", "lastSeq", "subject"],
};

export const orderClaim: MessageRow = {
  description:
    "Precedes each command in a message of a gateway: for whom the leader counts it. The gateway has authenticated the key " +
    "and knows the tiers; only the leader knows what the key sent to other gateways.",
  fields: {
    keyId: number32("The key or session of the request."),
    orders: number16("Orders that the command counts as; 0 if it is not counted, or was before."),
    keyTier: code("RateTier", "Tier of the key."),
    accountTier: code(
      "RateTier",
      "Largest tier among the keys and sessions of the owner's accounts.",
    ),
    owner: number32("The account whose orders these count as; 0 for the account of the command."),
  },
  layout: ["keyId", "owner", "orders", "keyTier", "accountTier"],
};

export const orderUse: MessageRow = {
  description:
    "Follows each reply in a message to a gateway: what its key has used of its order limits.",
  fields: {
    per10s: number16(
      "Orders of the key in the current 10 s; 65535 if the command was not counted.",
    ),
    perMinute: number16("Orders of the key in the current minute."),
  },
  layout: ["per10s", "perMinute"],
};

export const busHeader: MessageRow = {
  description:
    "Begins every message between a gateway and the leader. Records follow it, as in a ring: commands, replies or " +
    "committed events. `protocol` keeps its place in every version, so that a receiver can refuse other versions.",
  fields: {
    protocol: number16("Version of the header and of the records after it."),
    slot: number16(
      "Number of the gateway among those of the leader; 65535 in a refused request to join.",
    ),
    lane: number16(
      "Of commands: 0, or 1 if they are cancels, which overtake the others; 2 if the gateway stops and leaves.",
    ),
    count: number16("Number of records that follow."),
    epoch: anyNumber(
      "Writer epoch of the leader that sends, or to which the gateway sends. Messages of earlier epochs are discarded.",
    ),
    incarnation: anyNumber(
      "The gateway's number, chosen at random when it starts. In messages to all gateways: 0.",
    ),
    firstSeq: anyNumber("Of events: the seq of the first one."),
    durableSeq: anyNumber(
      "From the leader: the last seq that is durable and sent. Gateways fold nothing past it.",
    ),
    sentUs: anyNumber(
      "From the leader: its time. From a gateway: the leader's time as the gateway knows it, which is never later " +
        "than the leader's own. Microseconds UTC.",
    ),
    followedMs: anyNumber(
      "From the leader: Unix ms at which the ledger's updates were last read completely; 0 for never.",
    ),
    markets: anyNumber("From the leader: the number of its markets. Markets are only ever added."),
    origin: anyNumber(
      "From a gateway: the number under which the leader knows its commands; 0 before the registration.",
    ),
  },
  layout: [
    ...["protocol", "slot", "lane", "count", "epoch", "incarnation", "firstSeq", "durableSeq"],
    ...["sentUs", "followedMs", "markets", "origin"],
  ],
};
