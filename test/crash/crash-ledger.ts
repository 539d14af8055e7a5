// The ledger's part of the crash runs: the development ledger as a process to kill, members whose fills settle on
// it, users who deposit and withdraw, and the final comparison of ledger and venue.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { createLoadKey } from "../../src/tools/load/load-accounts.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { custodySurplus } from "../support/ledger/custody-surplus.ts";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { MoneyClient } from "./money-client.ts";
import type { ToldHistory } from "./told-history.ts";

/** Short cycles, so that every kill interrupts work in progress and the run ends soon after the last kill. */
export const ledgerSettings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "5",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "50",
  SETTLEMENT_WINDOW_MS: "300",
  SETTLEMENT_LONG_WINDOW_MS: "300",
  RECONCILE_INTERVAL_MS: "500",
};

const assets = ["USDC", "CC"];
/** What a member's wallet holds at the start, in whole units: far more than a run can trade. */
const begun = "1000000";
const trafficBytes = 1_000_000_000;
const patienceMs = 120_000;

interface LedgerProcess {
  readonly pid: number;
  readonly url: string;
  readonly adminUrl: string;
  readonly custody: string;
}

export class CrashLedger {
  readonly #dataDir: string;
  readonly #money: MoneyClient[] = [];
  #surplus: Record<string, bigint> = {};
  #killed = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Creates `count` member accounts with one key each; their wallets hold coins on the ledger. */
  async members(count: number): Promise<LoadKey[]> {
    const keys: LoadKey[] = [];
    await this.#until("settlement reaches the ledger", () => this.#call("settle/status"));
    const control = await this.#control();
    await control.call("POST", "/devnet/v1/traffic/purchase", { bytes: trafficBytes });
    for (let index = 0; index < count; index++) {
      const key = await createLoadKey(this.#dataDir, { type: "wallet", label: "member" });
      const party = `m${index}::1220${randomBytes(32).toString("hex")}`;
      await this.#call("accounts/enroll", { account: key.account, party });
      for (const asset of assets) await control.tap(party, asset, begun);
      keys.push(key);
    }
    for (const { account } of keys)
      await this.#until("a member has its coins", async () => {
        const { balances } = await this.#call<{
          balances: { asset: string; wallet: string; total: string }[];
        }>("accounts/show", { account });
        const held = balances.filter(({ wallet, total }) => wallet === "spot" && Number(total) > 0);
        if (held.length < assets.length) throw new Error(JSON.stringify(balances));
      });
    return keys;
  }

  /** Creates `count` users who deposit and withdraw. */
  async users(count: number, seed: number, endpoint: () => Endpoint): Promise<void> {
    const { custody } = await this.#place();
    for (let index = 0; index < count; index++) {
      const random = new SeededRandom(seed + 1000 + index);
      const control = () => this.#control();
      this.#money.push(await MoneyClient.open({ index, random, endpoint, custody, control }));
    }
  }

  /** Records custody's surplus before the run; the final check compares with it. */
  async begin(sql: Sql): Promise<void> {
    this.#surplus = await this.#surplusNow(sql);
  }

  resume(): void {
    for (const client of this.#money) client.resume();
  }

  async pause(): Promise<void> {
    await Promise.all(this.#money.map((client) => client.pause()));
  }

  async kill(): Promise<void> {
    // A venue that has just restarted may be open before its ledger runs; the file then names the former process.
    await this.#until("a ledger's process to kill", async () => {
      const { pid } = await this.#place();
      process.kill(pid, "SIGKILL");
      this.#killed = pid;
    });
  }

  /** Resolves when the ledger's process that replaced the killed one is ready. */
  async untilBack(): Promise<void> {
    await this.#until("the ledger is back", async () => {
      const { pid, url } = await this.#place();
      if (pid === this.#killed) throw new Error("the ledger's process is still the killed one");
      const { ok } = await fetch(`${url}/readyz`);
      if (!ok) throw new Error("the ledger is not ready");
    });
  }

  /**
   * Returns differences between the answers that clients got about money and settlement and the contents of the tables.
   */
  async faults(sql: Sql, histories: readonly ToldHistory[], isOver = false): Promise<string[]> {
    const money = await Promise.all(this.#money.map(({ history }) => history.faults(sql, isOver)));
    return [...money.flat(), ...(await settledFaults(sql, histories))];
  }

  /** Waits until nothing is in flight, then compares ledger and venue. */
  async finish(sql: Sql, histories: readonly ToldHistory[]): Promise<string[]> {
    await this.untilBack();
    const { custody } = await this.#place();
    await this.#until("nothing is in flight any more", () => nothingUnderWay(sql, custody));
    // The ledger's sums come first, because a report prints only the beginning of a long list of faults.
    const faults = await ledgerFaults(sql);
    faults.push(...(await this.faults(sql, histories, true)));
    const audit = await (await this.#control()).audit();
    if (!audit.isSound) faults.push("the ledger's own audit finds a fault");
    const surplus = await this.#surplusNow(sql);
    for (const asset of assets) {
      if (surplus[asset] === this.#surplus[asset]) continue;
      faults.push(
        `custody's surplus of ${asset} was ${this.#surplus[asset]}, but is now ${surplus[asset]}`,
      );
    }
    return faults;
  }

  async #surplusNow(sql: Sql): Promise<Record<string, bigint>> {
    // Showing an account makes the venue bring every balance row up to date.
    await this.#call("accounts/show", { account: 1 });
    const { custody } = await this.#place();
    const { holdings } = await (await this.#control()).audit();
    return custodySurplus({ sql, holdings, custody, assets });
  }

  async #until(what: string, holds: () => Promise<unknown>): Promise<void> {
    const untilMs = Date.now() + patienceMs;
    for (;;) {
      try {
        await holds();
        return;
      } catch (error) {
        if (Date.now() > untilMs)
          throw new Error(`This did not happen in time: ${what}`, { cause: error });
      }
      await sleep(20);
    }
  }

  async #call<T = unknown>(name: string, parameters: object = {}): Promise<T> {
    const answer = await callControl(controlSocketPath(this.#dataDir), name, parameters);
    if (!answer.isOk) throw new Error(`${name}: ${answer.error}`);
    return answer.result as T;
  }

  #place(): Promise<LedgerProcess> {
    return this.#file<LedgerProcess>("place.json");
  }

  async #control(): Promise<DevnetControl> {
    const [{ adminUrl }, { admin }] = await Promise.all([
      this.#place(),
      this.#file<{ admin: string }>("secrets.json"),
    ]);
    return new DevnetControl(adminUrl, admin);
  }

  async #file<T>(name: string): Promise<T> {
    return JSON.parse(await readFile(join(this.#dataDir, "ledger", name), "utf8")) as T;
  }
}

/**
 * Compares the fills that were reported to clients as settled with their settlement batches. In the table, state 5
 * means confirmed.
 */
async function settledFaults(sql: Sql, histories: readonly ToldHistory[]): Promise<string[]> {
  const told = new Map(histories.flatMap(({ settled }) => [...settled]));
  if (told.size === 0) return [];
  const rows = await sql<{ trade_id: string; state: number; update_id: string | null }[]>`
    select f.trade_id, b.state, b.update_id from settlement_fills f
    join settlement_batches b on b.batch_id = f.batch_id
    where f.trade_id = any (${`{${[...told.keys()].join(",")}}`}::bigint[])`;
  const found = new Map(rows.map((row) => [Number(row.trade_id), row]));
  return [...told].flatMap(([tradeId, updateId]) => {
    const row = found.get(tradeId);
    const isSame = row?.state === 5 && (row.update_id ?? "") === updateId;
    return isSame
      ? []
      : [
          `trade ${tradeId}: reported as settled by ${updateId}, but the table has ${row?.update_id}`,
        ];
  });
}

/** Returns the number of credited deposits and paid withdrawals, for the report. */
export async function moneyMoved(sql: Sql): Promise<{ credited: number; withdrawn: number }> {
  const [row] = await sql<{ credited: number; withdrawn: number }[]>`
    select (select count(*)::integer from deposits where state = 2) as credited,
           (select count(*)::integer from withdrawals where state = 3) as withdrawn`;
  return row ?? { credited: 0, withdrawn: 0 };
}

/**
 * Throws while batches, deposits or withdrawals are in flight, or while custody has not read all of the ledger's
 * updates. Ignores a withdrawal in state 0 without a journal entry, which a venue stored just before it died: no
 * money moved for it.
 */
async function nothingUnderWay(sql: Sql, custody: string): Promise<void> {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from settlement_batches where state not in (5, 6, 7)) as batches,
           (select count(*)::integer from deposits where state = 1) as deposits,
           (select count(*)::integer from withdrawals where state not in (0, 3, 4))
             + (select count(*)::integer from journal, custody_cursor c
                where kind = ${EventKind.withdrawalRequested} and seq > c.journal_seq) as withdrawals,
           (select count(*)::integer from devnet_ledger.update_log u, custody_cursor c
            where ${custody} = any(u.witnesses) and u."offset" > c.ledger_offset) as unread`;
  if (Object.values(row ?? {}).every((count) => count === 0)) return;
  const [waits] = await sql`select * from withdrawals where state not in (0, 3, 4) limit 1`;
  throw new Error(`work is still in flight: ${JSON.stringify({ ...row, waits })}`);
}

/**
 * Checks in the ledger's own log, which settlement does not write, that each settlement and payment happened exactly
 * once.
 */
async function ledgerFaults(sql: Sql): Promise<string[]> {
  const [row] = await sql<
    Readonly<Record<"settled" | "batches" | "paid" | "ended" | "lost" | "nobodys", string>>[]
  >`
    select (select count(*) from devnet_ledger.update_log where command_id like 'stl:%'
            and split_part(command_id, ':', 4) in ('direct', 'exec'))::text as settled,
           (select count(distinct update_id) from settlement_batches)::text as batches,
           (select count(*) from devnet_ledger.update_log where command_id like 'wdr:%')::text as paid,
           (select count(*) from withdrawals where state = 3)::text as ended,
           (select count(*) from settlement_batches where state <> 5)::text as lost,
           (select count(*) from deposits where state <> 2 or account is null)::text as nobodys`;
  const faults: string[] = [];
  if (row?.settled !== row?.batches) {
    faults.push(
      `the ledger has ${row?.settled} settlements, but the venue ${row?.batches} batches`,
    );
  }
  if (row?.paid !== row?.ended) {
    faults.push(
      `the ledger has ${row?.paid} payments, but the venue ${row?.ended} paid withdrawals`,
    );
  }
  // In these runs every payment to custody names an account, so none may be left without one.
  if (row?.nobodys !== "0")
    faults.push(`${row?.nobodys} payments to custody were not credited to an account`);
  if (row?.lost !== "0") faults.push(`${row?.lost} batches did not settle`);
  return faults;
}
