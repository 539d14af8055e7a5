// Swaps in the simulation: the venue's real service, executor and recorder work on simulated tables, the simulated
// ledger and simulated providers. Every call they make is a step of the schedule.

import assert from "node:assert/strict";
import { AccountFlag, Wallet } from "../../../src/core/accounts.ts";
import type { VenueEvent } from "../../../src/core/generated/events.ts";
import { isSwapOver } from "../../../src/core/swaps.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { ClearingClient } from "../../../src/ports/clearing-client.ts";
import type { Instrument, Party } from "../../../src/ports/ledger/ledger.ts";
import type { SwapPayment } from "../../../src/ports/swaps/swap-ledger.ts";
import { chooseCoins } from "../../../src/services/settlement/batches/coin-choice.ts";
import { retryDelayMs } from "../../../src/services/settlement/retry-delay.ts";
import type { SwapCycle } from "../../../src/services/swaps/swap-cycle.ts";
import {
  createSwapCycle,
  type SwapExecutionParts,
} from "../../../src/services/swaps/swap-execution.ts";
import type { SwapSettings } from "../../../src/services/swaps/swap-loop.ts";
import { SwapService } from "../../../src/services/swaps/swap-service.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import {
  SimulatedSwapLedger,
  type SwapLedgerCanary,
  signatureOver,
} from "../ledger/simulated-swap-ledger.ts";
import { breaksOff, type SimulatedCalls } from "../schedule/simulated-calls.ts";
import { SimulatedCycles } from "../schedule/simulated-cycles.ts";
import { providerParty, SimulatedProviders } from "./simulated-providers.ts";
import { SimulatedSwapRows, type SwapRowsCanary, type TraderFlags } from "./simulated-swap-rows.ts";
import { SimulatedTraders } from "./simulated-traders.ts";
import { paymentsOf, SwapAudit } from "./swap-audit.ts";

export type SwapCanary = SwapRowsCanary | SwapLedgerCanary;

export interface SimulatedSwapsParts {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  readonly ledger: SimulatedLedger;
  readonly instruments: readonly Instrument[];
  /** Wallet-funded accounts that also swap, with their parties; the settlement simulation created the parties. */
  readonly members: ReadonlyMap<number, Party>;
  readonly isMember: (account: number) => boolean;
  /** Returns the venue state as fronts see it. */
  readonly state: () => VenueState;
  readonly canary: SwapCanary | null;
}

const quick: SwapSettings = {
  ...{ quoteWindowMs: 10_000, traderMs: 60_000, walletMs: 120_000, providerMs: 30_000 },
  ...{ allocateMs: 180_000, settleMs: 120_000, marginMs: 2_000, lapseMs: 5_000, pollMs: 250 },
  ...{ graceMs: 30_000, unkeptMax: 1_000, unkeptMs: 600_000 },
};
/** Long timeouts, which most runs use: with them, a jump of the clock seldom ends a swap. */
const patient: SwapSettings = {
  ...quick,
  ...{ quoteWindowMs: 600_000, traderMs: 1_800_000, walletMs: 1_800_000, providerMs: 1_800_000 },
  ...{ allocateMs: 3_600_000, settleMs: 1_800_000, graceMs: 1_800_000 },
};
/** Accounts whose wallets are not members of the venue. */
const strangers: readonly number[] = [1002, 1004, 1006];
const providers: readonly string[] = ["lp1", "lp2", "lp3"];
const rowsCanaries: readonly SwapRowsCanary[] = [
  ...(["moves-without-guard", "loses-a-move", "ends-anothers"] as const),
];
/** Number of coins into which each party's initial holding of an instrument is split. */
const pieces = 8;
const pieceUnits = 10n ** 14n;
const callsPerStep = 100;
/** Actions that traders take in each step. */
const actsPerStep = 4;
/** Most cycles until swaps are complete, once faults have ended. */
const cyclesToRest = 600;

export class SimulatedSwaps {
  readonly rows: SimulatedSwapRows;
  readonly ledger: SimulatedSwapLedger;
  readonly #parts: SimulatedSwapsParts;
  readonly #audit = new SwapAudit();
  readonly #traders: SimulatedTraders;
  readonly #providers: SimulatedProviders;
  readonly #instruments: ReadonlyMap<number, Instrument>;
  readonly #given = new Map<string, bigint>();
  readonly #settings: SwapSettings;
  readonly #cycles: SimulatedCycles;
  #service: SwapService | null = null;
  #isIll = false;
  #ids = 0;

  constructor(parts: SimulatedSwapsParts) {
    const { canary, random, nowMs } = parts;
    const ownCanary = rowsCanaries.find((one) => one === canary) ?? null;
    const own = strangers.map((account): [number, Party] => {
      return [account, `t${account}::1220${"cd".repeat(32)}`];
    });
    const traders = new Map(
      [...own, ...parts.members].map(([account, party]) => {
        return [account, { account, party, publicKey: `key of ${party}` }];
      }),
    );
    this.#parts = parts;
    this.#cycles = new SimulatedCycles(random);
    this.#settings = random.below(4) === 0 ? quick : patient;
    this.rows = new SimulatedSwapRows({
      traders,
      traderFlagsOf: (account) => this.#traderFlagsOf(account),
      canary: ownCanary,
      onStep: (step) => this.#audit.stepped(step, parts.ledger),
    });
    const ledgerCanary = ownCanary === null ? (canary as SwapLedgerCanary | null) : null;
    this.ledger = new SimulatedSwapLedger(parts.ledger, ledgerCanary);
    this.#instruments = new Map(
      parts.instruments.map((one) => [testMarkets.findAsset(one.id)?.id ?? -1, one]),
    );
    const common = { random, nowMs, ledger: this.ledger };
    const instruments = this.#instruments;
    const accounts = [...traders.keys()];
    this.#traders = new SimulatedTraders({ ...common, rows: this.rows, accounts, instruments });
    this.#providers = new SimulatedProviders({
      ...{ ...common, ids: providers, isIll: () => this.#isIll },
    });
    for (const [, party] of own) this.#give(party);
    for (const id of providers) this.#give(providerParty(id));
  }

  #traderFlagsOf(account: number): TraderFlags {
    const flags = this.#parts.state().accounts.flagsOf(account);
    const isFrozen = (flags & AccountFlag.frozen) !== 0;
    return { isFrozen, isMember: this.#parts.isMember(account) };
  }

  #give(party: string): void {
    const { ledger, instruments } = this.#parts;
    for (const { id } of instruments) {
      for (let piece = 0; piece < pieces; piece++) ledger.tap(party, id, pieceUnits);
      this.#given.set(`${party} ${id}`, BigInt(pieces) * pieceUnits);
    }
  }

  start(send: ClearingClient["send"]): void {
    this.#isIll = true;
    this.#traders.start();
    this.#cycles.start((calls) => {
      const breaks = breaksOff(this.#parts.random, () => this.#isIll);
      const store = calls.through(this.rows, breaks);
      this.#service = this.#serviceOver(store, calls);
      return this.#cycleOver({ store, ledger: calls.through(this.ledger, breaks), send }, calls);
    });
  }

  #cycleOver(
    parts: Pick<SwapExecutionParts, "store" | "ledger"> & ClearingClient,
    calls: SimulatedCalls,
  ): SwapCycle {
    const { random, nowMs } = this.#parts;
    const { store, ledger, send } = parts;
    return createSwapCycle({
      ...{ settings: this.#settings, store, ledger, instruments: this.#instruments },
      ...{ table: testMarkets, log: quietLog },
      providers: calls.through(this.#providers),
      ...{ clearing: { send }, tagKey: new Uint8Array(32), hostSigner: async () => undefined },
      chooseCoins: (coins, units) =>
        chooseCoins(
          coins.map((coin) => ({ ...coin, party: coin.owner, asset: 0 })),
          units,
        ),
      retryDelayMs: (refusals) => retryDelayMs(refusals, random.next(), true),
      newId: () => `swap-${++this.#ids}`,
      now: nowMs,
      wake: () => undefined,
      onMemberLocked: () => undefined,
    });
  }

  #serviceOver(store: SwapExecutionParts["store"], calls: SimulatedCalls): SwapService {
    const { nowMs } = this.#parts;
    return new SwapService({
      ...{
        store,
        table: testMarkets,
        times: this.#settings,
        now: nowMs,
        prepareMs: 20_000,
        fundsMs: 3_000,
      },
      ...calls.through({ pause: async () => undefined }),
      isTrading: () => true,
      isFrozen: (account) => this.#parts.state().accounts.isFrozen(account),
      dearestOf: () => 0,
      coinsFree: (account, asset) => {
        const { accounts, balances } = this.#parts.state();
        return accounts.isWallet(account) ? balances.free(account, Wallet.spot, asset) : null;
      },
      coinsHeld: (account, swapNo) => this.#parts.state().swapHolds.of(account, swapNo),
      isSigned: async (_, bytes, signature) =>
        signature === signatureOver(Buffer.from(bytes).toString("base64")),
    });
  }

  die(): void {
    this.#cycles.die();
    this.#service = null;
  }

  /** Records a durable event. */
  durable(event: VenueEvent): void {
    this.#audit.take(event);
    this.rows.durable(event);
  }

  /**
   * Lets traders and providers act, then executes some calls of the swap services; returns false while swaps wait for
   * the venue.
   */
  async step(): Promise<boolean> {
    const { random } = this.#parts;
    for (let acts = actsPerStep; acts > 0; acts--)
      if (this.#service !== null) await this.#traders.act(this.#service);
    if (random.below(4) === 0) this.#providers.catchUp();
    for (let left = 1 + random.below(callsPerStep); left > 0; left--) {
      this.#cycles.begin();
      if (!(await this.#cycles.call())) return false;
    }
    return true;
  }

  /** Ends every swap and journals every step. Call it once faults have ended. */
  async rest(turn: () => Promise<void>, passMs: (ms: number) => void): Promise<void> {
    this.#isIll = false;
    for (let cycles = 0; cycles < cyclesToRest; cycles++) {
      while (this.#parts.ledger.participant.deliver(0));
      passMs(this.#settings.settleMs / 8);
      // Let clearing first take the commands that clients left in the ring.
      await turn();
      await this.#cycles.whole(turn);
      const isOver = this.rows.all.every(({ state }) => isSwapOver(state));
      if (isOver && this.rows.allMoves.every(({ seq }) => seq !== null)) return;
    }
    assert.fail("All swaps must end and be journaled within the cycle limit");
  }

  /** Returns the payments of settled swaps. */
  get payments(): SwapPayment[] {
    return paymentsOf(this.rows, this.#instruments);
  }

  judge(): void {
    const { ledger } = this.#parts;
    const { rows } = this;
    const given = this.#given;
    this.#audit.judge({ rows, ledger, swaps: this.ledger, instruments: this.#instruments, given });
  }
}
