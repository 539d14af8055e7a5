// How an operator's word becomes a command, and a refusal a sentence; and what that takes.

import type { Sql } from "../../adapters/postgres/connection.ts";
import type { Reply } from "../../core/generated/messages.ts";
import type { MarketTable } from "../../core/markets.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient, UnstampedCommand } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";

/** What the operator's parts stand on. What is read of `sql` is complete behind `settle`. */
export interface OperatorContext {
  /** Sends the operator's commands. */
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Makes rows of acknowledged changes readable. */
  readonly settle: () => Promise<unknown>;
}

/** The operator asked for something that cannot be; the words are for them. */
export class OperatorRefusal extends Error {
  override name = "OperatorRefusal";
}

/** Clearing's answer to a command; throws an OperatorRefusal with its reason. */
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
