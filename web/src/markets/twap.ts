// A TWAP: a quantity traded in equal parts at equal intervals. The venue knows nothing of it: this page sends each part
// as an order of its own, so the rest is never sent once the page is closed, reloaded or logged out. One TWAP runs at a
// time; it goes on while its user looks at other views.

import { signal } from "@preact/signals";
import { session } from "../member/session.ts";
import { cutTo, exact } from "./exact.ts";
import type { Side } from "./ticket-requests.ts";

export interface TwapPlan {
  readonly symbol: string;
  readonly base: string;
  readonly quantityPlaces: number;
  readonly side: Side;
  /** Quantities of the orders, in the order in which they are sent. */
  readonly parts: readonly string[];
  readonly everyMs: number;
}

export interface TwapState {
  readonly plan: TwapPlan;
  /** Number of orders sent. */
  readonly sent: number;
  /** Quantity traded. */
  readonly filled: string;
  /** Unix ms at which the next order is due; null once it is over. */
  readonly nextMs: number | null;
  /** How it ended; empty while it runs. */
  readonly ended: string;
}

/** The quantity of all orders together. */
export function plannedOf({ parts, quantityPlaces }: TwapPlan): string {
  return cutTo(
    parts.reduce((sum, part) => sum + (exact(part) ?? 0n), 0n),
    quantityPlaces,
  );
}

const storageName = "rialto-twap";

/** A TWAP that was running when the page was closed has stopped: say so. */
function remembered(): TwapState | null {
  try {
    const state = JSON.parse(sessionStorage.getItem(storageName) ?? "null") as TwapState | null;
    if (state === null || state.nextMs === null || !Array.isArray(state.plan.parts)) return null;
    return { ...state, nextMs: null, ended: "Stopped, because the page was closed or reloaded." };
  } catch {
    // Another version of the page has written it.
    return null;
  }
}

export const twap = signal<TwapState | null>(remembered());

let due: ReturnType<typeof setTimeout> | undefined;

function keep(state: TwapState): void {
  twap.value = state;
  sessionStorage.setItem(storageName, JSON.stringify(state));
}

/** Ends the TWAP: no further order is sent. */
export function stopTwap(reason: string): void {
  clearTimeout(due);
  const { value } = twap;
  if (value !== null && value.nextMs !== null) keep({ ...value, nextMs: null, ended: reason });
}

/** Removes the notice of a TWAP that is over. */
export function dismissTwap(): void {
  twap.value = null;
  sessionStorage.removeItem(storageName);
}

let owner = session.peek()?.userId;
// A TWAP belongs to the account that started it: nothing of it is sent after the session, or shown to another account.
session.subscribe((value) => {
  const isOther = value !== null && value.userId !== owner;
  if (value === null || isOther) stopTwap("Stopped, because the session ended.");
  if (isOther) dismissTwap();
  owner = value?.userId ?? owner;
});

/** Asks before the page is closed while a TWAP runs. */
addEventListener("beforeunload", (event) => {
  if (twap.value?.nextMs != null) event.preventDefault();
});

/** Counts an order that was sent. The user may have stopped or replaced the TWAP while it was under way. */
function advance(plan: TwapPlan, traded: string): void {
  const { value } = twap;
  if (value === null || value.plan !== plan) return;
  const sent = value.sent + 1;
  const filled = cutTo((exact(value.filled) ?? 0n) + (exact(traded) ?? 0n), plan.quantityPlaces);
  const isStopped = value.nextMs === null;
  const isLast = sent >= plan.parts.length;
  const ended = isStopped ? value.ended : isLast ? "Complete." : "";
  keep({ plan, sent, filled, ended, nextMs: ended === "" ? Date.now() + plan.everyMs : null });
}

/**
 * Sends the first order now and each further one an interval after the one before it. `send` returns the quantity that
 * the order traded; an error ends the TWAP with its message.
 */
export function startTwap(plan: TwapPlan, send: (quantity: string) => Promise<string>): void {
  stopTwap("Replaced by another TWAP.");
  const runs = () => twap.value?.plan === plan && twap.value.nextMs !== null;
  const next = async (): Promise<void> => {
    const quantity = plan.parts[twap.value?.sent ?? 0] ?? "0";
    try {
      advance(plan, await send(quantity));
    } catch (thrown) {
      if (runs()) stopTwap(`Stopped: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    if (runs()) due = setTimeout(() => void next(), plan.everyMs);
  };
  keep({ plan, sent: 0, filled: "0", nextMs: Date.now(), ended: "" });
  void next();
}
