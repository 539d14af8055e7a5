// Functions that native routes share: commands as promises, idempotency keys, times, pages of lists.

import { requestKeyLengthMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import {
  type CommandBridge,
  type UnstampedCommand,
  withoutWindow,
} from "../orders/command-bridge.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { notExecuted, type SurfaceError } from "../requests/surface-error.ts";
import { nativeErrors } from "./error-map.ts";

/** A copy of clearing's reply, because reply objects are reused. */
export interface CommandResult {
  readonly reason: RejectReason;
  readonly subject: number;
  readonly lastSeq: number;
  /** True if the idempotency key was used before, so that nothing was done again. */
  readonly isRepeated: boolean;
}

/** The refusal of a command; undefined if it succeeded. */
export function refusalOf(answer: CommandResult | null): SurfaceError | undefined {
  if (answer === null) return notExecuted;
  return answer.reason === RejectReason.none ? undefined : nativeErrors[answer.reason];
}

/** Sends a command to clearing; resolves when the result is durable, or with null if nothing was sent. */
export function submitCommand(
  bridge: CommandBridge,
  command: UnstampedCommand,
): Promise<CommandResult | null> {
  return new Promise((resolve) => {
    const take = ({ reason, subject, lastSeq, isRepeated }: CommandResult) =>
      resolve({ reason, subject, lastSeq, isRepeated });
    if (!bridge.send(command, "orders", withoutWindow, take)) resolve(null);
  });
}

/**
 * Like `submitCommand`, but adds the time of the command's last event, or null if an earlier command produced the
 * result. The read model has already folded the command's events, so the time needs no database read.
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
    if (!bridge.send(command, "orders", withoutWindow, take)) resolve(null);
  });
}

/** Runs work whose failure must not affect an answer that is already decided; failures are logged. */
export function afterwards({ log }: Pick<RouteContext, "log">, work: Promise<unknown>): void {
  work.catch((fault: unknown) => {
    log.error({ err: fault }, "background work of a request failed; its response is not affected");
  });
}

/** ISO 8601 UTC with milliseconds. */
export function isoOfMs(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOfUs(us: number): string {
  return isoOfMs(Math.floor(us / 1000));
}

/**
 * A page with the first `limit` of `rows`. If more rows exist, callers pass more than `limit` of them. The page then
 * has a cursor for the next page: the number of its last row. Otherwise the cursor is null.
 */
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

/** Control and format characters, unpaired surrogates, unassigned characters. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Returns whether a text is a valid idempotency key: 1 to 64 printable characters. */
export function isKeyText(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= requestKeyLengthMax && !unprintable.test(text);
}
