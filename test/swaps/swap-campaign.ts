// A campaign against swaps. Traders swap with providers that are slow, silent, dishonest or dead; the ledger loses
// answers, holds locks, stalls and dies; the venue's process is killed in each state of a swap. In the end every swap
// must have ended with each step in the journal once. Every settled swap must have moved both legs by its own
// transaction, no other swap may have moved a leg, and no coins may be locked.

import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { accessTokens } from "../../src/adapters/ledger/access-token.ts";
import { LedgerApiClient } from "../../src/adapters/ledger/ledger-api-client.ts";
import { networkProfiles } from "../../src/adapters/ledger/network-profile.ts";
import { listenTo } from "../../src/adapters/postgres/notices.ts";
import { swapChannel } from "../../src/adapters/postgres/queries/swaps/swap-changes.ts";
import { isAlive } from "../../src/adapters/process-life.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { SwapState, swapStateNames } from "../../src/core/swaps.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { LedgerFaults } from "../support/ledger/ledger-faults.ts";
import { usableCoins } from "../support/ledger/usable-coins.ts";
import { CampaignVenue, untilDone } from "../support/venue/campaign-venue.ts";
import { CampaignMaker, makerCoins } from "./campaign-makers.ts";
import { begunCoins, CampaignTrader } from "./campaign-trader.ts";

export interface SwapCampaignOptions {
  readonly seed: number;
  readonly traders: number;
  readonly makers: number;
  /** States in which the venue is killed, `killsPerState` times each. */
  readonly states: readonly SwapState[];
  readonly killsPerState: number;
  /** Swaps that must settle between two kills of the venue. */
  readonly settledPerKill: number;
  /** Settings of the venue that differ from the usual ones. */
  readonly settings: Readonly<Record<string, string>>;
  /** Smallest number of swaps to begin. */
  readonly swaps: number;
  readonly say: (message: string) => void;
}

export interface SwapCampaignResult {
  readonly swaps: number;
  /** Number of swaps by how they ended. */
  readonly ends: Readonly<Record<string, number>>;
  readonly venueKills: number;
  /** Kills of the venue by the state of the swaps in flight at that moment; one kill may count for several states. */
  readonly killedIn: Readonly<Record<string, number>>;
  readonly ledgerKills: number;
  readonly steps: number;
  readonly conducts: Readonly<Record<string, number>>;
  readonly struck: Readonly<Record<string, number>>;
}

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "20",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SWAP_POLL_MS: "50",
  // Long enough for answers on a busy machine. A round ends early once all have answered.
  SWAP_QUOTE_WINDOW_MS: "5000",
  SWAP_TRADER_MS: "12000",
  SWAP_PROVIDER_MS: "6000",
  SWAP_ALLOCATE_MS: "15000",
  SWAP_SETTLE_MS: "8000",
  SWAP_MARGIN_MS: "500",
  SWAP_LAPSE_MS: "1000",
  SWAP_PREPARE_MS: "5000",
  // Quotes are abandoned on purpose, and whenever a killed venue is away for longer than a trader has time to sign.
  SWAP_UNKEPT_MAX: "1000",
  PROVIDER_HEALTH_MS: "200",
  LOG_LEVEL: "error",
};

/**
 * Seconds by which the database delays each step of a swap, so that a requested kill takes effect before the next step.
 */
const stepSeconds = 0.12;
const trafficBytes = 1_000_000_000;
/** Every kill of the venue with a multiple of this number is followed by a kill of the ledger. */
const ledgerKillEvery = 4;
const crashWithinMs = 5_000;
/**
 * Longest wait in ms for a swap to reach a state. After this time the campaign goes on and tries the state again later.
 */
const reachWithinMs = 30_000;
/** Longest pause between two kills in ms, even if too few swaps have settled. */
const calmMsMax = 30_000;
const unit = 10_000_000_000n;

export async function runSwapCampaign(options: SwapCampaignOptions): Promise<SwapCampaignResult> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-swaps-"));
  const campaign = new SwapCampaign(
    new CampaignVenue(dataDir, { ...settings, ...options.settings }),
    options,
  );
  const signals = ["SIGINT", "SIGTERM"] as const;
  const leave = () => void campaign.close().finally(() => process.exit(1));
  for (const signal of signals) process.once(signal, leave);
  try {
    return await campaign.run();
  } finally {
    for (const signal of signals) process.off(signal, leave);
    await campaign.close();
  }
}

class SwapCampaign {
  readonly #venue: CampaignVenue;
  readonly #options: SwapCampaignOptions;
  readonly #random: SeededRandom;
  readonly #faults: LedgerFaults;
  readonly #kills: Record<string, number> = {};
  readonly #makers: CampaignMaker[] = [];
  readonly #traders: CampaignTrader[] = [];
  #venueKills = 0;
  #ledgerKills = 0;
  #isOver = false;
  #awaited: { readonly state: SwapState; readonly met: (swapNo: number) => void } | null = null;
  #deafen: () => Promise<void> = async () => undefined;

  constructor(venue: CampaignVenue, options: SwapCampaignOptions) {
    this.#venue = venue;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#faults = new LedgerFaults(options.seed, "rfq:");
  }

  async run(): Promise<SwapCampaignResult> {
    await this.#open();
    const trading = Promise.all(this.#traders.map((trader) => this.#trade(trader)));
    const pardoning = this.#pardon();
    // Errors of both promises are handled where the promises are awaited.
    trading.catch(() => undefined);
    pardoning.catch(() => undefined);
    for (let turn = 1; this.#wanted().length > 0; turn++) {
      await Promise.race([this.#kill(), failureOf(trading)]);
      if (turn % ledgerKillEvery === 0) await this.#killLedger();
    }
    while (this.#begun < this.#options.swaps) await Promise.race([sleep(100), failureOf(trading)]);
    this.#isOver = true;
    const control = await this.#venue.control();
    await this.#faults.count(control);
    await this.#faults.end(control);
    await trading;
    await pardoning;
    return await this.#audit();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#deafen();
    for (const maker of this.#makers) await maker.close();
    await this.#venue.close();
  }

  get #begun(): number {
    return this.#traders.reduce((sum, { swaps }) => sum + swaps, 0);
  }

  async #open(): Promise<void> {
    const { traders, makers, seed } = this.#options;
    await this.#venue.start();
    const control = await this.#venue.control();
    await control.call("POST", "/devnet/v1/traffic/purchase", { bytes: trafficBytes });
    for (let number = 1; number <= makers; number++) {
      const random = new SeededRandom(seed * 1_000 + number);
      this.#makers.push(await CampaignMaker.open(this.#venue, `maker${number}`, random));
    }
    for (let number = 1; number <= traders; number++) {
      const random = new SeededRandom(seed * 1_000 + 500 + number);
      this.#traders.push(await CampaignTrader.open(this.#venue, number, random));
    }
    const sql = await this.#venue.sql();
    await sql.unsafe(`
      create function campaign_step() returns trigger language plpgsql as $$
      begin perform pg_sleep(${stepSeconds}); return new; end $$;
      create trigger campaign_step before update of state on swaps for each row
      when (old.state is distinct from new.state) execute function campaign_step();`);
    await this.#listen();
    await this.#faults.begin(control, 0);
  }

  /** Listens for steps of swaps and looks at each as soon as it is stored. */
  async #listen(): Promise<void> {
    const place = await this.#venue.database();
    await new Promise<void>((resolve, reject) => {
      this.#deafen = listenTo(place, {
        channel: swapChannel,
        hear: (swapNo) => void this.#look(Number(swapNo)).catch(() => undefined),
        listening: resolve,
        lost: reject,
      });
    });
  }

  async #look(swapNo: number): Promise<void> {
    const awaited = this.#awaited;
    if (awaited === null || (await this.#stateOf(swapNo)) !== awaited.state) return;
    if (this.#awaited !== awaited) return;
    this.#awaited = null;
    awaited.met(swapNo);
  }

  async #stateOf(swapNo: number): Promise<number> {
    const sql = await this.#venue.sql();
    const [row] = await sql<{ state: number }[]>`
      select state from swaps where swap_no = ${swapNo}`;
    return row?.state ?? 0;
  }

  async #trade(trader: CampaignTrader): Promise<void> {
    while (!this.#isOver) await trader.swap();
  }

  /** Repeatedly ends the suspension of providers. */
  async #pardon(): Promise<void> {
    while (!this.#isOver) {
      await sleep(500);
      const list = await this.#venue
        .call<{ provider_id: string; status: string }[]>("providers/list")
        .catch(() => []);
      for (const { provider_id: provider, status } of list)
        if (status === "suspended")
          await this.#venue.call("providers/resume", { provider }).catch(() => undefined);
    }
  }

  /** Returns the states in which the venue was not killed often enough. */
  #wanted(): SwapState[] {
    const { states, killsPerState } = this.#options;
    return states.filter((state) => (this.#kills[swapStateNames[state]] ?? 0) < killsPerState);
  }

  /** Kills the venue while a swap is in one of the states, and restarts it. */
  async #kill(): Promise<void> {
    const wanted = this.#wanted();
    const state = wanted[this.#random.below(wanted.length)];
    if (state === undefined) return;
    const swapNo = await this.#reached(state);
    if (swapNo === null) return;
    await this.#venue.kill();
    this.#venueKills++;
    // Count from the dead venue's rows: the state of this swap and of all others in flight.
    const sql = await this.#venue.sql();
    const left = await sql<{ state: SwapState }[]>`
      select distinct state from swaps where state < 8 or swap_no = ${swapNo}`;
    for (const { state: at } of left) {
      const name = swapStateNames[at];
      this.#kills[name] = (this.#kills[name] ?? 0) + 1;
    }
    const settled = await this.#settled();
    const done = `${this.#venueKills} kills, ${settled} settled`;
    this.#options.say(`${done}, in states: ${JSON.stringify(this.#kills)}`);
    await this.#venue.start();
    const [goal, endMs] = [settled + this.#options.settledPerKill, Date.now() + calmMsMax];
    while (Date.now() < endMs && (await this.#settled()) < goal) await sleep(200);
  }

  async #settled(): Promise<number> {
    const sql = await this.#venue.sql();
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from swaps where state = ${SwapState.settled}`;
    return row?.count ?? 0;
  }

  /** Waits until a swap is in the state and returns its number; null if none reaches it in time. */
  async #reached(state: SwapState): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const swapNo = await new Promise<number | null>((resolve) => {
      timer = setTimeout(() => resolve(null), reachWithinMs);
      this.#awaited = { state, met: resolve };
    });
    clearTimeout(timer);
    this.#awaited = null;
    return swapNo;
  }

  /** Kills the ledger, alternately by a signal and during its next submission, after that has locked its coins. */
  async #killLedger(): Promise<void> {
    const control = await this.#venue.control();
    await this.#faults.count(control).catch(() => undefined);
    const { pid } = await this.#venue.ledger();
    this.#ledgerKills++;
    if (this.#ledgerKills % 2 === 0) {
      await this.#faults.crash(control);
      const deadline = Date.now() + crashWithinMs;
      while (isAlive(pid) && Date.now() < deadline) await sleep(20);
      if (!isAlive(pid)) this.#faults.crashed();
    }
    await this.#venue.killLedger(pid);
    await untilDone("the ledger gets its faults again", async () =>
      this.#faults.begin(await this.#venue.control(), this.#ledgerKills),
    );
  }

  async #audit(): Promise<SwapCampaignResult> {
    const sql = await this.#venue.sql();
    await untilDone("every swap ends, with all its steps in the journal", async () => {
      const [row] = await sql<{ open: string; unwritten: string }[]>`
        select (select count(*) from swaps where state < 8)::text as open,
               (select count(*) from swap_moves where seq is null)::text as unwritten`;
      assert.deepEqual({ ...row }, { open: "0", unwritten: "0" });
    });
    const steps = await this.#auditSteps();
    await this.#auditSettlements();
    await this.#auditCoins();
    const ends = await sql<{ state: SwapState; count: number }[]>`
      select state, count(*)::integer as count from swaps group by state order by state`;
    const byEnd = ends.map(({ state, count }) => [swapStateNames[state], count] as const);
    const conducts: Record<string, number> = {};
    for (const { struck } of this.#makers)
      for (const [name, count] of Object.entries(struck))
        conducts[name] = (conducts[name] ?? 0) + count;
    return {
      swaps: byEnd.reduce((sum, [, count]) => sum + count, 0),
      ends: Object.fromEntries(byEnd),
      venueKills: this.#venueKills,
      killedIn: this.#kills,
      ledgerKills: this.#ledgerKills,
      steps,
      conducts,
      struck: this.#faults.struck,
    };
  }

  /** Asserts that each step follows from the previous one and has a distinct seq in the journal. */
  async #auditSteps(): Promise<number> {
    const sql = await this.#venue.sql();
    const broken = await sql`
      select swap_no, move_no from (
        select swap_no, move_no, from_state,
               lag(to_state, 1, 0::smallint) over (partition by swap_no order by move_no) as before
        from swap_moves) m
      where from_state <> before`;
    assert.deepEqual([...broken], [], "Every step must follow from the previous one");
    const [row] = await sql<{ moves: number; last: number; seqs: number; events: number }[]>`
      select count(*)::integer as moves, max(move_no)::integer as last,
             count(distinct seq)::integer as seqs,
             (select count(*)::integer from journal where kind = ${EventKind.swapMoved}) as events
      from swap_moves`;
    const { moves = 0, last, seqs, events } = row ?? {};
    assert.deepEqual(
      [last, seqs, events],
      [moves, moves, moves],
      "The journal must have each step once, in order",
    );
    return moves;
  }

  /** Asserts that the ledger's own log, which the venue does not write, has one transaction per settled swap. */
  async #auditSettlements(): Promise<void> {
    const sql = await this.#venue.sql();
    const settled = await sql<{ swap_id: string; update_id: string }[]>`
      select swap_id, update_id from swaps where state = 8 order by swap_id`;
    const logged = await sql<{ swap_id: string; update_id: string }[]>`
      select split_part(command_id, ':', 2) as swap_id, update_id from devnet_ledger.update_log
      where command_id like 'rfq:%:settle' order by 1`;
    assert.deepEqual(
      [...logged],
      [...settled],
      "The ledger must have settled exactly what the venue recorded",
    );
  }

  /** Asserts that every party has exactly what its settled swaps leave it, all unlocked. */
  async #auditCoins(): Promise<void> {
    const sql = await this.#venue.sql();
    const audit = await (await this.#venue.control()).audit();
    assert.equal(audit.isSound, true, "The ledger's supply must be unchanged");
    const moved = await sql<{ party: string; base: string; quote: string }[]>`
      with legs as (
        select party, provider_party, (case side when 0 then 1 else -1 end) * lots as base,
               (case side when 0 then -1 else 1 end) * lots * price_ticks as quote
        from swaps where state = 8)
      select party, sum(base)::text as base, sum(quote)::text as quote from (
        select party, base, quote from legs
        union all select provider_party, -base, -quote from legs) l
      group by party`;
    const gained = new Map(moved.map((row) => [row.party, row]));
    const holders = [
      ...this.#traders.map(({ party }) => {
        return { party, begun: begunCoins, usable: () => this.#usable(party) };
      }),
      ...this.#makers.map((maker) => {
        return { party: maker.party, begun: makerCoins, usable: () => maker.usable() };
      }),
    ];
    for (const { party, begun, usable } of holders) {
      const { base = "0", quote = "0" } = gained.get(party) ?? {};
      // A lot is a tenth of a coin, and a tick is a ten-thousandth of a USDC.
      const wanted = {
        USDC: BigInt(begun) * unit + (BigInt(quote) * unit) / 100_000n,
        CC: BigInt(begun) * unit + (BigInt(base) * unit) / 10n,
      };
      await untilDone(`${party} can use its coins`, async () =>
        assert.deepEqual(await usable(), wanted, party),
      );
    }
  }

  /** Returns a trader's unlocked coins. The venue's user reads them, because it may read for every trader. */
  async #usable(party: string) {
    const [{ url }, { api: secret }] = await Promise.all([
      this.#venue.ledger(),
      this.#venue.secrets(),
    ]);
    const { requestTimeoutMs, streamIdleMs } = networkProfiles.devnet;
    const tokens = accessTokens({ kind: "minted", secret }, "venue", Date.now);
    const address = { url };
    return usableCoins(
      new LedgerApiClient({ address, tokens, requestTimeoutMs, streamIdleMs }),
      party,
    );
  }
}

/** Rejects when `work` rejects, and never resolves. */
function failureOf(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}
