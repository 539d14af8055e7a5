// A customer with a wallet that holds coins on the development ledger, who requests swaps from a whole venue.

import { type KeyObject, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DevnetAdmin } from "../../src/adapters/ledger/devnet-admin.ts";
import {
  type NativeAnswer,
  type NativeClient,
  newWallet,
} from "../support/client/native-client.ts";
import type { LedgerVenue } from "../support/venue/ledger-venue.ts";

export interface ShownSwap {
  readonly swap_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly update_id: string | null;
  readonly quotes: readonly {
    readonly quote_id: string;
    readonly price: string;
    readonly qty: string;
    readonly provider_party: string;
    readonly valid_until: string;
  }[];
}

export const swapEnds = ["settled", "released", "expired", "cancelled"];

const patienceMs = 60_000;
/** Longer than any timeout of a swap, on a busy machine. */
const swapMsMax = 240_000;

export class SwapCustomer {
  readonly user: NativeClient;
  readonly #key: KeyObject;

  /** Creates a customer whose wallet holds these coins. */
  static async open(
    venue: LedgerVenue,
    coins: Readonly<Record<string, string>>,
  ): Promise<SwapCustomer> {
    const wallet = newWallet();
    const user = await venue.user(wallet);
    const { adminUrl } = await venue.place();
    const control = new DevnetAdmin({ url: adminUrl }, await venue.adminToken());
    await control.hostSigner(user.partyId, wallet.publicKey);
    for (const [asset, amount] of Object.entries(coins))
      await control.tap(user.partyId, asset, amount);
    return new SwapCustomer(user, wallet.key);
  }

  private constructor(user: NativeClient, key: KeyObject) {
    this.user = user;
    this.#key = key;
  }

  get party(): string {
    return this.user.partyId;
  }

  /** Requests a swap of 100 CC, with terms replaced by `change`; returns the swap's id. */
  async request(change: object = {}): Promise<string> {
    const params = { pair: "CC-USDC", side: "BUY", qty: "100", ...change };
    const { json, text } = await this.user.post("/v1/swaps/rfq", params);
    if (json === null) throw new Error(text);
    return json.swap_id;
  }

  async shown(id: string): Promise<ShownSwap> {
    const { json, text } = await this.user.get(`/v1/swaps/rfq/${id}`);
    if (json === null) throw new Error(text);
    return json;
  }

  async until(id: string, holds: (swap: ShownSwap) => boolean): Promise<ShownSwap> {
    for (const endMs = Date.now() + swapMsMax; ; await sleep(20)) {
      const swap = await this.shown(id);
      if (holds(swap)) return swap;
      if (Date.now() > endMs) throw new Error(`the swap stays as it is: ${JSON.stringify(swap)}`);
    }
  }

  over(id: string): Promise<ShownSwap> {
    return this.until(id, ({ status }) => swapEnds.includes(status));
  }

  send(id: string, what: string, body: object = {}): Promise<NativeAnswer> {
    return this.user.post(`/v1/swaps/rfq/${id}/${what}`, body);
  }

  /**
   * Requests a swap, accepts the best quote and returns the swap's id. Repeats the request while no provider quotes,
   * because a restarted provider may not have passed a health check yet.
   */
  async accepted(change: object = {}): Promise<string> {
    for (const untilMs = Date.now() + patienceMs; ; await sleep(100)) {
      const id = await this.request(change);
      const { quotes, status } = await this.until(id, (swap) => swap.status !== "requested");
      if (quotes.length === 0 && Date.now() < untilMs) continue;
      const [best] = quotes;
      if (best === undefined) throw new Error(`no provider quoted: ${status}`);
      const taken = await this.send(id, "accept", { quote_id: best.quote_id });
      if (taken.status !== 200) throw new Error(taken.text);
      return id;
    }
  }

  signatureOf(hash: string): string {
    return sign(null, Buffer.from(hash, "base64"), this.#key).toString("base64");
  }

  /** Returns the hash that the customer must sign; repeats the request while the ledger does not answer in time. */
  async prepared(id: string): Promise<string> {
    for (;;) {
      const { status, json, text } = await this.send(id, "prepare");
      if (json !== null) return json.prepared_transaction_hash;
      if (status !== 504) throw new Error(text);
    }
  }

  async signed(id: string): Promise<NativeAnswer> {
    const hash = await this.prepared(id);
    const signature = this.signatureOf(hash);
    return this.send(id, "execute", { prepared_transaction_hash: hash, signature });
  }
}
