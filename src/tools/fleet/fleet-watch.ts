// Polls the venue's state for house accounts: whether they may trade, and how many of their fills may still settle on
// the ledger today. Both answers are passed to the fleet. If the venue does not answer, the fleet may not trade.

import * as z from "zod";
import type { Fleet } from "./fleet.ts";

const watchMs = 2_000;

const word = z.object({
  state: z.enum(["ok", "paused", "halted"]),
  fleet: z.array(z.object({ budget_left: z.number() })),
});

/** The venue's last state; `silent` means that the venue did not answer. */
export type FleetState = "ok" | "paused" | "halted" | "silent";

/**
 * Reasons shown while the fleet is held. The venue does not report why it is `halted`, so that reason names both
 * possible causes.
 */
const waitReasons = {
  ok: "",
  paused: "waiting: the venue keeps its ledger traffic for settlement",
  halted: "waiting: the venue has not read its ledger yet, or not recently",
  silent: "waiting: the venue does not answer",
} as const;

export class FleetWatch {
  readonly #url: string;
  readonly #fleet: Pick<Fleet, "hold" | "letGo" | "allowSpot">;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;
  /** The state that the venue last reported. */
  state: FleetState = "ok";
  /** Number of fills that may still settle today; null until the venue has reported it. */
  budgetLeft: number | null = null;

  constructor(url: string, fleet: Pick<Fleet, "hold" | "letGo" | "allowSpot">) {
    this.#url = `${url}/v1/traffic/mm`;
    this.#fleet = fleet;
  }

  /** The reason why the fleet does not trade; empty while it may trade. */
  get waitReason(): string {
    return waitReasons[this.state];
  }

  /** Polls once and then periodically until it is stopped. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), watchMs);
  }

  /** Stops polling; ignores a response in flight. */
  stop(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Polls once and informs the fleet. */
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
