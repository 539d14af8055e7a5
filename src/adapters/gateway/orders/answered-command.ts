// Commands that a route sends and answers with what follows from clearing's reply.

import type { Reply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { notExecuted, refuse, refused } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import type { CommandBridge, UnstampedCommand } from "./command-bridge.ts";
import type { ErrorMap } from "./order-flow.ts";

interface Answering {
  /** The surface's error for each refusal of clearing. */
  readonly errors: ErrorMap;
  /** The body of the answer once the command is executed and folded. */
  readonly answer: (reply: Readonly<Reply>) => string;
}

/** Sends a command behind the client's orders and answers `call`, or refuses it, also if the command cannot be sent. */
export function answerCommand(
  bridge: Pick<CommandBridge, "send">,
  call: HttpCall,
  command: UnstampedCommand,
  { errors, answer }: Answering,
): void {
  const isSent = bridge.send(command, "orders", call, (reply) => {
    if (reply.reason === RejectReason.none) call.json(answer(reply));
    else refuse(call, errors[reply.reason]);
  });
  if (!isSent) refused(notExecuted);
}
