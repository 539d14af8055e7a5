// Records swap steps in the journal, in order and each once. The database transaction that takes a step assigns the
// step's number. Clearing refuses a number that it has already recorded, so retries after a lost reply are harmless.

import { createHash } from "node:crypto";
import { CommandKind } from "../../core/generated/commands.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { MoveRow, SwapStore } from "../../ports/swaps/swap-store.ts";

const atOnce = 100;

export class MoveRecorder {
  readonly #store: SwapStore;
  readonly #clearing: ClearingClient;

  constructor(store: SwapStore, clearing: ClearingClient) {
    this.#store = store;
    this.#clearing = clearing;
  }

  /**
   * Records the waiting steps; stops at the first one that clearing cannot record now. Returns true if no step is left
   * to record.
   */
  async work(): Promise<boolean> {
    for (;;) {
      const waiting = await this.#store.openMoves(atOnce);
      for (const move of waiting) if (!(await this.#record(move))) return false;
      if (waiting.length < atOnce) return true;
    }
  }

  async #record(move: MoveRow): Promise<boolean> {
    const { moveNo, swapNo, account, market, side, from, to, reason, priceTicks, lots } = move;
    const digest = createHash("sha256").update(move.details).digest();
    const reply = await this.#clearing.send({
      kind: CommandKind.recordSwapMove,
      ...{ account, moveNo, swapNo, market, side, from, to, reason },
      price: priceTicks,
      lots,
      digestHigh: digest.readBigInt64BE(0),
      digestLow: digest.readBigInt64BE(8),
    });
    const isNew = reply.reason === RejectReason.none;
    if (!isNew && reply.reason !== RejectReason.swapMoveKnown) return false;
    const seq = isNew ? reply.lastSeq : await this.#store.seqOfMove(moveNo);
    if (seq === null) return false;
    await this.#store.recorded(moveNo, seq);
    return true;
  }
}
