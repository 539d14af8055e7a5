// An owner with sub-accounts that keeps running through crashes. It moves money between its account and one of them, opens
// more of them, and restricts a key. A request without an answer is sent again, as the guide advises: a move with its
// idempotency key, an opening with its label. So each happens exactly once. The owner and another sub-account trade with
// keys of their own.

import { setTimeout as sleep } from "node:timers/promises";
import { subAccountsPerOwnerMax, Wallet } from "../../src/core/accounts.ts";
import { present } from "../../src/core/assert.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import type { VenueState } from "../../src/engine/state/venue-state.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { fundings, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { type NativeAnswer, NativeClient } from "../support/client/native-client.ts";
import { perpetualFunding } from "./crash-market.ts";

const asset = { code: "USDC", id: 0, decimals: 6 };
/** Largest move in minor units: 5 USDC. */
const amountMax = 5_000_000;
/** Pause between requests in ms, which leaves room in the rate limit for requests of other clients. */
const pauseMs = 150;
/** One in this many requests opens a sub-account. */
const openingOneIn = 40;
/** One in this many requests restricts a key further. */
const narrowingOneIn = 10;
/** When that key expires after its first restriction. */
const expiresMsFirst = Date.UTC(2099, 0);

/** The family trades with standard keys, whose owner may place 50 orders in ten seconds: rest of each trader in ms. */
export const familyRestMs = 500;

export interface FamilyClientParts {
  readonly dataDir: string;
  readonly seed: number;
  readonly address: string;
  readonly endpoint: () => Endpoint;
}

interface Move {
  readonly key: string;
  /** In minor units: positive to the sub-account, negative to the owner. */
  readonly amount: bigint;
}

/** A change of a key's restrictions. */
interface Narrowing {
  readonly expiresMs: number;
}

interface Opened {
  readonly owner: number;
  readonly ownerId: string;
  readonly token: string;
  /** The sub-account that money moves to and from. */
  readonly purse: number;
  readonly purseId: string;
  readonly traders: readonly LoadKey[];
  /** Id of a key that nobody uses and that expires earlier and earlier. */
  readonly narrowedId: string;
}

export class FamilyClient {
  /** Keys of the owner and of a sub-account that trades. */
  readonly traders: readonly LoadKey[];
  readonly #parts: FamilyClientParts;
  readonly #opened: Opened;
  readonly #random: SeededRandom;
  readonly #contradictions: string[] = [];
  /** Labels of sub-accounts that the venue said it opened. */
  readonly #labels = ["purse", "trader"];
  /** What the moves that the venue acknowledged brought to the sub-account, in minor units. */
  #moved = 0n;
  /** When the narrowed key expires, as the venue acknowledged it; 0 for never. */
  #expiresMs = 0;
  /** The move, the label and the restriction without an answer so far. */
  #move: Move | null = null;
  #label: string | null = null;
  #narrowing: Narrowing | null = null;
  #moves = 0;
  #isActive = false;
  #loop: Promise<void> = Promise.resolve();

  /** Logs in with a new wallet, and opens and funds the accounts. */
  static async open(parts: FamilyClientParts): Promise<FamilyClient> {
    const { dataDir } = parts;
    const user = userOf(parts, "");
    await user.login();
    const owner = accountOf(user.userId);
    await fundLoadAccount(dataDir, owner, [...fundings, ...perpetualFunding]);
    const subAccount = async (label: string) =>
      (await sound(user, "/v1/sub-accounts", { label })).id;
    const [purseId, traderId] = [await subAccount("purse"), await subAccount("trader")];
    const trader = accountOf(traderId);
    await fundLoadAccount(dataDir, trader, [...fundings, ...perpetualFunding]);
    const keyOf = async (account: number, path: string): Promise<LoadKey> => {
      const { key, secret } = await sound(user, path, {});
      return { account, key, secret };
    };
    const traders = [
      await keyOf(owner, "/v1/api-keys"),
      await keyOf(trader, `/v1/sub-accounts/${traderId}/api-keys`),
    ];
    const { token, userId: ownerId } = user;
    const purse = accountOf(purseId);
    const { id: narrowedId } = await sound(user, "/v1/api-keys", {});
    const opened = { owner, ownerId, token, purse, purseId, traders, narrowedId };
    return new FamilyClient(parts, opened);
  }

  private constructor(parts: FamilyClientParts, opened: Opened) {
    this.#parts = parts;
    this.#opened = opened;
    this.traders = opened.traders;
    this.#random = new SeededRandom(parts.seed);
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
  }

  /** Differences between what the venue told the owner and the state that the journal makes. */
  faults({
    accounts,
    balances,
    keys,
  }: Pick<VenueState, "accounts" | "balances" | "keys">): string[] {
    const { owner, purse, narrowedId } = this.#opened;
    const faults = [...this.#contradictions];
    const known = accounts.subAccountsOf(owner).map(({ label }) => label);
    const isFound = [...this.#labels, ...(known.length > this.#labels.length ? [this.#label] : [])];
    if (JSON.stringify(known) !== JSON.stringify(isFound))
      faults.push(
        `owner ${owner}: sub-accounts ${known}, but told ${this.#labels}, ${this.#label}`,
      );
    const number = present(parsePublicId(PublicIdKind.key, narrowedId), "the id of a key").number;
    const expiresMs = (keys.get(number)?.expiresUs ?? 0) / 1000;
    if (expiresMs !== this.#expiresMs && expiresMs !== this.#narrowing?.expiresMs)
      faults.push(`key ${narrowedId} expires at ${expiresMs}, but told ${this.#expiresMs}`);
    const held = balances.total(purse, Wallet.spot, asset.id);
    if (held !== this.#moved && held !== this.#moved + (this.#move?.amount ?? 0n))
      faults.push(`sub-account ${purse} has ${held}, but ${this.#moved} was moved to it`);
    return faults;
  }

  async #run(): Promise<void> {
    while (this.#isActive) {
      const mayOpen = this.#labels.length < subAccountsPerOwnerMax;
      const isOpening = mayOpen && this.#move === null && this.#random.below(openingOneIn) === 0;
      const isNarrowing =
        this.#move === null && this.#label === null && this.#random.below(narrowingOneIn) === 0;
      if (this.#narrowing !== null || isNarrowing) await this.#narrow();
      else await (this.#label !== null || isOpening ? this.#open() : this.#send());
      await sleep(pauseMs);
    }
  }

  async #open(): Promise<void> {
    const isAgain = this.#label !== null;
    this.#label ??= `sub-${this.#labels.length}`;
    const answer = await this.#post("/v1/sub-accounts", { label: this.#label });
    if (answer === null) return;
    // The label is taken if an earlier request was executed.
    if (answer.status === 200 || (isAgain && answer.status === 409)) this.#labels.push(this.#label);
    else this.#contradictions.push(`opening ${this.#label}: ${answer.status} ${answer.text}`);
    this.#label = null;
  }

  /** Lets the key that nobody uses expire a second earlier, with the right to read. */
  async #narrow(): Promise<void> {
    const lastMs = this.#expiresMs === 0 ? expiresMsFirst : this.#expiresMs - 1_000;
    this.#narrowing ??= { expiresMs: lastMs };
    const { expiresMs } = this.#narrowing;
    const expires_at = new Date(expiresMs).toISOString();
    const terms = { permissions: ["READ"], allowed_addresses: [], expires_at };
    const path = `/v1/api-keys/${this.#opened.narrowedId}/restrictions`;
    const answer = await this.#request("PUT", path, terms);
    if (answer === null) return;
    const isSet = answer.status === 200 && Date.parse(answer.json.expires_at) === expiresMs;
    if (isSet) this.#expiresMs = expiresMs;
    else this.#contradictions.push(`narrowing a key: ${answer.status} ${answer.text}`);
    this.#narrowing = null;
  }

  async #send(): Promise<void> {
    this.#move ??= this.#draw();
    const { key, amount } = this.#move;
    const { ownerId, purseId } = this.#opened;
    const [from, to] = amount > 0n ? [ownerId, purseId] : [purseId, ownerId];
    const text = formatScaled(amount > 0n ? amount : -amount, asset.decimals);
    const accounts = { from_account: from, to_account: to, from: "spot", to: "spot" };
    const answer = await this.#post("/v1/sub-accounts/transfers", {
      ...{ ...accounts, asset: asset.code, amount: text, idempotency_key: key },
    });
    if (answer === null) return;
    const { status, json } = answer;
    const isMoved = status === 200 && json.amount === text && json.to_account === to;
    if (isMoved) this.#moved += amount;
    else this.#contradictions.push(`move ${key} of ${text}: ${status} ${answer.text}`);
    this.#move = null;
  }

  /** A move that the sub-account can pay. */
  #draw(): Move {
    const amount = BigInt(1 + this.#random.below(amountMax));
    const isBack = this.#moved >= amount && this.#random.below(2) === 0;
    return { key: `m${++this.#moves}`, amount: isBack ? -amount : amount };
  }

  #post(path: string, body: object): Promise<NativeAnswer | null> {
    return this.#request("POST", path, body);
  }

  /** Null if the request must be repeated. */
  async #request(method: "POST" | "PUT", path: string, body: object): Promise<NativeAnswer | null> {
    const user = userOf(this.#parts, this.#opened.token);
    const answer = await user.send(method, path, JSON.stringify(body)).catch(() => null);
    return answer === null || isOpen(answer) ? null : answer;
  }
}

/** Whether the request must be repeated: it was not executed, or nobody knows its outcome. */
function isOpen({ status, text }: NativeAnswer): boolean {
  return status === 408 || status === 429 || status >= 500 || text.includes("still in flight");
}

/** Sends a request that must succeed, and returns its answer. */
async function sound(user: NativeClient, path: string, body: object) {
  const { status, json, text } = await user.post(path, body);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return json;
}

function accountOf(userId: string): number {
  return present(parsePublicId(PublicIdKind.user, userId), "the id of a user").number;
}

function userOf({ endpoint, address }: FamilyClientParts, token: string): NativeClient {
  const { host, port } = endpoint();
  return Object.assign(new NativeClient(`http://${host}:${port}`), { address, token });
}
