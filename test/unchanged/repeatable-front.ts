// A deterministic front: only steps advance its time, keys, nonces and tokens are drawn from a seed, and its earlier
// history is always the same. It performs the steps of a recorded conversation and returns each result as text.

import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type Frame, StreamClient } from "../streams/stream-client.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { answeredCustody, answeredSwaps } from "./answered-repositories.ts";
import type {
  HttpStep,
  Requester,
  SessionRequest,
  SessionStep,
  Step,
  StreamStep,
  UserStep,
} from "./conversation-steps.ts";
import { Draw } from "./drawn-values.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Returns a deterministic source of values that look random. */
function drawnEntropy(seed: string) {
  const draw = new Draw(seed);
  return {
    bytes: (count: number) => Buffer.from(Array.from({ length: count }, () => draw.below(256))),
    text: (length: number) =>
      Array.from({ length }, () => letters[draw.below(letters.length)]).join(""),
  };
}

/** Key of the wallet that logs in: the Ed25519 key of 32 equal bytes. */
const walletKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${"07".repeat(32)}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const publicKey = createPublicKey(walletKey)
  .export({ format: "der", type: "spki" })
  .subarray(-32)
  .toString("base64");

const [buy, sell] = [0, 1] as const;
const btcPerp = 4;
const million = 10n ** 12n;

/** Headers to leave out, because they do not depend on the request. */
const dropped = new Set(["date", "connection", "keep-alive", "content-length", "uwebsockets"]);

const frameMsMax = 30_000;

type Signed = readonly (readonly [string, string])[];

export class RepeatableFront {
  readonly front: FrontFixture;
  readonly #keys = new Map<Requester, TestKey>();
  readonly #kept = new Map<string, string>();
  #token = "";
  #spot = 0;

  private constructor(front: FrontFixture) {
    this.front = front;
  }

  /** Opens a front with the fixed history. */
  static async open(): Promise<RepeatableFront> {
    const front = await FrontFixture.open({
      entropy: drawnEntropy("answers"),
      connectionsPerAddressMax: 100,
      custody: answeredCustody,
      payees: { check: async () => "able" },
      swaps: answeredSwaps,
    });
    const answered = new RepeatableFront(front);
    try {
      await answered.#begin();
    } catch (error) {
      front.close();
      throw error;
    }
    return answered;
  }

  close(): void {
    this.front.close();
  }

  /** Performs a step and returns its result. */
  async perform(step: Step): Promise<string> {
    switch (step.do) {
      case "deed":
        return this.#deed(step.name);
      case "http":
        return this.#http(step);
      case "session":
        return this.#session(step);
      case "user":
        return this.#user(step);
      case "streams":
        return this.#streams(step);
    }
  }

  /** Creates the history: accounts with keys, books with orders, positions, funding, a liquidation, and a login. */
  async #begin(): Promise<void> {
    const { front } = this;
    const { venue } = front;
    const [trader, other, ruined] = [
      venue.fund(million),
      venue.fund(100n * million),
      venue.fund(400_000_000n),
    ];
    for (const account of [trader, other])
      for (const asset of [1, 2, 3]) venue.credit(account, 1, asset, 10n ** 14n);
    venue.credit(2, 2, 0, million);
    this.#keys.set("trader", await front.newKey(trader));
    this.#keys.set("other", await front.newKey(other));
    this.#keys.set("reader", await front.newKey(trader, { permissions: 1 }));
    this.#keys.set("ruined", await front.newKey(ruined));
    for (const [market, price] of [
      [4, 6_000_000],
      [5, 300_000],
      [6, 1_500],
    ] as const)
      sayIndex(venue, market, price);
    venue.setLeverage(trader, btcPerp, 20);
    venue.setLeverage(ruined, btcPerp, 100);
    for (const [market, price, qty] of books) {
      for (let level = 1; level <= 8; level++) {
        const step = Math.ceil(price / 1000) * level;
        venue.buy(other, market, price - step, qty * level);
        venue.sell(other, market, price + step, qty * level);
      }
      venue.place({ account: trader, market, side: buy, qty: 3 * qty });
      front.advance(20_000);
      venue.place({ account: trader, market, side: sell, qty });
      venue.buy(trader, market, price - 2 * Math.ceil(price / 1000), 2 * qty);
    }
    this.#trace(trader);
    this.#ruin(ruined, other);
    venue.send({ kind: 19 });
    await this.#login();
  }

  /** Produces the rarer records: prevented matches, amendments, conditional orders, transfers. */
  #trace(trader: number): void {
    const { venue } = this.front;
    venue.sell(trader, 0, 1_490, 4_000, { stpMode: 1 });
    const amended = venue.buy(trader, 0, 1_400, 3_000);
    const growsNot = false;
    const change = { orderId: amended, clientId: "", price: 0, qty: 2_000, side: null, growsNot };
    venue.send({ kind: 14, account: trader, market: 0, ...change });
    venue.place({ account: trader, market: 0, side: buy, qty: 2_000, ...stop(1_550), type: 4 });
    venue.place({ account: trader, market: btcPerp, side: sell, qty: 2, ...stop(5_900_000) });
    venue.send({ ...transfer, kind: 5, account: trader, from: 1, to: 2, amount: 5_000_000n });
    venue.send({ ...transfer, kind: 5, account: trader, from: 2, to: 0, amount: 3_000_000n });
  }

  /** Opens a position that its account cannot keep, so that the venue sends liquidation orders. */
  #ruin(ruined: number, other: number): void {
    const { front } = this;
    front.venue.place({ account: ruined, market: btcPerp, side: buy, qty: 500 });
    front.venue.buy(other, btcPerp, 5_700_000, 2_000);
    sayIndex(front.venue, btcPerp, 5_700_000);
    for (let turn = 0; turn < 20; turn++) this.#tick();
    sayIndex(front.venue, btcPerp, 6_000_000);
    for (let turn = 0; turn < 3; turn++) this.#tick();
  }

  #tick(): void {
    this.front.advance(1_000);
    this.front.venue.machine.handle(this.front.venue.command({ kind: 13 }));
  }

  async #login(): Promise<void> {
    const post = async (path: string, body: object) =>
      this.front.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: JSON.stringify(body),
      });
    const { json: asked } = await post("/v1/wallet/challenge", { public_key: publicKey });
    const signature = sign(null, Buffer.from(asked.message), walletKey).toString("base64");
    const proof = { public_key: publicKey, nonce: asked.nonce, signature };
    const { json } = await post("/v1/wallet/verify", proof);
    this.#token = json.token;
    this.#kept.set("userId", json.user_id);
    const opened = this.front.venue.events.findLast(({ kind }) => kind === 1);
    const account = opened?.account ?? 0;
    for (const wallet of [1, 2] as const)
      this.front.venue.credit(account, wallet, 0, 50_000_000_000n);
  }

  #deed(name: string): string {
    const { venue } = this.front;
    const [trader, other] = [this.#accountOf("trader"), this.#accountOf("other")];
    // Advance the time, because candles and tickers are sent again only after a minimum interval.
    this.front.advance(name === "minute" ? 61_000 : 5_000);
    if (name === "trade spot") {
      venue.sell(other, 0, 1_500 + (this.#spot++ % 5), 700);
      venue.buy(trader, 0, 1_505, 700);
    } else if (name === "trade perpetual") {
      venue.sell(other, btcPerp, 6_000_100, 3);
      venue.buy(trader, btcPerp, 6_000_100, 3);
      this.#tick();
    } else if (name !== "minute") throw new Error(`no deed is called ${name}`);
    return `seq ${this.front.state.seq}`;
  }

  #accountOf(requester: Requester): number {
    return this.#keys.get(requester)?.account ?? 0;
  }

  async #http(asked: HttpStep): Promise<string> {
    const step = this.#named(asked);
    const { method, path, by, isForm = false } = step;
    const pairs = this.#signed(step.pairs, by, by === "untimed");
    const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const headers: Record<string, string> = { ...this.#headersOf(by), ...step.headers };
    if (step.body !== undefined) headers["content-type"] = "application/json";
    const body = step.body ?? (isForm ? text : undefined);
    const query = isForm || text === "" ? "" : `?${text}`;
    const answer = await this.front.fetch(path + query, {
      method,
      headers,
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    for (const name of step.keeps ?? []) this.#kept.set(name, String(answer.json?.[name]));
    const told = [...answer.headers]
      .filter(([name]) => !dropped.has(name))
      .map(([name, value]) => `${name}: ${value}`);
    return this.#settled([`${answer.status}`, ...told, "", answer.text].join("\n"));
  }

  /** Returns the step with its placeholders replaced by values of earlier answers. */
  #named(step: HttpStep): HttpStep {
    const text = JSON.stringify(step).replace(
      /\{\{(\w+)\}\}/g,
      (_, name: string) => this.#kept.get(name) ?? "",
    );
    return JSON.parse(text) as HttpStep;
  }

  #headersOf(by: Requester): Record<string, string> {
    if (by === "session") return { authorization: `Bearer ${this.#token}` };
    if (by === "stranger") return { "X-MBX-APIKEY": "z".repeat(64) };
    const key = this.#keyOf(by);
    return key === undefined ? {} : { "X-MBX-APIKEY": key.value };
  }

  #keyOf(by: Requester): TestKey | undefined {
    const isWrong = by === "forged" || by === "late" || by === "untimed";
    return this.#keys.get(isWrong ? "trader" : by);
  }

  /** Returns the parameters with time and signature, if the sender adds them. */
  #signed(pairs: Signed, by: Requester, isUntimed: boolean, isSorted = false): Signed {
    const key = this.#keyOf(by) ?? (by === "stranger" ? this.#keys.get("trader") : undefined);
    if (key === undefined) return pairs;
    const nowMs = Math.floor(this.front.nowUs() / 1000);
    const atMs = by === "late" ? nowMs - 600_000 : nowMs;
    const timed = isUntimed ? pairs : [...pairs, ["timestamp", String(atMs)] as const];
    const all = isSorted ? [...timed].sort(([a], [b]) => (a < b ? -1 : 1)) : timed;
    const text = all
      .map(([name, value]) => `${name}=${isSorted ? value : encodeURIComponent(value)}`)
      .join("&");
    const signature = by === "forged" ? "ab".repeat(32) : key.sign(text);
    return [...all, ["signature", signature]];
  }

  async #session({ path, asks }: SessionStep): Promise<string> {
    const client = await StreamClient.open(this.front.base.replace("http", "ws") + path);
    const told: string[] = [];
    for (const [id, request] of asks.entries()) {
      client.send({ id, method: request.method, params: this.#sessionParams(request) });
      told.push(JSON.stringify(await client.next((frame) => frame.id === id)));
    }
    client.close();
    return this.#settled(told.join("\n"));
  }

  #sessionParams({ params, by }: SessionRequest): Record<string, unknown> {
    const key = this.#keyOf(by);
    if (key === undefined) return params;
    const pairs = Object.entries({ ...params, apiKey: key.value });
    const texts = pairs.map(([name, value]) => [name, String(value)] as const);
    return { ...params, ...Object.fromEntries(this.#signed(texts, by, false, true)) };
  }

  async #user({ path, asks, frames }: UserStep): Promise<string> {
    const address = path.replace("{{listenKey}}", this.#kept.get("listenKey") ?? "");
    const client = await StreamClient.open(this.front.base.replace("http", "ws") + address);
    // The client resumes after a seq that does not exist, so its first frame is a snapshot. That frame arrives once the
    // listen key has been looked up; from then on the client receives everything.
    await client.until(() => client.frames.length > 0, frameMsMax);
    const answers: string[] = [];
    for (const request of asks) answers.push(await this.#http(request));
    await client.until(() => client.frames.length >= frames, frameMsMax).catch(() => undefined);
    client.close();
    return [
      ...answers,
      ...client.frames.slice(0, frames).map((frame) => JSON.stringify(frame)),
    ].join("\n");
  }

  /** Returns the first frame of each stream after the event, in the order of the streams. */
  async #streams({ path, names, deed }: StreamStep): Promise<string> {
    const address = `${this.front.base.replace("http", "ws")}${path}?streams=${names.join("/")}`;
    const client = await StreamClient.open(address);
    const before = this.front.state.seq;
    this.#deed(deed);
    const nowMs = Math.floor(this.front.nowUs() / 1000);
    // Ignore frames from before the event, or of a candle that ended before it, because they may or may not have
    // arrived. The best prices of a spot market are sent on subscription, and again only if the event changes them.
    const isOfDeed = ({ data }: Frame) => {
      if (data.E !== undefined) return data.E === nowMs && !data.k?.x;
      return data.lastUpdateId === undefined || data.lastUpdateId > before;
    };
    const frameOf = (name: string) =>
      client.frames.find((frame) => frame.stream === name && isOfDeed(frame));
    const silent = () => names.filter((name) => frameOf(name) === undefined);
    await client.until(() => silent().length === 0, frameMsMax).catch(() => undefined);
    const told = names.map((name) =>
      JSON.stringify(frameOf(name) ?? `${name} says nothing`).replace(
        /"u":\d+,"s"/,
        '"u":"<u>","s"',
      ),
    );
    client.close();
    return this.#settled(told.join("\n"));
  }

  /** Replaces the port, which differs from run to run. */
  #settled(text: string): string {
    const { port } = new URL(this.front.base);
    return text.replaceAll(new RegExp(`(127\\.0\\.0\\.1|localhost):${port}`, "g"), "$1:<port>");
  }
}

const transfer = { asset: 0, key: null };

/** Market, middle price in ticks, and lots per level of each book. */
const books: readonly (readonly [market: number, price: number, qty: number])[] = [
  [0, 1_500, 3_000],
  [1, 6_000_000, 20],
  [2, 300_000, 50],
  [4, 6_000_000, 20],
  [5, 300_000, 100],
  [6, 1_500, 90_000],
];

function stop(triggerPrice: number) {
  return { type: 4, triggerPrice } as const;
}
