// Sends the operator's commands to clearing and turns refusals into messages.

import type { Sql } from "../../adapters/postgres/connection.ts";
import type { Reply } from "../../core/generated/messages.ts";
import type { MarketTable } from "../../core/markets.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient, UnstampedCommand } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";

/**
 * Dependencies of the operator's parts. After `settle` has resolved, rows read with `sql` include all acknowledged
 * changes.
 */
export interface OperatorContext {
  /** Sends the operator's commands. */
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** The time of events: `clock`, except in a venue that can be rewound. */
  readonly marketClock: Clock;
  readonly log: Log;
  /** Makes the rows of acknowledged changes readable. */
  readonly settle: () => Promise<unknown>;
}

/** Rows of one page of the truth: some hundred kilobytes. */
export const truthRowsMax = 1_000;

/** A refusal whose message is for the operator. */
export class OperatorRefusal extends Error {
  override name = "OperatorRefusal";
}

/** A refusal of a value that no venue would take: the command line ends as after a usage error. */
export class WrongValue extends OperatorRefusal {
  override name = "WrongValue";
  readonly isUsage = true;
}

/** Sends a command; returns clearing's reply, or throws an OperatorRefusal with its reason. */
export async function sendCommand(
  clearing: ClearingClient,
  command: UnstampedCommand,
): Promise<Reply> {
  const reply = await clearing.send(command);
  if (reply.reason !== RejectReason.none) throw new OperatorRefusal(reasonName(reply.reason));
  return reply;
}

function reasonName(reason: RejectReason): string {
  const [name] = Object.entries(RejectReason).find(([, code]) => code === reason) ?? ["refused"];
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
