// Sends the house's commands one at a time in a venue that was started with --step, as its fronts do with those of clients:
// the next one leaves when everything that the one before caused is journaled. So the same steps give the same journal.

import { CommandKind } from "../../core/generated/commands.ts";
import type { Reply } from "../../core/generated/messages.ts";
import type { ClearingClient, UnstampedCommand } from "../../ports/clearing-client.ts";

/** Resolves once nothing follows any more from what was sent; `issuedSeq` is the seq of clearing's last event. */
export async function settled(clearing: ClearingClient, issuedSeq: () => number): Promise<void> {
  // A trigger, a cancel or a liquidation may follow from what a barrier waited for, and then another one waits for that.
  let seq: number;
  do {
    seq = issuedSeq();
    await clearing.send({ kind: CommandKind.barrier, account: 0 });
  } while (issuedSeq() !== seq);
}

export class SteppedClient implements ClearingClient {
  readonly #clearing: ClearingClient;
  readonly #issuedSeq: () => number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clearing: ClearingClient, issuedSeq: () => number) {
    this.#clearing = clearing;
    this.#issuedSeq = issuedSeq;
  }

  send(command: UnstampedCommand): Promise<Reply> {
    const sent = this.#last.then(() => this.#sendOne(command));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async #sendOne(command: UnstampedCommand): Promise<Reply> {
    const reply = await this.#clearing.send(command);
    if (command.kind === CommandKind.barrier) return reply;
    await settled(this.#clearing, this.#issuedSeq);
    return reply;
  }
}
