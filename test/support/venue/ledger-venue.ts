// A whole venue with its development ledger as a second process, for tests of wallets, deposits and withdrawals. It has
// short cycles, control of the ledger, and clients of the native surface.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { AccountType } from "../../../src/core/accounts.ts";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { accountOfReference } from "../../../src/core/ids/deposit-reference.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { NativeClient, newWallet, type Wallet } from "../client/native-client.ts";
import { heldNumber } from "../ledger/custody-surplus.ts";
import { DevnetControl } from "../ledger/devnet.ts";
import { VenueFixture } from "./venue-fixture.ts";

const quickCycles = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  RECONCILE_INTERVAL_MS: "50",
  DEV_TOOLS: "1",
};

/** Longest wait in ms for a condition, and pause between two looks. */
const patienceMs = 240_000;
const pollMs = 50;

/** Resolves when `holds` returns true; treats errors as false, and throws the last one if the wait is in vain. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  let cause: unknown = "it stayed false";
  const noted = (thrown: unknown) => {
    cause = thrown;
    return false;
  };
  const endMs = performance.now() + patienceMs;
  while (!(await holds().catch(noted))) {
    if (performance.now() > endMs) throw new Error(`this did not become true: ${holds}`, { cause });
    await sleep(pollMs);
  }
}

/** Resolves when `read` gives `wanted`; fails with the difference if it does not. */
export async function untilEqual<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  let seen: T | undefined;
  const isEqual = async () => {
    seen = await read();
    return isDeepStrictEqual(seen, wanted);
  };
  await until(isEqual).catch((error: unknown) => {
    if (seen !== undefined) assert.deepEqual(seen, wanted);
    throw error;
  });
}

export class LedgerVenue {
  readonly fixture: VenueFixture;

  private constructor(fixture: VenueFixture) {
    this.fixture = fixture;
  }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<LedgerVenue> {
    const venue = new LedgerVenue(await VenueFixture.open({ ...quickCycles, ...settings }));
    try {
      await venue.untilReached();
    } catch (fault) {
      // Its threads would keep the test's process alive.
      await venue.close();
      throw fault;
    }
    return venue;
  }

  async close(): Promise<void> {
    await this.fixture.close();
  }

  /** Resolves when the venue can settle on its ledger and has stored the ledger's current details of assets. */
  async untilReached(): Promise<void> {
    const sinceMs = Date.now();
    await until(async () => this.fixture.venue.ledger.settlement !== null);
    const { sql } = this.fixture.venue.database;
    await until(async () => {
      const [row] = await sql`select from custody_places where quoted_ms > ${sinceMs}`;
      return row !== undefined;
    });
  }

  /** Crashes and restarts the venue; the ledger keeps running. */
  async crashAndRestart(): Promise<void> {
    await this.fixture.crashAndRestart();
    await this.untilReached();
  }

  /** Returns the pid and URLs of the ledger process. */
  async place(): Promise<{ pid: number; url: string; adminUrl: string; custody: string }> {
    return this.#file("place.json");
  }

  /** Returns the token of the ledger's admin API. */
  async adminToken(): Promise<string> {
    return (await this.#file<{ admin: string }>("secrets.json")).admin;
  }

  async control(): Promise<DevnetControl> {
    const { adminUrl } = await this.place();
    return new DevnetControl(adminUrl, await this.adminToken());
  }

  /** Creates a user and logs in. */
  async user(wallet: Wallet = newWallet()): Promise<NativeClient> {
    const user = new NativeClient(this.fixture.address);
    await user.login(wallet);
    return user;
  }

  /** Returns the deposit reference of a closed account. */
  async closedReference(): Promise<string> {
    const user = await this.user();
    const { reference } = (await user.get("/v1/deposits/address?asset=USDC")).json;
    await user.post("/v1/wallet/logout");
    const account = accountOfReference(reference) ?? 0;
    const accountType = AccountType.closed;
    const command = { kind: CommandKind.setAccountType, account, accountType } as const;
    const { reason } = await this.fixture.venue.clearing.send(command);
    if (reason !== RejectReason.none)
      throw new Error(`account ${account} could not be closed: refused with ${reason}`);
    return reference;
  }

  /** Creates an enrolled user whose wallet holds an amount of an asset. */
  async member(amount = "1000", asset = "USDC"): Promise<NativeClient> {
    const user = await this.user();
    const { status, text } = await user.post("/v1/wallet/enroll");
    assert.equal(status, 200, text);
    await until(async () => (await user.get("/v1/wallet/enrollment")).json.status === "active");
    await (await this.control()).tap(user.partyId, asset, amount);
    await until(async () => (await freeOf(user, "spot", asset)) === Number(amount));
    return user;
  }

  /** Returns a client for the same user at the venue's new address; sessions survive a restart. */
  relogin(user: NativeClient): NativeClient {
    const again = new NativeClient(this.fixture.address);
    again.token = user.token;
    again.userId = user.userId;
    again.partyId = user.partyId;
    return again;
  }

  /** Returns a party's holdings on the ledger, including locked coins. */
  async held(party: string, asset: string): Promise<number> {
    return heldNumber((await (await this.control()).audit()).holdings, party, asset);
  }

  async #file<T>(name: string): Promise<T> {
    return JSON.parse(await readFile(join(this.fixture.dataDir, "ledger", name), "utf8")) as T;
  }
}

/** Returns a user's free balance in a wallet; 0 if the wallet does not list the asset. */
export async function freeOf(user: NativeClient, wallet: string, asset: string): Promise<number> {
  const { json } = await user.get("/v1/balances/me");
  const row = json.balances.find(
    (each: { wallet: string; asset: string }) => each.wallet === wallet && each.asset === asset,
  );
  return Number(row?.free ?? 0);
}
