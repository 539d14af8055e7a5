// What a running venue says of itself at /health, for `status` and `doctor`. It is asked over HTTP like by any client,
// so that a front that does not answer is seen as well.

import * as z from "zod";
import {
  type Problem,
  type ProblemKind,
  problem,
  problemKinds,
} from "../../ports/venue-problems.ts";

/** A venue that does not answer within this time needs its operator. */
const patienceMs = 2_000;

const kinds = Object.keys(problemKinds) as ProblemKind[];

const health = z.object({
  status: z.string(),
  problems: z
    .array(
      z.object({
        kind: z.enum(kinds),
        severity: z.enum(["warning", "fault"]),
        market: z.string().nullable(),
        text: z.string(),
      }),
    )
    .default([]),
});

/** The venue's own verdict on itself. */
export interface ToldState {
  readonly health: string;
  readonly problems: readonly Problem[];
}

/** Asks the venue at `address`. One that does not answer is `silent`. */
export async function stateOf(address: string): Promise<ToldState> {
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(patienceMs) });
    const { status, problems } = health.parse(await answer.json());
    return { health: status, problems };
  } catch {
    return { health: "silent", problems: [problem("venue_silent")] };
  }
}
