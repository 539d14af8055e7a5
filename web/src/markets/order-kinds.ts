// The kinds of orders that the ticket offers: what each needs, and what it is called on the venue. The page itself
// makes a scale of several limit orders, and a TWAP of several market orders.

import type { Market } from "./market.ts";

/** What a kind of order is called on the routes of perpetuals and of spot markets; null where it is not offered. */
interface KindTraits {
  readonly label: string;
  readonly perpetual: string | null;
  readonly spot: string | null;
  /** Whether the order has a limit price. */
  readonly hasPrice: boolean;
  /** Whether the order waits for a trigger price. */
  readonly hasTrigger: boolean;
}

const atMarket = { hasPrice: false, hasTrigger: false } as const;
const atLimit = { hasPrice: true, hasTrigger: false } as const;

export const orderKinds = {
  LIMIT: { label: "Limit", perpetual: "LIMIT", spot: "LIMIT", ...atLimit },
  MARKET: { label: "Market", perpetual: "MARKET", spot: "MARKET", ...atMarket },
  STOP_LIMIT: {
    label: "Stop limit",
    perpetual: "STOP",
    spot: "STOP_LOSS_LIMIT",
    ...{ hasPrice: true, hasTrigger: true },
  },
  STOP_MARKET: {
    label: "Stop market",
    perpetual: "STOP_MARKET",
    spot: "STOP_LOSS",
    ...{ hasPrice: false, hasTrigger: true },
  },
  TAKE_PROFIT_LIMIT: {
    label: "Take profit limit",
    perpetual: "TAKE_PROFIT",
    spot: "TAKE_PROFIT_LIMIT",
    ...{ hasPrice: true, hasTrigger: true },
  },
  TAKE_PROFIT_MARKET: {
    label: "Take profit market",
    perpetual: "TAKE_PROFIT_MARKET",
    spot: "TAKE_PROFIT",
    ...{ hasPrice: false, hasTrigger: true },
  },
  TRAILING: {
    label: "Trailing stop",
    perpetual: "TRAILING_STOP_MARKET",
    spot: null,
    ...atMarket,
  },
  OCO: { label: "OCO", perpetual: null, spot: "OCO", ...{ hasPrice: true, hasTrigger: true } },
  // The price comes from the book; the ticket's own, if any, only bounds it.
  PEGGED: { label: "Pegged", perpetual: null, spot: "LIMIT", ...atMarket },
  SCALE: { label: "Scale", perpetual: "LIMIT", spot: "LIMIT", ...atLimit },
  TWAP: { label: "TWAP", perpetual: "MARKET", spot: "MARKET", ...atMarket },
} as const satisfies Readonly<Record<string, KindTraits>>;

export type OrderKind = keyof typeof orderKinds;

/** What a type of the native lists, which has the names of perpetuals, is called in the ticket: "STOP" is "Stop limit". */
export function typeLabel(type: string): string {
  const kind = Object.values(orderKinds).find(({ perpetual }) => perpetual === type);
  return kind?.label ?? type.replace(/_/g, " ");
}

/** The two kinds that are always in sight, and the others, as far as the market has them. */
export const usualKinds: readonly OrderKind[] = ["LIMIT", "MARKET"];

export function furtherKinds({ isPerpetual }: Market): readonly OrderKind[] {
  const names = Object.keys(orderKinds) as OrderKind[];
  return names.filter((name) => {
    const { perpetual, spot } = orderKinds[name];
    return !usualKinds.includes(name) && (isPerpetual ? perpetual : spot) !== null;
  });
}

/** Whether an order of the kind waits off the book until a price triggers it. */
export function isWaiting(kind: OrderKind): boolean {
  return orderKinds[kind].hasTrigger || kind === "TRAILING";
}

/** Whether a type of the lists of perpetuals is that of an order that waits for its trigger: "STOP_MARKET". */
export function isConditional(type: string): boolean {
  return Object.entries(orderKinds).some(
    ([kind, { perpetual }]) => perpetual === type && isWaiting(kind as OrderKind),
  );
}

/** Whether an order of the kind trades with the book at once, at the prices that it finds there. */
export function tradesAtMarket(kind: OrderKind): boolean {
  return kind === "MARKET" || kind === "TWAP";
}

/** How long a limit order stays, with labels. */
export const lifetimes = [
  ["GTC", "Good till cancelled"],
  ["GTX", "Post only"],
  ["IOC", "Immediate or cancel"],
  ["FOK", "Fill or kill"],
  ["GTD", "Good till date"],
] as const;

export type Lifetime = (typeof lifetimes)[number][0];

/** The lifetimes that an order of the kind can have in the market. Only a plain limit order can be post-only on spot. */
export function lifetimesOf(kind: OrderKind, { isPerpetual }: Market): readonly Lifetime[] {
  if (kind === "PEGGED") return ["GTC", "GTX", "IOC", "FOK"];
  if (!orderKinds[kind].hasPrice || kind === "OCO") return [];
  if (kind === "SCALE") return ["GTC", "GTX"];
  if (isPerpetual) return lifetimes.map(([name]) => name);
  return kind === "LIMIT" ? ["GTC", "GTX", "IOC", "FOK"] : ["GTC", "IOC", "FOK"];
}
