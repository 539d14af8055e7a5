// What a proof is about, in words: the fields of the entry or trade whose hash the proof leads to the root. Independent
// of page and network; the caller shows it only once the proof is valid, because only then are the fields the recorded
// ones.

import { grouped } from "./decimal-text.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface ProvedSubject {
  /** "Trade t-3: record of the trade", "Order o-12: order accepted, journal entry 57". */
  readonly title: string;
  /** When it was recorded, in ms. */
  readonly atMs: number;
  /** Names and values; empty if the proof has only the hash of its content. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Whether it has the reader's own side of a trade. */
  readonly isOwn: boolean;
}

/** The fields that are shown, in this order; all others are identifiers or of no use to a reader. */
const named = [
  ["market", "Market"],
  ["side", "Side"],
  ["type", "Type"],
  ["price", "Price"],
  ["bound", "Worst price (a market order's bound)"],
  ["qty", "Quantity"],
  ["fee", "Your fee"],
  ["pnl", "Your realized PnL"],
  ["trigger_price", "Trigger price"],
  ["time_in_force", "Time in force"],
  ["asset", "Asset"],
  ["amount", "Amount"],
  ["reason", "Reason"],
] as const;
const numbers: ReadonlySet<string> = new Set([
  ...["price", "bound", "qty", "fee", "pnl", "trigger_price", "amount"],
]);

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** "ORDER_ACCEPTED" as "order accepted". */
function spoken(name: string): string {
  return name.replace(/_/g, " ").toLowerCase();
}

/** What the owner did in a trade; a public proof, and one of both sides, say what the taker did. */
function sideOf(leaf: Fields, takerSide: string): string {
  const roles = sidesOf(leaf).map((side) => textIn(fieldsOf(side), "role"));
  const isMaker = roles.length === 1 && roles[0] === "maker";
  const side = isMaker ? (takerSide === "BUY" ? "SELL" : "BUY") : takerSide;
  return roles.length === 1 ? `${side}, as ${roles[0]}` : `${side} (taker)`;
}

/** The sides of a trade that the proof opens to its owner. */
function sidesOf(leaf: Fields): readonly unknown[] {
  return Array.isArray(leaf["sides"]) ? leaf["sides"] : [];
}

/** Fee and profit of the owner in a trade, if one side was the owner's. */
function resultOf(leaf: Fields): Fields {
  const [side, ...others] = sidesOf(leaf);
  if (others.length > 0) return {};
  const { fee, pnl } = fieldsOf(fieldsOf(side)["body"]);
  return { fee, pnl };
}

function titleOf({ kind }: Fields, ref: string, what: string): string {
  if (ref === "") return `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`;
  const name = ref.startsWith("t-") ? "Trade" : "Order";
  return `${name} ${ref}: ${kind === "fill" ? "record of the trade" : what}`;
}

/** The subject of a proof of `/v1/chain/proof`. A field that is missing or no text is left out. */
export function provedSubject(proof: unknown): ProvedSubject {
  const leaf = fieldsOf(fieldsOf(proof)["leaf"]);
  const body = fieldsOf(leaf["body"]);
  const [ref, event] = [textIn(leaf, "ref_id"), textIn(body, "event")];
  const place = `journal entry ${textIn(leaf, "seq")}`;
  const what = event === "" ? place : `${spoken(event)}, ${place}`;
  const takerSide = textIn(body, "taker_side");
  const isTrade = takerSide !== "";
  const told: Fields = {
    ...body,
    ...(isTrade && { side: sideOf(leaf, takerSide), ...resultOf(leaf) }),
    ...(body["type"] === "MARKET" && { price: "", bound: body["price"], time_in_force: "" }),
  };
  return {
    title: titleOf(leaf, ref, what),
    isOwn: sidesOf(leaf).length > 0,
    atMs: Math.floor(Number(textIn(leaf, "ts_us")) / 1000),
    facts: named.flatMap(([field, name]) => {
      const value = textIn(told, field);
      if (value === "") return [];
      const isPrice = numbers.has(field) && /^-?\d+(\.\d+)?$/.test(value);
      return [[name, isPrice ? grouped(value) : value.replace(/_/g, " ")] as const];
    }),
  };
}
