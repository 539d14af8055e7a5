// What a running venue says of itself at /health, for `status` and `doctor`. It is asked over HTTP like by any client,
// so that a front that does not answer is seen as well.

import * as z from "zod";

/** A venue that does not answer within this time needs its operator. */
const patienceMs = 2_000;

const health = z.object({
  status: z.string(),
  reason: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

/** The venue's own verdict on itself; `warnings` are sentences, with the reason first. */
export interface ToldState {
  readonly health: string;
  readonly warnings: readonly string[];
}

/** Asks the venue at `address`. One that does not answer is `silent`. */
export async function stateOf(address: string): Promise<ToldState> {
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(patienceMs) });
    const { status, reason, warnings = [] } = health.parse(await answer.json());
    return { health: status, warnings: [...(reason === undefined ? [] : [reason]), ...warnings] };
  } catch {
    return { health: "silent", warnings: ["the venue does not answer at its address"] };
  }
}
