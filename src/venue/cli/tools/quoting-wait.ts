// Whether somebody quotes at all, asked at the control socket of a venue on this machine: a swap begun
// before that would end without a quote, and the reason would not be seen.

import { setTimeout as sleep } from "node:timers/promises";
import { askControl, controlSocketPath } from "../../../adapters/runtime/control-socket.ts";

const lookMs = 250;
/** A venue that starts its own provider has it funded, approved and looked at by then. */
const waitMsMax = 90_000;

interface Listed {
  readonly status: string;
  readonly health: string | null;
}
/**
 * Resolves when an approved provider answers; throws where there is none and none is being started. A venue
 * elsewhere is not asked.
 */
export async function untilQuoting(dataDir: string, tell: (words: string) => void): Promise<void> {
  const path = controlSocketPath(dataDir);
  const ask = async <T>(call: string) => {
    const answer = await askControl(path, call).catch(() => null);
    return answer?.isOk === true ? (answer.result as T) : null;
  };
  const status = await ask<{ runs_provider?: boolean }>("status");
  if (status === null) return;
  const untilMs = performance.now() + waitMsMax;
  for (let looks = 0; ; looks++) {
    const listed = (await ask<Listed[]>("providers/list")) ?? [];
    const approved = listed.filter((each) => each.status === "approved");
    if (approved.some(({ health }) => health === "ok")) return;
    if (approved.length === 0 && status.runs_provider !== true)
      throw new Error(
        "nobody quotes swaps here: 'rialto provider --approve' starts a provider beside the venue",
      );
    if (performance.now() > untilMs)
      throw new Error("no provider answers: 'rialto providers list' shows what became of them");
    if (looks === 0) tell("Waiting for a provider that quotes");
    await sleep(lookMs);
  }
}
