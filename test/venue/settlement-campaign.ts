// A campaign against settlement: members trade with custody while the ledger loses answers, holds
// locks, runs out of traffic, forgets preapprovals and dies, and while the venue itself is killed. In
// the end every fill is settled on the ledger once, every coin is accounted for, and each member holds
// on the ledger what the venue says. The seed decides which submissions are struck.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseLedgerAmount } from "../../src/core/ledger-amount.ts";
import { DevnetHands } from "../support/devnet.ts";
import { type Trader, VenueFixture } from "../support/venue-fixture.ts";

export interface CampaignOptions {
  readonly batches: number;
  readonly members: number;
  readonly seed: number;
  /** How often venue and ledger are killed, in turn. */
  readonly kills: number;
}

export interface CampaignResult {
  readonly fills: number;
  readonly batches: number;
  readonly updates: number;
  readonly struck: Readonly<Record<string, number>>;
}

interface Member extends Trader {
  readonly party: string;
}

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "20",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  RECONCILE_INTERVAL_MS: "200",
  SPOT_CHAIN_WORKERS: "4",
  DEV_TOOLS: "1",
};

const effects = [
  "locked",
  "inactive",
  "timeout_before_commit",
  "timeout_after_commit",
  "drop_after_commit",
  "backpressure",
  "no_traffic",
  "in_flight",
  "preapproval_missing",
  "token_expired",
];
const faultShare = 0.06;
const trafficBytes = 1_000_000_000;
const lot = "100";

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const fixture = await VenueFixture.open(settings);
  try {
    return await new Campaign(fixture, options).run();
  } finally {
    await fixture.close();
  }
}

class Campaign {
  readonly #fixture: VenueFixture;
  readonly #options: CampaignOptions;
  readonly #struck: Record<string, number> = {};

  constructor(fixture: VenueFixture, options: CampaignOptions) {
    this.#fixture = fixture;
    this.#options = options;
  }

  async run(): Promise<CampaignResult> {
    const { batches, kills } = this.#options;
    const maker = await this.#fixture.trader("house");
    const members = await this.#members();
    await this.#faults();
    const rounds = Math.ceil(batches / members.length);
    const killEvery = Math.max(1, Math.floor(rounds / (kills + 1)));
    for (let round = 1; round <= rounds; round++) {
      for (const member of members) await this.#trade(maker, member, round);
      await this.#untilTaken();
      if (round % killEvery === 0 && round / killEvery <= kills)
        await this.#kill(round / killEvery);
    }
    await this.#end();
    return await this.#audit(members, rounds * members.length);
  }

  async #members(): Promise<Member[]> {
    const { operator } = this.#fixture;
    const members: Member[] = [];
    await until(async () => this.#fixture.venue.ledger.settlement !== null);
    const hands = await this.#hands();
    await hands.call("POST", "/devnet/v1/traffic/purchase", { bytes: trafficBytes });
    for (let count = 0; count < this.#options.members; count++) {
      const { account } = await operator.createAccount("wallet");
      const created = await operator.createKey({ account, tier: "house" });
      const { api_key: key, secret } = created as { api_key: string; secret: string };
      const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
      await this.#fixture.venue.ledger.settlement.enroll(account, party);
      await hands.tap(party, "USDC", "100000");
      members.push({ account, key, secret, party });
    }
    const isReady = async (member: Member) => (await this.#free(member, "USDC")) > 0n;
    for (const member of members) await until(() => isReady(member));
    return members;
  }

  /** A ledger that was killed is well again: it is made ill once more, in another order. */
  async #faults(kills = 0): Promise<void> {
    const hands = await this.#hands();
    for (const [place, effect] of effects.entries()) {
      const match = { commandIdPrefix: "stl:" };
      const seed = this.#options.seed * 10_000 + kills * effects.length + place;
      await hands.fault({ id: effect, effect, match, probability: faultShare, seed });
    }
  }

  /** One fill: the member buys what the house offers, or gives back what it bought. */
  async #trade(maker: Trader, member: Member, round: number): Promise<void> {
    const [first, second] = round % 3 === 0 ? [member, maker] : [maker, member];
    const terms = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", price: "0.15" };
    const path = "/api/v3/order";
    const sell = { ...terms, side: "SELL", quantity: lot };
    await until(async () => (await this.#fixture.signed(first, "POST", path, sell)).status === 200);
    const buy = { ...terms, side: "BUY", quantity: lot };
    await until(async () => (await this.#fixture.signed(second, "POST", path, buy)).status === 200);
  }

  /** Every fill is in a batch, so that the next one of its pair is in another. */
  async #untilTaken(): Promise<void> {
    await until(async () => {
      await this.#fixture.venue.ledger.settlement.flush();
      return true;
    });
  }

  async #kill(count: number): Promise<void> {
    await this.#count();
    if (count % 2 === 1) await this.#fixture.crashAndRestart();
    else {
      const { pid } = JSON.parse(await this.#file("place.json")) as { pid: number };
      process.kill(pid, "SIGKILL");
      await until(async () => (await this.#health()) !== pid);
    }
    await until(async () => this.#fixture.venue.ledger.settlement !== null);
    await this.#faults(count);
  }

  async #health(): Promise<number> {
    const { pid, url } = JSON.parse(await this.#file("place.json")) as { pid: number; url: string };
    const { ok } = await fetch(`${url}/readyz`);
    assert.ok(ok);
    return pid;
  }

  /** The faults stop; what is on its way has to arrive. */
  async #end(): Promise<void> {
    await this.#count();
    const hands = await this.#hands();
    for (const effect of effects) await hands.call("DELETE", `/devnet/v1/faults/${effect}`);
    const { sql } = this.#fixture.venue.database;
    await until(async () => {
      const [row] = await sql<{ count: string }[]>`
        select count(*) from settlement_batches where state not in (5, 6, 7)`;
      return Number(row?.count) === 0;
    });
  }

  async #audit(members: readonly Member[], fills: number): Promise<CampaignResult> {
    const { sql } = this.#fixture.venue.database;
    const [row] = await sql<{ batches: string; updates: string; fills: string; other: string }[]>`
      select (select count(*) from settlement_batches)::text as batches,
             (select count(distinct update_id) from settlement_batches)::text as updates,
             (select count(*) from settlement_fills)::text as fills,
             (select count(*) from settlement_batches where state <> 5)::text as other`;
    assert.equal(Number(row?.other), 0, "every batch is confirmed");
    assert.equal(Number(row?.fills), fills, "every fill is in a batch");
    // Counted in the ledger's own log, which the settler does not write.
    const [log] = await sql<{ settled: string; distinct: string }[]>`
      select count(*)::text as settled, count(distinct split_part(command_id, ':', 2))::text as distinct
      from devnet_ledger.update_log
      where command_id like 'stl:%' and split_part(command_id, ':', 4) in ('direct', 'exec')`;
    assert.equal(log?.settled, row?.updates, "one update a batch");
    assert.equal(log?.distinct, row?.updates, "no batch twice, in whatever round");
    const hands = await this.#hands();
    const audit = await hands.audit();
    assert.equal(audit.isSound, true, JSON.stringify(audit));
    for (const member of members) {
      for (const asset of ["USDC", "CC"]) {
        const held = audit.holdings
          .filter((each: { owner: string }) => each.owner === member.party)
          .filter((each: { instrument: string }) => each.instrument === asset)
          .reduce((sum: bigint, { amount }: { amount: string }) => sum + units(amount), 0n);
        assert.equal(await this.#free(member, asset), held, `${asset} of ${member.account}`);
      }
    }
    return {
      fills,
      batches: Number(row?.batches),
      updates: Number(row?.updates),
      struck: this.#struck,
    };
  }

  /** A restarted ledger has forgotten how often its faults struck. */
  async #count(): Promise<void> {
    const { faults } = (await (await this.#hands()).call("GET", "/devnet/v1/faults")) as {
      faults: { id: string; struck: number }[];
    };
    for (const { id, struck } of faults) this.#struck[id] = (this.#struck[id] ?? 0) + struck;
  }

  async #free(trader: Trader, asset: string): Promise<bigint> {
    const { json } = await this.#fixture.signed(trader, "GET", "/api/v3/account");
    const row = json.balances.find((each: { asset: string }) => each.asset === asset);
    return units(row?.free ?? "0");
  }

  async #hands(): Promise<DevnetHands> {
    const { adminUrl } = JSON.parse(await this.#file("place.json")) as { adminUrl: string };
    const { admin } = JSON.parse(await this.#file("secrets.json")) as { admin: string };
    return new DevnetHands(adminUrl, admin);
  }

  #file(name: string): Promise<string> {
    return readFile(join(this.#fixture.dataDir, "ledger", name), "utf8");
  }
}

function units(text: string): bigint {
  return parseLedgerAmount(text) ?? 0n;
}

/** Resolves when `holds` does; what it throws counts as not yet. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await sleep(10);
}
