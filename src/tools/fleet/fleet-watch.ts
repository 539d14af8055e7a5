// Watches what the venue tells its operator's own traders: whether to go on, and how many fills of theirs
// may still settle on the ledger today. Passes both on to the fleet. A venue that does not answer is one
// that has not said to go on.

import * as z from "zod";
import type { Fleet } from "./fleet.ts";

const watchMs = 2_000;

const word = z.object({
  state: z.enum(["ok", "paused", "halted"]),
  fleet: z.array(z.object({ budget_left: z.number() })),
});

/** `silent`: the venue did not answer. */
export type FleetState = "ok" | "paused" | "halted" | "silent";

export class FleetWatch {
  readonly #url: string;
  readonly #fleet: Pick<Fleet, "hold" | "letGo" | "allowSpot">;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;
  /** What the venue said last. */
  state: FleetState = "ok";
  /** Null before it is known. */
  budgetLeft: number | null = null;

  constructor(url: string, fleet: Pick<Fleet, "hold" | "letGo" | "allowSpot">) {
    this.#url = `${url}/v1/traffic/mm`;
    this.#fleet = fleet;
  }

  /** Asks once, and then again and again until it is stopped. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), watchMs);
  }

  /** Tells the fleet nothing more, whatever is still being asked. */
  stop(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Asks once and tells the fleet. */
  async look(): Promise<void> {
    const told = await fetchState(this.#url);
    if (this.#isOver) return;
    this.state = told?.state ?? "silent";
    if (this.state === "ok") this.#fleet.letGo();
    else this.#fleet.hold();
    const left = told?.fleet[0]?.budget_left;
    if (left === undefined) return;
    this.budgetLeft = left;
    this.#fleet.allowSpot(left > 0);
  }
}

async function fetchState(url: string): Promise<z.output<typeof word> | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(watchMs) });
    return word.parse(await answer.json());
  } catch {
    return null;
  }
}
