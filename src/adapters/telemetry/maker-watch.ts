// Whether the venue's own makers may trade, as GET /v1/traffic/mm tells them: for /health and the metrics, which do not
// wait for the database. A venue without such makers has none that could be held. Spec OPS-137.

import type { Clock } from "../../ports/clock.ts";
import type { TrafficReader } from "../../ports/ledger/traffic.ts";
import {
  type TradingState,
  tradingReasonOf,
  tradingStateOf,
} from "../../services/settlement/custody/trading-state.ts";

export interface MakerTrading {
  readonly state: TradingState;
  /** Why they may not trade; empty while they may. */
  readonly reason: string;
}

interface MakerWatchParts {
  readonly traffic: Pick<TrafficReader, "use" | "hasFleet">;
  readonly clock: Clock;
  /** Maximum age in ms of the last comparison of wallets with the ledger. */
  readonly staleMs: number;
}

const lookMs = 5_000;
const atWork: MakerTrading = { state: "ok", reason: "" };

export class MakerWatch {
  readonly #parts: MakerWatchParts;
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;
  /** As of the last look that the database answered. */
  latest: MakerTrading = atWork;

  constructor(parts: MakerWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), lookMs);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Reads the state; without an answer of the database, which is told by itself, the last one stays. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.latest = await this.#read();
    } catch {
    } finally {
      this.#isLooking = false;
    }
  }

  async #read(): Promise<MakerTrading> {
    const { traffic, clock, staleMs } = this.#parts;
    if (!(await traffic.hasFleet())) return atWork;
    const nowMs = clock.nowMs();
    const parts = { use: await traffic.use(nowMs), nowMs, staleMs };
    return { state: tradingStateOf(parts), reason: tradingReasonOf(parts) };
  }
}
