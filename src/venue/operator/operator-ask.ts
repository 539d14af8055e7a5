// How an operator's word becomes a command, and a refusal a sentence.

import type { Reply } from "../../core/generated/messages.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Ask, Desk } from "../../ports/desk.ts";

/** The operator asked for something that cannot be; the words are for them. */
export class OperatorRefusal extends Error {
  override name = "OperatorRefusal";
}

/** Clearing's answer to a command; throws an OperatorRefusal with its reason. */
export async function askDesk(desk: Desk, ask: Ask): Promise<Reply> {
  const reply = await desk.ask(ask);
  if (reply.reason !== RejectReason.none) throw new OperatorRefusal(reasonName(reply.reason));
  return reply;
}

function reasonName(reason: RejectReason): string {
  const [name] = Object.entries(RejectReason).find(([, code]) => code === reason) ?? ["refused"];
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
