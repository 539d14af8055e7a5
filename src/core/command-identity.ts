// How a gateway numbers its commands, so that after a change of leader it can send again what has no answer, and nothing
// is executed twice. This is apart from the idempotency key, which belongs to the client.

import { originWindowMax } from "./limits.ts";

/** The two lanes of an origin. Their numbers rise independently, because cancels may overtake orders. */
export const OriginLane = { orders: 0, cancels: 1 } as const;
export type OriginLane = (typeof OriginLane)[keyof typeof OriginLane];

/**
 * Identifies a command of a gateway. A command of the venue's own threads has none, and its result is not remembered.
 */
export interface CommandIdentity {
  /** The gateway's incarnation, a number that clearing issued. */
  readonly origin: number;
  readonly lane: OriginLane;
  /** Rises by one per command of the origin and lane, from 1. Numbers may be left out. */
  readonly number: number;
  /** The origin needs no result of this lane up to this number any more: it has answered those clients. */
  readonly confirmedUpTo: number;
}

/**
 * Whether a command may be numbered `number` when results up to `confirmedUpTo` are no longer needed. A result is kept
 * until its origin confirms it, so this bounds the results of an origin and lane.
 */
export function isInWindow(number: number, confirmedUpTo: number): boolean {
  return number > confirmedUpTo && number <= confirmedUpTo + originWindowMax;
}
