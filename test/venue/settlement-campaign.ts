// A campaign against settlement. Members trade with custody while the ledger loses answers, holds locks, runs out of
// traffic, stalls and repeats its streams, loses preapprovals and dies, and while the venue's process is killed at
// random moments. Proceeds of an unconfirmed batch are never free for accounts of custody. In the end every fill is
// settled on the ledger once, each member holds on the ledger what the venue says, and custody holds what the venue
// owes plus its initial surplus. The seed decides the faults and their times.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../src/adapters/process-life.ts";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { custodySurplus, heldBy } from "../support/ledger/custody-surplus.ts";
import type { DevnetControl } from "../support/ledger/devnet.ts";
import { LedgerFaults } from "../support/ledger/ledger-faults.ts";
import { CampaignVenue, untilDone } from "../support/venue/campaign-venue.ts";
import { type Coming, readComing } from "./coming-coins.ts";

export interface CampaignOptions {
  readonly batches: number;
  readonly members: number;
  readonly seed: number;
  /** Number of kills; venue and ledger are killed alternately. */
  readonly kills: number;
  readonly say: (message: string) => void;
  /** The venue's data folder, removed at the end; by default a new folder. */
  readonly dataDir?: string;
}

export interface CampaignResult {
  readonly fills: number;
  readonly batches: number;
  readonly updates: number;
  /** Settlements whose coins were locked in an earlier transaction. */
  readonly locked: number;
  readonly kills: number;
  readonly struck: Readonly<Record<string, number>>;
  /** Faults that never took effect. */
  readonly idle: readonly string[];
}

interface Trader {
  readonly account: number;
  readonly key: string;
  readonly secret: string;
}

interface Member extends Trader {
  readonly party: string;
}

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "2",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  RECONCILE_INTERVAL_MS: "200",
  SPOT_CHAIN_WORKERS: "4",
  LOG_LEVEL: "error",
};

/** A kill comes at a random moment within this time. */
const killWithinMs = 1_000;
const trafficBytes = 1_000_000_000;
const lot = "100";
const assets = ["USDC", "CC"];
/** Initial coins of members, so that they can sell before their purchases are settled. */
const begun = { USDC: "100000", CC: "100000" };
const patienceMs = 240_000;
/** A ledger that is set to die at its next submission is killed if it is still alive after this time. */
const crashWithinMs = 5_000;
const sayEveryMs = 10_000;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "rialto-campaign-")));
  const campaign = new Campaign(dataDir, options);
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

class Campaign {
  readonly #venue: CampaignVenue;
  readonly #options: CampaignOptions;
  readonly #random: SeededRandom;
  readonly #faults: LedgerFaults;
  #kills = 0;
  #killing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(dataDir: string, options: CampaignOptions) {
    this.#venue = new CampaignVenue(dataDir, settings);
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#faults = new LedgerFaults(options.seed);
  }

  async run(): Promise<CampaignResult> {
    const { batches, say } = this.#options;
    await this.#venue.start();
    const makers = [await this.#maker("house"), await this.#maker("standard")] as const;
    const members = await this.#members();
    const surplus = await this.#surplus(members);
    await this.#faults.begin(await this.#venue.control(), this.#kills);
    const rounds = Math.ceil(batches / members.length);
    const killRounds = this.#killRounds(rounds);
    for (let round = 1; round <= rounds; round++) {
      if (killRounds.has(round)) {
        await this.#killing;
        this.#killing = this.#killSoon();
        // Its error is handled where the promise is awaited.
        this.#killing.catch(() => undefined);
      }
      // Trade one after the other: two simultaneous traders would match each other's orders.
      const maker = makers[round % 2 === 0 ? 0 : 1];
      for (const member of members)
        await this.#trade(maker, member, round).catch(async (cause: unknown) => {
          throw new Error(`no fill in round ${round}: ${await this.#stuck()}`, { cause });
        });
      for (const each of makers) await this.#checkHeld(each);
      await this.#lapse(members);
      await untilDone("fills are collected into batches", () => this.#venue.call("settle/flush"));
      if (round % 10 === 0) say(`round ${round} of ${rounds}, ${this.#kills} kills`);
    }
    await this.#killing;
    await this.#end(members);
    for (const maker of makers) await this.#untilFreed(maker);
    return await this.#audit(members, rounds * members.length, surplus);
  }

  /** Ends everything that was started, at any stage of the campaign. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#killing.catch(() => undefined);
    await this.#venue.close();
  }

  #killRounds(rounds: number): ReadonlySet<number> {
    const chosen = new Set<number>();
    while (chosen.size < Math.min(this.#options.kills, rounds))
      chosen.add(1 + this.#random.below(rounds));
    return chosen;
  }

  async #maker(type: "house" | "standard"): Promise<Trader> {
    const { account } = await this.#venue.call<{ account: number }>("accounts/create", { type });
    for (const asset of assets) {
      await this.#venue.call("accounts/fund", {
        account,
        wallet: "spot",
        asset,
        amount: "1000000",
      });
    }
    return this.#keyed(account);
  }

  async #keyed(account: number): Promise<Trader> {
    const { api_key: key, secret } = await this.#venue.call<{ api_key: string; secret: string }>(
      "keys/create",
      { account, tier: "house" },
    );
    return { account, key, secret };
  }

  async #members(): Promise<Member[]> {
    const members: Member[] = [];
    const control = await this.#venue.control();
    await control.call("POST", "/devnet/v1/traffic/purchase", { bytes: trafficBytes });
    for (let count = 0; count < this.#options.members; count++) {
      const { account } = await this.#venue.call<{ account: number }>("accounts/create", {
        type: "wallet",
      });
      const trader = await this.#keyed(account);
      const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
      await this.#venue.call("accounts/enroll", { account, party });
      for (const [asset, amount] of Object.entries(begun)) await control.tap(party, asset, amount);
      members.push({ ...trader, party });
    }
    for (const member of members)
      await untilDone("a member has its money", async () => {
        for (const asset of assets) assert.ok((await this.#free(member, asset)) > 0n);
      });
    return members;
  }

  /** Makes one fill: the member buys what the house offers, or sells what it has. */
  async #trade(maker: Trader, member: Member, round: number): Promise<void> {
    const [seller, buyer] = round % 3 === 0 ? [member, maker] : [maker, member];
    const name = `r${round}-${member.account}`;
    const shape = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC" };
    // The price lies between the venue's best bid and ask at its start.
    const terms = { ...shape, price: "0.1495", quantity: lot };
    await this.#order(seller, { ...terms, side: "SELL", newClientOrderId: `${name}-s` });
    await this.#order(buyer, { ...terms, side: "BUY", newClientOrderId: `${name}-b` });
  }

  /** Places an order; retries with the same client id until the order is known to exist. */
  #order(trader: Trader, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const request = { method: "POST", path: "/api/v3/order", parameters } as const;
    return untilDone("an order is accepted", async () => {
      const { status, json } = await signedFetch<{ msg?: string }>(
        this.#venue.address,
        trader,
        request,
      );
      assert.ok(status === 200 || /^Duplicate/.test(json.msg ?? ""), JSON.stringify(json));
    });
  }

  /**
   * Asserts SET-12: the account's locked amount covers the proceeds of its fills that no confirmed batch has settled.
   * Between the two readings proceeds can only be confirmed, so the second reading never needs more than the first.
   */
  async #checkHeld(trader: Trader): Promise<void> {
    const [balances, coming] = await untilDone(
      "the balances of custody's account can be read",
      async () => {
        const shown = await this.#balances(trader);
        return [shown, await this.#comingTo(trader.account)] as const;
      },
    );
    for (const { code, amount } of coming) {
      const held = units(balances.find(({ asset }) => asset === code)?.locked ?? "0");
      assert.ok(
        held >= amount,
        `${code} of account ${trader.account}: ${held} locked, but at least ${amount} must be`,
      );
    }
  }

  async #comingTo(account: number): Promise<Coming[]> {
    return readComing(await this.#venue.sql(), account);
  }

  /** Waits until everything has settled and the account has nothing locked any more. */
  #untilFreed(maker: Trader): Promise<void> {
    return untilDone("custody's account has nothing locked", async () => {
      const locked = (await this.#balances(maker)).filter(({ locked: held }) => units(held) > 0n);
      assert.deepEqual(locked, []);
    });
  }

  /** Removes the preapproval of one random member, and restores that of another. */
  async #lapse(members: readonly Member[]): Promise<void> {
    for (const method of ["DELETE", "POST"] as const) {
      const member = members[this.#random.below(members.length)];
      const control = await this.#venue.control().catch(() => null);
      // Skip this change if the ledger is dead at the moment.
      await control?.preapproval(member?.party ?? "", method).catch(() => undefined);
    }
  }

  /** Kills venue or ledger, alternately, after a random delay. */
  async #killSoon(): Promise<void> {
    await sleep(this.#random.below(killWithinMs));
    const control = await this.#venue.control();
    await this.#faults.count(control).catch(() => undefined);
    this.#kills += 1;
    if (this.#kills % 2 === 1) {
      await this.#venue.kill();
      await this.#venue.start();
    } else await this.#killLedger(control, this.#kills % 4 === 0);
    if (this.#isClosed) return;
    // A restarted ledger has lost its injected faults, so inject them again.
    await untilDone("the faults are injected again", async () =>
      this.#faults.begin(await this.#venue.control(), this.#kills),
    );
  }

  /** Kills the ledger, by a signal or during its next submission, after that has locked its coins. */
  async #killLedger(control: DevnetControl, isAtLocks: boolean): Promise<void> {
    const { pid } = await this.#venue.ledger();
    if (isAtLocks) await this.#faults.crash(control);
    const deadline = Date.now() + (isAtLocks ? crashWithinMs : 0);
    while (isAlive(pid) && Date.now() < deadline) await sleep(10);
    if (!isAlive(pid)) this.#faults.crashed();
    await this.#venue.killLedger(pid);
  }

  /** Ends the faults. Everything in flight must then settle, and wallets must equal the ledger. */
  async #end(members: readonly Member[]): Promise<void> {
    const control = await this.#venue.control();
    await this.#faults.count(control);
    await this.#faults.end(control);
    await this.#untilSettled();
    const sql = await this.#venue.sql();
    const lost = await sql`select batch_id, state, reason from settlement_batches where state <> 5`;
    assert.deepEqual([...lost], [], "Every batch must be confirmed");
    const { holdings } = await control.audit();
    for (const member of members)
      for (const asset of assets)
        await untilDone("all coins of the member are free", async () =>
          assert.equal(
            await this.#free(member, asset),
            heldBy(holdings, member.party, asset),
            `free ${asset} of account ${member.account} must equal its holdings`,
          ),
        );
  }

  /** Waits until everything has settled, without a time limit as long as there is progress. */
  async #untilSettled(): Promise<void> {
    const sql = await this.#venue.sql();
    let [leastLeft, saidMs, deadline] = [Number.POSITIVE_INFINITY, 0, 0];
    for (;;) {
      const [row] = await sql<{ left: number; failed: number }[]>`
        select count(*) filter (where state not in (5, 6, 7))::integer as left,
               count(*) filter (where state in (6, 7))::integer as failed
        from settlement_batches`;
      const { left, failed } = row ?? { left: 0, failed: 0 };
      if (left < leastLeft) [leastLeft, deadline] = [left, Date.now() + patienceMs];
      if (left === 0) return;
      if (Date.now() > deadline) throw new Error(`no batch ended in time: ${await this.#stuck()}`);
      if (Date.now() > saidMs + sayEveryMs) {
        this.#options.say(`${left} batches have not ended, ${failed} failed`);
        saidMs = Date.now();
      }
      await sleep(100);
    }
  }

  async #stuck(): Promise<string> {
    const sql = await this.#venue.sql();
    const batches = await sql`
      select batch_id, state, phase, attempts, setbacks, is_unknown, due_ms, reason
      from settlement_batches where state <> 5 limit 20`;
    const frozen = await sql`select account, party from settlement_members where is_frozen`;
    return JSON.stringify({ batches, frozen });
  }

  async #audit(
    members: readonly Member[],
    fills: number,
    surplus: Readonly<Record<string, bigint>>,
  ): Promise<CampaignResult> {
    const sql = await this.#venue.sql();
    const [row] = await sql<{ batches: string; updates: string; fills: string }[]>`
      select (select count(*) from settlement_batches)::text as batches,
             (select count(distinct update_id) from settlement_batches)::text as updates,
             (select count(*) from settlement_fills)::text as fills`;
    assert.equal(Number(row?.fills), fills, "Every fill must be in a batch");
    // Count in the ledger's own log, which settlement does not write.
    const [log] = await sql<{ settled: string; distinct: string; locked: string }[]>`
      select count(*)::text as settled, count(distinct split_part(command_id, ':', 2))::text as distinct,
             count(*) filter (where split_part(command_id, ':', 4) = 'exec')::text as locked
      from devnet_ledger.update_log
      where command_id like 'stl:%' and split_part(command_id, ':', 4) in ('direct', 'exec')`;
    assert.equal(log?.settled, row?.updates, "Each batch must have one update");
    assert.equal(log?.distinct, row?.updates, "No batch may be settled twice");
    const audit = await (await this.#venue.control()).audit();
    assert.equal(audit.isSound, true, JSON.stringify(audit));
    assert.deepEqual(await this.#surplus(members), surplus, "Custody's surplus must be unchanged");
    return {
      fills,
      batches: Number(row?.batches),
      updates: Number(row?.updates),
      locked: Number(log?.locked),
      kills: this.#kills,
      struck: this.#faults.struck,
      idle: this.#faults.idle,
    };
  }

  /** Returns what custody holds on the ledger less what the venue owes to accounts that are not wallet-funded. */
  async #surplus(members: readonly Member[]): Promise<Record<string, bigint>> {
    const [first] = members;
    // Showing an account also brings every balance row up to date.
    await this.#venue.call("accounts/show", { account: first?.account });
    const sql = await this.#venue.sql();
    const { holdings } = await (await this.#venue.control()).audit();
    const { custody } = await this.#venue.ledger();
    return custodySurplus({ sql, holdings, custody, assets });
  }

  async #free(trader: Trader, asset: string): Promise<bigint> {
    const row = (await this.#balances(trader)).find((each) => each.asset === asset);
    return units(row?.free ?? "0");
  }

  async #balances(trader: Trader): Promise<{ asset: string; free: string; locked: string }[]> {
    const request = { method: "GET", path: "/api/v3/account", parameters: {} } as const;
    const { status, json } = await signedFetch<{
      balances: { asset: string; free: string; locked: string }[];
    }>(this.#venue.address, trader, request);
    // A venue that has just started may not answer yet.
    assert.equal(status, 200, JSON.stringify(json));
    return json.balances;
  }
}

function units(text: string): bigint {
  return parseLedgerAmount(text) ?? 0n;
}
