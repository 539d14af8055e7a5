// What native routes do beside what all routes do: ask clearing in a way that a route can wait for, under idempotency
// keys, and tell times and pages of lists.

import { createHash } from "node:crypto";
import { requestKeyLengthMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { CommandBridge, UnstampedCommand } from "../orders/command-bridge.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { notExecuted, type SurfaceError } from "../requests/surface-error.ts";
import { nativeErrors } from "./error-map.ts";

/** Clearing's answer, kept: replies are reused. */
export interface CommandResult {
  readonly reason: RejectReason;
  readonly subject: number;
  readonly lastSeq: number;
  /** Of an idempotency key that was used before: nothing was done anew. */
  readonly isRepeated: boolean;
}

/** Why clearing did not do what it was asked; undefined if it did. */
export function refusalOf(answer: CommandResult | null): SurfaceError | undefined {
  if (answer === null) return notExecuted;
  return answer.reason === RejectReason.none ? undefined : nativeErrors[answer.reason];
}

/** Asks clearing; resolves when its answer is durable, with null if nothing was sent. */
export function submitCommand(
  bridge: CommandBridge,
  command: UnstampedCommand,
): Promise<CommandResult | null> {
  return new Promise((resolve) => {
    const take = ({ reason, subject, lastSeq, isRepeated }: CommandResult) =>
      resolve({ reason, subject, lastSeq, isRepeated });
    if (!bridge.send(command, "orders", take)) resolve(null);
  });
}

/**
 * The same, with the time of the event that the command ended with; null where the answer rests on an earlier
 * one. A reply comes right behind its own events, so that the model knows it without any row.
 */
export function submitCommandWithTime(
  { bridge, model }: Pick<RouteContext, "bridge" | "model">,
  command: UnstampedCommand,
): Promise<(CommandResult & { readonly endedUs: number | null }) | null> {
  return new Promise((resolve) => {
    const take = ({ reason, subject, lastSeq, isRepeated }: CommandResult) => {
      const { seq, tsUs } = model.state;
      const endedUs = seq === lastSeq && !isRepeated ? tsUs : null;
      resolve({ reason, subject, lastSeq, isRepeated, endedUs });
    };
    if (!bridge.send(command, "orders", take)) resolve(null);
  });
}

/** Does what may be left undone once an answer is certain; what fails is the operator's to read. */
export function afterwards({ log }: Pick<RouteContext, "log">, work: Promise<unknown>): void {
  work.catch((fault: unknown) => {
    log.error({ err: fault }, "what follows an answer could not be written");
  });
}

/** ISO 8601 UTC with milliseconds. */
export function isoOfMs(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOfUs(us: number): string {
  return isoOfMs(Math.floor(us / 1000));
}

/** One page of `rows`, which have at most one more than fits; the cursor is the number of the last. */
export function pageText<Row>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => object,
  numberOf: (row: Row) => number,
): string {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return JSON.stringify({
    items: shown.map(show),
    next_cursor: hasMore ? String(numberOf(last)) : null,
  });
}

/** Control and format characters, halves of a character, and what is none. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether a text may be a key: 1 to 64 printable characters. */
export function isKeyText(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= requestKeyLengthMax && !unprintable.test(text);
}

/** The key of a request; `scope` keeps what different routes do apart, `payload` is what was asked. */
export function requestKeyOf(scope: string, text: string, payload: string): RequestKey {
  const key = createHash("sha256").update(`${scope}\n${text}`).digest();
  const payloadHash = createHash("sha256").update(payload).digest();
  return {
    high: key.readBigInt64LE(0),
    low: key.readBigInt64LE(8),
    payload: payloadHash.readBigInt64LE(0),
  };
}
