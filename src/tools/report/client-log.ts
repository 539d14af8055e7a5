// What one client was told, from the lines of the fault proxy's log (REW-36): for each order whether an answer or an event
// of a stream that names it arrived, and how much of it the client knows to be filled; its refusals, and its faults. Requests
// that went past the proxy, to the venue's first address, are not in the log: of such orders nothing is known here.
//
// Times are Unix ms of the machine, not of the market.

import { PublicIdKind, parsePublicId } from "../../core/ids/public-id.ts";
import type { FaultLogLine } from "../faults/fault-log.ts";

/** What a client was told about one order. */
export interface OrderEvidence {
  /** Its number in the journal; null as long as only its client order id is known. */
  orderId: number | null;
  /** When it was sent; null if that request is not in the log. */
  sentMs: number | null;
  /** Whether the answer to that request arrived. */
  isAnswered: boolean;
  /** The fault that happened to that request. */
  fault: string | null;
  /** When an answer or event that names the order first arrived; null if none did. */
  toldMs: number | null;
  /** The largest filled quantity that arrived, as the venue wrote it; null if none did. */
  filledTold: string | null;
  /** When a list of trades that names the order last arrived: it tells all fills up to then. */
  tradesMs: number | null;
  /** Events of its fills, by what happened to them. */
  readonly fillEvents: FillEvents;
}

export interface FillEvents {
  arrived: number;
  twice: number;
  lateOrder: number;
  dropped: number;
}

/** A fault that happened to a client. */
export interface FaultMark {
  readonly atMs: number;
  readonly profile: string;
  readonly kind: string;
  readonly what: string;
  readonly clientOrderId: string | null;
}

/** Refusals with one status, code and message, by the venue or in its place by a fault. */
export interface Refusals {
  readonly status: number;
  readonly code: number | null;
  readonly message: string | null;
  /** The profile whose fault refused; null for the venue's own refusals. */
  readonly fault: string | null;
  count: number;
  /** How many of them the client never saw. */
  unseen: number;
}

/** Marks of one client that are kept: more than a chart can show. */
export const marksMax = 2_000;
/** Kinds of refusals that are kept; messages may have values of the client's in them. */
const refusalsMax = 200;

const refusingKinds = /refuse|outage|clock-skew|lose-request/;

export class ClientLog {
  /** Requests that passed, without streams and connections. */
  requests = 0;
  /** The venue answered, and the client did not get it. */
  lostAnswers = 0;
  /** Without any answer, of the venue or of a fault: lost on their way, or cut. */
  unanswered = 0;
  /** Events of orders that streams brought, or lost. */
  events = 0;
  /** When positions or balances last arrived. */
  accountReadMs: number | null = null;
  readonly refusals: Refusals[] = [];
  readonly marks: FaultMark[] = [];
  marksLeft = 0;
  readonly #byId = new Map<number, OrderEvidence>();
  /** The newest order with each client order id. */
  readonly #byName = new Map<string, OrderEvidence>();

  add(line: FaultLogLine): void {
    if (line.fault !== null) this.#mark(line);
    if (line.method === "CONNECT") return;
    if (line.method === "STREAM") {
      this.#addEvent(line);
      return;
    }
    this.requests++;
    const isAnswered = line.status !== null;
    if (!line.delivered) {
      if (isAnswered) this.lostAnswers++;
      else this.unanswered++;
    }
    if (isRefusal(line)) this.#refuse(line);
    if (line.delivered && isAccountRead(line)) this.accountReadMs = line.at_ms;
    this.#addAnswer(line);
  }

  /** What the client was told of an order; null if the log does not name it. */
  evidenceOf(orderId: number, clientOrderId: string): OrderEvidence | null {
    const byId = this.#byId.get(orderId);
    if (byId !== undefined) return byId;
    // The name belongs to this order only if no other order with it is known by its id.
    const byName = this.#byName.get(clientOrderId);
    return byName === undefined || isOfOther(byName, orderId) ? null : byName;
  }

  /** Pairs of order ids and the machine's times at which they were sent. */
  *sent(): Iterable<readonly [orderId: number, sentMs: number]> {
    for (const [orderId, { sentMs }] of this.#byId) if (sentMs !== null) yield [orderId, sentMs];
  }

  #addAnswer(line: FaultLogLine): void {
    const isPlacing = isPlacement(line);
    // A query for an order that does not exist names one, but tells that there is none. An answer that was lost may have
    // been replaced by an error of the proxy's, while the code is the venue's.
    if (line.code !== null && line.code < 0) return;
    if (line.delivered && line.status !== null && line.status >= 400) return;
    const evidence = this.#evidence(line, isPlacing);
    if (evidence === null) return;
    if (isPlacing && evidence.sentMs === null) {
      evidence.sentMs = line.at_ms;
      evidence.fault = line.fault;
      evidence.isAnswered = line.delivered && line.status !== null;
    }
    if (!line.delivered || line.status === null) return;
    evidence.toldMs ??= line.at_ms;
    this.#tell(evidence, line);
    if (isTradesRead(line)) evidence.tradesMs = line.at_ms;
  }

  #addEvent(line: FaultLogLine): void {
    const evidence = line.event === undefined ? null : this.#evidence(line, false);
    if (evidence === null) return;
    this.events++;
    if (line.order_status === "PARTIALLY_FILLED" || line.order_status === "FILLED") {
      const { fillEvents } = evidence;
      if (!line.delivered) fillEvents.dropped++;
      else fillEvents.arrived++;
      if (line.kind?.includes("duplicate") === true) fillEvents.twice++;
      if (line.kind?.includes("reorder") === true) fillEvents.lateOrder++;
    }
    if (!line.delivered) return;
    evidence.toldMs ??= line.at_ms;
    this.#tell(evidence, line);
  }

  #tell(evidence: OrderEvidence, { filled_qty: filled }: FaultLogLine): void {
    if (filled === undefined) return;
    if (Number(filled) >= Number(evidence.filledTold ?? 0)) evidence.filledTold = filled;
  }

  /** The evidence of the order that a line names; null if it names none. */
  #evidence(line: FaultLogLine, isPlacing: boolean): OrderEvidence | null {
    const id = orderNumber(line.order_id);
    const name = line.client_order_id;
    if (id !== null) {
      const found = this.#byId.get(id) ?? this.#unnamed(name, id) ?? newEvidence();
      found.orderId = id;
      this.#byId.set(id, found);
      if (name !== null) this.#byName.set(name, found);
      return found;
    }
    if (name === null) return null;
    const known = this.#byName.get(name);
    // A name that is sent again may become another order, whose id the answer tells.
    if (known !== undefined && !isPlacing) return known;
    const made = known?.sentMs === null ? known : newEvidence();
    this.#byName.set(name, made);
    return made;
  }

  /** What is known by its name only, until a line with its id comes. */
  #unnamed(name: string | null, id: number): OrderEvidence | undefined {
    const found = name === null ? undefined : this.#byName.get(name);
    return found === undefined || isOfOther(found, id) ? undefined : found;
  }

  #refuse({ status, code, message, fault, kind, delivered }: FaultLogLine): void {
    const profile = kind !== null && refusingKinds.test(kind) ? fault : null;
    const text = message ?? null;
    let found = this.refusals.find(
      (one) =>
        one.status === status && one.code === code && one.message === text && one.fault === profile,
    );
    if (found === undefined) {
      if (this.refusals.length >= refusalsMax) return;
      found = { status: status ?? 0, code, message: text, fault: profile, count: 0, unseen: 0 };
      this.refusals.push(found);
    }
    found.count++;
    if (!delivered) found.unseen++;
  }

  #mark({ at_ms: atMs, fault, kind, method, path, event, client_order_id: name }: FaultLogLine) {
    if (this.marks.length >= marksMax) {
      this.marksLeft++;
      return;
    }
    const what = event ?? `${method} ${path}`;
    this.marks.push({ atMs, profile: fault ?? "", kind: kind ?? "", what, clientOrderId: name });
  }
}

function newEvidence(): OrderEvidence {
  const fillEvents = { arrived: 0, twice: 0, lateOrder: 0, dropped: 0 };
  const sent = { sentMs: null, isAnswered: false, fault: null };
  return { orderId: null, ...sent, toldMs: null, filledTold: null, tradesMs: null, fillEvents };
}

/** Whether what is known by a name is about another order than this one. */
function isOfOther(evidence: OrderEvidence, orderId: number): boolean {
  return evidence.orderId !== null && evidence.orderId !== orderId;
}

/** The number of an order in the journal, from an id of any surface; null for another text. */
function orderNumber(text: string | null): number | null {
  if (text === null) return null;
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
  return parsePublicId(PublicIdKind.order, text)?.number ?? null;
}

/** A lost answer without a code is no refusal: it may have been replaced by an error, but the venue did as it was told. */
function isRefusal({ status, code, kind }: FaultLogLine): boolean {
  if (code !== null && code < 0) return true;
  return status !== null && status >= 400 && kind?.includes("lose-answer") !== true;
}

/** Whether the request sends a new order or several. */
export function isPlacement({ method, path }: Pick<FaultLogLine, "method" | "path">): boolean {
  if (method === "POST") return /order/i.test(path) && !/test$|cancel$|countdown/i.test(path);
  return /^(order\.place|order\.cancelReplace|orderList\.place|sor\.order\.place)/.test(method);
}

function isTradesRead({ method, path }: FaultLogLine): boolean {
  return /trades$|fills$/i.test(method === "GET" ? path : method);
}

function isAccountRead({ method, path, status }: FaultLogLine): boolean {
  if (status === null || status >= 400) return false;
  const called = method === "GET" ? path : method;
  return /account|balance|position/i.test(called) && !/order|trade|fill/i.test(called);
}
