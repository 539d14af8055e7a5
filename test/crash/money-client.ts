// A user of the native surface that keeps running through crashes. The user deposits from the ledger, withdraws to a
// party of their own and queries both, one request at a time, and records the answers.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../src/core/assert.ts";
import { accountOfReference } from "../../src/core/ids/deposit-reference.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { NativeClient } from "../support/client/native-client.ts";
import type { DevnetControl } from "../support/ledger/devnet.ts";
import { MoneyHistory } from "./money-history.ts";

const asset = "USDC";
const decimals = 6;
/**
 * Amount at the start in whole units, both on the user's account and with the party that pays the user's deposits.
 */
const begun = "1000000";
/** Smallest payment or withdrawal in whole units: far above every minimum and fee. */
const amountMin = 10;
/** Pause between requests, which leaves room in the rate limit for requests of other clients. */
const pauseMs = 100;

export interface MoneyClientParts {
  readonly index: number;
  readonly random: SeededRandom;
  readonly endpoint: () => Endpoint;
  /**
   * `custody` is the party to which deposits are paid; `control` returns a client of the ledger's admin API.
   */
  readonly custody: string;
  readonly control: () => Promise<DevnetControl>;
}

export class MoneyClient {
  readonly history: MoneyHistory;
  readonly #parts: MoneyClientParts;
  readonly #token: string;
  readonly #address: string;
  readonly #payer: string;
  readonly #home: string;
  readonly #reference: string;
  #count = 0;
  #turn = 0;
  #isActive = false;
  #loop: Promise<void> = Promise.resolve();

  static async open(parts: MoneyClientParts): Promise<MoneyClient> {
    const user = new NativeClient(baseOf(parts.endpoint()));
    const address = `10.10.0.${parts.index + 1}`;
    user.address = address;
    await user.login();
    await user.post("/v1/deposits/seed", { asset, amount: begun, wallet: "spot" });
    const { json } = await user.get(`/v1/deposits/address?asset=${asset}`);
    const control = await parts.control();
    const party = async (hint: string) => {
      const id = `${hint}${parts.index}::1220${randomBytes(32).toString("hex")}`;
      await control.host(id);
      return id;
    };
    const [payer, home] = [await party("payer"), await party("home")];
    await control.tap(payer, asset, begun);
    return new MoneyClient(parts, {
      ...{ address, payer, home, token: user.token, reference: json.reference as string },
      account: present(
        accountOfReference(json.reference),
        "a deposit reference must name its account",
      ),
    });
  }

  private constructor(
    parts: MoneyClientParts,
    opened: {
      readonly token: string;
      readonly address: string;
      readonly payer: string;
      readonly home: string;
      readonly reference: string;
      readonly account: number;
    },
  ) {
    this.#parts = parts;
    this.#token = opened.token;
    this.#address = opened.address;
    this.#payer = opened.payer;
    this.#home = opened.home;
    this.#reference = opened.reference;
    this.history = new MoneyHistory(opened.account);
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (this.#isActive) {
      // If the answer is lost, the outcome is unknown: a later query or the final check finds it.
      await this.#step().catch(() => undefined);
      await sleep(pauseMs);
    }
  }

  async #step(): Promise<void> {
    const turn = this.#turn++ % 3;
    if (turn === 0) await this.#pay();
    else if (turn === 1) await this.#withdraw();
    else await this.#look();
  }

  /** Returns an amount that this user has not used before. */
  #amount(): { readonly text: string; readonly minor: string } {
    const minor = BigInt(amountMin) * 10n ** BigInt(decimals) + BigInt(++this.#count);
    const text = `${minor / 10n ** BigInt(decimals)}.${String(minor % 10n ** BigInt(decimals)).padStart(decimals, "0")}`;
    return { text, minor: String(minor) };
  }

  async #pay(): Promise<void> {
    const { text, minor } = this.#amount();
    const control = await this.#parts.control();
    this.history.payments.set(minor, "sent");
    await control.spend(this.#payer, this.#parts.custody, asset, text, this.#reference);
    this.history.payments.set(minor, "paid");
  }

  async #withdraw(): Promise<void> {
    const { text, minor } = this.#amount();
    const key = `w${this.#count}`;
    this.history.withdrawals.set(key, { amount: minor, id: null, updateId: null });
    const body = { asset, amount: text, destination: this.#home, idempotency_key: key };
    const { status, json, text: message } = await this.#user().post("/v1/withdrawals", body);
    if (status === 200) {
      this.history.toldWithdrawal(key, json.withdrawal_id, json.status, json.update_id);
    } else if (status === 409) {
      // 409: too many withdrawals are in flight, so this one was not accepted.
      this.history.withdrawals.delete(key);
    } else if (status < 500 && status !== 408 && status !== 429) {
      this.history.contradictions.push(`withdrawal ${key}: ${status} ${message}`);
    }
  }

  async #look(): Promise<void> {
    const user = this.#user();
    const deposits = await user.get("/v1/deposits?limit=50");
    if (deposits.status === 200) {
      for (const { amount, status, update_id: updateId } of deposits.json.items) {
        if (status === "credited") this.history.toldCredited(minorOf(amount), updateId);
      }
    }
    const known = [...this.history.withdrawals].filter(([, { id }]) => id !== null);
    const [key, told] = known[this.#parts.random.below(known.length)] ?? [];
    if (key === undefined || told === undefined) return;
    const { status, json } = await user.get(`/v1/withdrawals/${told.id}`);
    if (status === 200) {
      this.history.toldWithdrawal(key, json.withdrawal_id, json.status, json.update_id);
    } else if (status === 404) {
      this.history.contradictions.push(
        `withdrawal ${key}: reported as ${told.id}, then as unknown`,
      );
    }
  }

  /**
   * Returns a client for the venue's current address. It keeps using the session, which survives restarts of the
   * venue.
   */
  #user(): NativeClient {
    const user = new NativeClient(baseOf(this.#parts.endpoint()));
    user.token = this.#token;
    user.address = this.#address;
    return user;
  }
}

function baseOf({ host, port }: Endpoint): string {
  return `http://${host}:${port}`;
}

function minorOf(amount: string): string {
  const [whole = "0", part = ""] = amount.split(".");
  return String(BigInt(whole + part.padEnd(decimals, "0")));
}
