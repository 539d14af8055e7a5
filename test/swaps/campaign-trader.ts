// A trader of a campaign. It makes one swap after the other at a venue that may be dead, and continues each swap by its
// state. Unusual behaviour is drawn from the seed.

import { type KeyObject, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type ShownSwap, swapEnds } from "../providers/swap-customer.ts";
import { type NativeAnswer, NativeClient, newWallet } from "../support/client/native-client.ts";
import { type CampaignVenue, untilDone } from "../support/venue/campaign-venue.ts";

/** A trader's initial amount of each asset. */
export const begunCoins = 1_000;

const lookMs = 100;
/** Pause after a 429. Traders may reach the request limits of a venue that is not killed: a kill resets the counts. */
const backOffMs = 5_000;
/**
 * Percentages of swaps that are cancelled, abandoned, aborted by the operator, or left until their quote expires.
 */
const cancelled = 4;
const forgotten = 4;
const aborted = 6;
const patient = 30;

export class CampaignTrader {
  readonly party: string;
  swaps = 0;
  readonly #venue: CampaignVenue;
  readonly #token: string;
  readonly #key: KeyObject;
  readonly #random: SeededRandom;
  readonly #address: string;

  static async open(
    venue: CampaignVenue,
    number: number,
    random: SeededRandom,
  ): Promise<CampaignTrader> {
    const wallet = newWallet();
    const address = `10.9.0.${number}`;
    const user = Object.assign(new NativeClient(venue.address), { address });
    await user.login(wallet);
    const control = await venue.control();
    const { partyId: party, token } = user;
    const hosted = { party, public_key: wallet.publicKey };
    await control.call("POST", "/devnet/v1/wallets", hosted);
    for (const asset of ["USDC", "CC"]) await control.tap(party, asset, `${begunCoins}`);
    return new CampaignTrader({ venue, party, token, key: wallet.key, random, address });
  }

  private constructor(parts: {
    readonly venue: CampaignVenue;
    readonly party: string;
    readonly token: string;
    readonly key: KeyObject;
    readonly random: SeededRandom;
    readonly address: string;
  }) {
    this.party = parts.party;
    this.#venue = parts.venue;
    this.#token = parts.token;
    this.#key = parts.key;
    this.#random = parts.random;
    this.#address = parts.address;
  }

  /** Runs one swap from its request to its end. */
  async swap(): Promise<void> {
    const isBuy = this.#random.below(2) === 0;
    const request = {
      ...{ pair: "CC-USDC", side: isBuy ? "BUY" : "SELL" },
      qty: `${100 + this.#random.below(50)}`,
    };
    const made = await this.#send("POST", "/v1/swaps/rfq", request);
    if (made.status !== 200) {
      // A swap whose creation was not answered still counts against the limit of eight, so wait and try again.
      await sleep(lookMs);
      return;
    }
    this.swaps++;
    const path = `/v1/swaps/rfq/${made.json.swap_id}`;
    const [chance, patience] = [this.#random.below(100), this.#random.below(100)];
    for (;;) {
      const shown = await this.#send("GET", path);
      if (shown.status !== 200) throw new Error(`A swap is missing: ${shown.status} ${shown.text}`);
      const swap = shown.json as ShownSwap;
      if (swapEnds.includes(swap.status)) return;
      await this.#goOn(path, swap, { chance, isPatient: patience < patient });
      await sleep(lookMs);
    }
  }

  async #goOn(
    path: string,
    { status, swap_id: swapId, quotes }: ShownSwap,
    { chance, isPatient }: { readonly chance: number; readonly isPatient: boolean },
  ): Promise<void> {
    const isForgotten = chance >= cancelled && chance < cancelled + forgotten;
    const calls = cancelled + forgotten + aborted;
    if (status === "quoted" && chance < cancelled) await this.#send("POST", `${path}/cancel`, {});
    else if (status === "quoted") {
      const quote = quotes[this.#random.below(quotes.length)];
      await this.#send("POST", `${path}/accept`, { quote_id: quote?.quote_id });
    } else if (status === "accepted" && !isForgotten) await this.#sign(path);
    else if (status === "releasing" && !isPatient) await this.#sign(path);
    const isAborting = status === "trader_allocated" && !isForgotten && chance < calls;
    // The abort is refused if it comes too late, and lost while the venue is dead.
    if (isAborting) await this.#venue.call("swaps/abort", { swapId }).catch(() => undefined);
  }

  /** Signs what the venue prepares now, if anything. */
  async #sign(path: string): Promise<void> {
    const { status, json } = await this.#send("POST", `${path}/prepare`, {});
    if (status !== 200) return;
    const hash: string = json.prepared_transaction_hash;
    const signature = sign(null, Buffer.from(hash, "base64"), this.#key).toString("base64");
    const signed = { prepared_transaction_hash: hash, signature };
    await this.#send("POST", `${path}/execute`, signed);
  }

  /** Retries until a venue answers, always at its current address. */
  #send(method: "GET" | "POST", path: string, body?: object): Promise<NativeAnswer> {
    return untilDone(`${method} ${path}`, async () => {
      const client = new NativeClient(this.#venue.address);
      Object.assign(client, { token: this.#token, address: this.#address });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const answer = await client.send(method, path, text);
      if (answer.status === 429) {
        await sleep(backOffMs);
        throw new Error(answer.text);
      }
      // What was written with an unknown outcome must not be sent again; a reading may.
      const isUnknown = answer.status === 408 || answer.status === 504;
      if (isUnknown ? method === "GET" : answer.status >= 500) throw new Error(answer.text);
      return answer;
    });
  }
}
