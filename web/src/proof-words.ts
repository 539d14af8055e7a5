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
}

/** The fields that are shown, in this order; all others are identifiers or of no use to a reader. */
const named = [
  ["market", "Market"],
  ["side", "Side"],
  ["type", "Type"],
  ["price", "Price"],
  ["qty", "Quantity"],
  ["trigger_price", "Trigger price"],
  ["time_in_force", "Time in force"],
  ["asset", "Asset"],
  ["amount", "Amount"],
  ["reason", "Reason"],
] as const;
const numbers: ReadonlySet<string> = new Set(["price", "qty", "trigger_price", "amount"]);

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
  const roles = (Array.isArray(leaf["sides"]) ? leaf["sides"] : []).map((side) =>
    textIn(fieldsOf(side), "role"),
  );
  const isMaker = roles.length === 1 && roles[0] === "maker";
  const side = isMaker ? (takerSide === "BUY" ? "SELL" : "BUY") : takerSide;
  return roles.length === 1 ? `${side}, as ${roles[0]}` : `${side} (taker)`;
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
  const told: Fields = { ...body, ...(takerSide !== "" && { side: sideOf(leaf, takerSide) }) };
  return {
    title: titleOf(leaf, ref, what),
    atMs: Math.floor(Number(textIn(leaf, "ts_us")) / 1000),
    facts: named.flatMap(([field, name]) => {
      const value = textIn(told, field);
      if (value === "") return [];
      const isPrice = numbers.has(field) && /^\d+(\.\d+)?$/.test(value);
      return [[name, isPrice ? grouped(value) : value.replace(/_/g, " ")] as const];
    }),
  };
}
