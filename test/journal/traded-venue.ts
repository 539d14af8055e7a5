// A venue started by `rialto start`, with a varied history: deposits from the faucet and from the ledger, spot and
// perpetual trades with fees, funding, transfers, and withdrawals that are paid or in flight.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import type { Json } from "../support/client/json.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import type { Settings } from "../support/venue/cli-process.ts";
import { DevVenue } from "../support/venue/dev-venue.ts";

export interface TradedAccount {
  readonly account: number;
  readonly key: string;
  readonly secret: string;
}

/** Short cycles, as in `LedgerVenue`: with the default intervals, the history would take minutes. */
const settings = {
  DEV_PROVIDER: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  RECONCILE_INTERVAL_MS: "50",
};

/** Longest wait for a condition in ms; long, because a machine may stall. */
const deadlineMs = 120_000;
const pollMs = 25;

/**
 * Polls `look` until it returns `is`, and returns that value. If the deadline passes, fails with the last `not` or
 * the last error.
 */
async function found<T>(look: () => Promise<{ readonly is: T } | { readonly not: unknown }>) {
  let last: unknown = "nothing";
  for (const untilMs = performance.now() + deadlineMs; performance.now() < untilMs; ) {
    try {
      const seen = await look();
      if ("is" in seen) return seen.is;
      last = seen.not;
    } catch (error) {
      last = error;
    }
    await sleep(pollMs);
  }
  throw new Error(`did not come within ${deadlineMs} ms; seen last: ${inspect(last)}`);
}

/** The venue's own accounts whose balances the history changes: fees, withdrawals, faucet. */
const venuesOwn = [1, 6, 7];

export class TradedVenue {
  readonly venue: DevVenue;
  #maker!: TradedAccount;
  #taker!: TradedAccount;
  #user!: NativeClient;
  /** Account number of the user's sub-account. */
  #sub = 0;

  private constructor(venue: DevVenue) {
    this.venue = venue;
  }

  /** Starts a venue, with other settings than the usual ones if `change` has some, and lives through its history. */
  static async start(change: Settings = {}): Promise<TradedVenue> {
    const traded = new TradedVenue(await DevVenue.start({ ...settings, ...change }));
    try {
      await traded.#live();
    } catch (error) {
      await traded.close();
      throw error;
    }
    return traded;
  }

  get taker(): TradedAccount {
    return this.#taker;
  }

  /** All accounts whose balances the history changes. */
  get accounts(): number[] {
    const { account } = this.#maker;
    return [account, this.#taker.account, this.#userAccount, this.#sub, ...venuesOwn];
  }

  /**
   * Returns the balances that `rialto accounts show` prints for an account, sorted and in the format of the guide's
   * programs.
   */
  async shown(account: number): Promise<string[]> {
    const { code, printed } = await this.venue.run(["--json", "accounts", "show", `${account}`]);
    assert.equal(code, 0, printed);
    const rows = (JSON.parse(printed) as Json).balances as {
      wallet: string;
      asset: string;
      total: string;
    }[];
    const lines = rows.map(({ wallet, asset, total }) => `${account} ${wallet} ${asset} ${total}`);
    return lines.filter((line) => !/ 0\.0+$/.test(line)).sort();
  }

  /** Requests a withdrawal and returns its id, without waiting for the payment. */
  async withdraw(amount: string): Promise<string> {
    const destination = `home::1220${randomBytes(32).toString("hex")}`;
    await (await this.venue.control()).host(destination);
    const request = {
      asset: "USDC",
      amount,
      destination,
      idempotency_key: destination.slice(0, 40),
    };
    // The venue refuses withdrawals until it has reached the ledger, so try again.
    return found(async () => {
      const { status, text, json } = await this.#user.post("/v1/withdrawals", request);
      return status < 300 ? { is: json.withdrawal_id as string } : { not: text };
    });
  }

  async signed(who: TradedAccount, method: "GET" | "POST", path: string, parameters = {}) {
    const answer = await signedFetch<Json>(this.venue.address, who, { method, path, parameters });
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.json)}`);
    return answer.json;
  }

  async close(): Promise<void> {
    await this.venue.close();
  }

  get #userAccount(): number {
    return parsePublicId(PublicIdKind.user, this.#user.userId)?.number ?? 0;
  }

  async #call(call: string, parameters: object): Promise<Json> {
    const path = controlSocketPath(this.venue.dataDir);
    const { isOk, result } = (await callControl(path, call, parameters)) as Json;
    assert.ok(isOk, `${call}: ${JSON.stringify(result)}`);
    return result;
  }

  async #trader(): Promise<TradedAccount> {
    const { account } = await this.#call("accounts/create", { type: "standard" });
    for (const [wallet, asset, amount] of [
      ["spot", "USDC", "100000"],
      ["spot", "CC", "250000.12345678"],
      ["funding", "USDC", "7.654321"],
      ["perp", "USDC", "100000"],
    ]) {
      await this.#call("accounts/fund", { account, wallet, asset, amount });
    }
    const created = await this.#call("keys/create", { account, tier: "house" });
    return { account, key: created.api_key, secret: created.secret };
  }

  async #live(): Promise<void> {
    [this.#maker, this.#taker] = [await this.#trader(), await this.#trader()];
    this.#user = new NativeClient(this.venue.address);
    await this.#user.login();
    await this.#tradeSpot();
    await this.#tradePerpetual();
    await this.#depositAndTransfer();
    await this.#openSubAccount();
    const id = await this.withdraw("100");
    const { json: end, text } = await found(async () => {
      const answer = await this.#user.get(`/v1/withdrawals/${id}`);
      const { status } = answer.json;
      return ["completed", "failed"].includes(status) ? { is: answer } : { not: status };
    });
    assert.equal(end.status, "completed", `${text}\n${this.venue.process.complained}`);
  }

  /** Opens a sub-account and gives it money, some of which it returns. */
  async #openSubAccount(): Promise<void> {
    const opened = await this.#user.post("/v1/sub-accounts", { label: "desk" });
    assert.equal(opened.status, 200, opened.text);
    const { id } = opened.json;
    this.#sub = parsePublicId(PublicIdKind.user, id)?.number ?? 0;
    const own = this.#user.userId;
    for (const [from_account, to_account, amount] of [
      [own, id, "60.5"],
      [id, own, "20.25"],
    ]) {
      const what = { from: "spot", to: "spot", asset: "USDC", amount };
      const request = { from_account, to_account, ...what, idempotency_key: `of-${amount}` };
      const { status, text } = await this.#user.post("/v1/sub-accounts/transfers", request);
      assert.equal(status, 200, text);
    }
  }

  #order(who: TradedAccount, side: "BUY" | "SELL", order: Readonly<Record<string, string>>) {
    const path = order["symbol"]?.includes("-") ? "/api/v3/order" : "/fapi/v1/order";
    const request = { type: "LIMIT", timeInForce: "GTC", side, ...order };
    return this.signed(who, "POST", path, request);
  }

  async #tradeSpot(): Promise<void> {
    const symbol = "CC-USDC";
    for (const price of ["0.1501", "0.1502", "0.1509"]) {
      await this.#order(this.#maker, "SELL", { symbol, price, quantity: "1234" });
    }
    await this.#order(this.#taker, "BUY", { symbol, price: "0.1505", quantity: "3000" });
    // The taker's order still has a resting remainder. This sell order takes part of it, so that the taker is also a
    // maker once.
    await this.#order(this.#maker, "SELL", { symbol, price: "0.1505", quantity: "100" });
  }

  async #tradePerpetual(): Promise<void> {
    const symbol = "BTCUSDT";
    const [maker, taker] = [this.#maker, this.#taker];
    await this.#order(maker, "SELL", { symbol, price: "60000.00", quantity: "0.3" });
    await this.#order(taker, "BUY", { symbol, price: "60000.00", quantity: "0.3" });
    await this.#order(maker, "BUY", { symbol, price: "60100.00", quantity: "0.2" });
    await this.#order(taker, "SELL", { symbol, price: "60100.00", quantity: "0.2" });
    await this.#call("funding/tick", {});
  }

  async #depositAndTransfer(): Promise<void> {
    const user = this.#user;
    // The ledger starts at the same time as the venue, which reaches it a little later.
    const place: Json = await found(async () => {
      const { status, text, json } = await user.get("/v1/deposits/address?asset=USDC");
      return status === 200 ? { is: json } : { not: text };
    });
    const payer = `payer::1220${randomBytes(32).toString("hex")}`;
    const control = await this.venue.control();
    await control.host(payer);
    await control.tap(payer, "USDC", "1000");
    await control.spend(payer, place.party_id, "USDC", "500.25", place.reference);
    await found(async () => {
      const { status, text, json } = await user.get("/v1/deposits");
      if (status !== 200) return { not: `${status} ${text}` };
      const isThere = json.items.some(({ status }: { status: string }) => status === "credited");
      return isThere ? { is: true } : { not: json.items };
    });
    for (const [to, amount] of [
      ["spot", "400.25"],
      ["perp", "50"],
    ]) {
      const request = { from: "funding", to, asset: "USDC", amount, idempotency_key: `to-${to}` };
      const { status, text } = await user.post("/v1/transfers", request);
      assert.equal(status, 200, text);
    }
  }
}
