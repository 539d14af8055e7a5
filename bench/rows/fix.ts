// Row M5: an order over FIX beside the same order over HTTP, one at a time, and how much later a drop copy has it.

import { generateKeyPairSync } from "node:crypto";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { HttpConnection } from "../../src/tools/load/http-connection.ts";
import { createLoadKey, fundings, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import { RequestSigner, virtualAddress } from "../../src/tools/load/signed-requests.ts";
import { FixClient, type FixKey } from "../../test/fix/fix-client.ts";
import { freePort } from "../../test/support/free-port.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { VenueProcess } from "../venue/venue-process.ts";

const latencyGoal = 1;
const copyMsGoal = 2;
/** Each slice has an account of its own, which may place 200 orders in 10 s. */
const slices = 9;
const ordersOfSlice = 80;

interface Trader {
  readonly account: number;
  readonly signer: RequestSigner;
  readonly fix: FixKey;
}

/** An account with a key for HTTP and one for FIX. */
async function newTrader({ dataDir, endpoint }: VenueProcess, turn: number): Promise<Trader> {
  const key = await createLoadKey(dataDir, { type: "standard", label: "fix" });
  await fundLoadAccount(dataDir, key.account, fundings);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const request = { account: key.account, tier: "house", label: "fix", publicKey: raw };
  const created = await callControl(controlSocketPath(dataDir), "keys/create", request);
  if (!created.isOk) throw new Error(`no key for FIX: ${created.error}`);
  const { api_key: value } = created.result as { api_key: string };
  const { account } = key;
  const signer = new RequestSigner(key, `${endpoint.host}:${endpoint.port}`, virtualAddress(turn));
  return { account, signer, fix: { value, account, keyId: 0, privateKey } };
}

async function loggedOn(port: number, { fix }: Trader, isDropCopy: boolean): Promise<FixClient> {
  const client = new FixClient(port, isDropCopy ? "COPY" : "ORDERS");
  client.logon(fix, isDropCopy ? { 9406: "Y" } : {});
  await client.ofType("A");
  return client;
}

/** Resolves when the report that accepts an order arrives, with the time in ms. */
async function reported(client: FixClient, clientId: string): Promise<number> {
  await client.next(({ 11: id, 150: execution }) => id === clientId && execution === "0");
  return performance.now();
}

/** Sends requests over one HTTP connection; each resolves with the time in ms at which its answer came. */
class HttpOrders {
  readonly #signer: RequestSigner;
  #connection: HttpConnection | null = null;
  #answered: (status: number) => void = () => undefined;

  constructor({ signer }: Trader) {
    this.#signer = signer;
  }

  async open({ endpoint }: VenueProcess): Promise<this> {
    this.#connection = await HttpConnection.open(endpoint, 0, {
      onResponse: (_, status) => this.#answered(status),
      onLost: () => this.#answered(0),
    });
    return this;
  }

  place(clientId: string): Promise<number> {
    const query = `symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=IOC&quantity=200&price=0.09&newClientOrderId=${clientId}`;
    return new Promise((resolve, reject) => {
      this.#answered = (status) =>
        status === 200 ? resolve(performance.now()) : reject(new Error(`order answered ${status}`));
      this.#connection?.send(this.#signer.request("POST", "/compat/api/v3/order", query));
    });
  }

  close(): void {
    this.#connection?.close();
  }
}

const orderFields = [
  ...([
    [55, "CC-USDC"],
    [54, 1],
    [40, 2],
  ] as const),
  ...([
    [59, 3],
    [38, "200"],
    [44, "0.09"],
  ] as const),
];

/** Times in ms: of orders over FIX, of orders over HTTP, and from an order's answer over HTTP to its drop copy. */
interface Times {
  readonly fix: number[];
  readonly http: number[];
  readonly copies: number[];
}

/** Places orders one at a time over one account's connections, in turn. */
async function sliceOf(venue: VenueProcess, port: number, turn: number): Promise<Times> {
  const trader = await newTrader(venue, turn);
  const [orders, copy] = [await loggedOn(port, trader, false), await loggedOn(port, trader, true)];
  const http = await new HttpOrders(trader).open(venue);
  const times: Times = { fix: [], http: [], copies: [] };
  for (let count = 0; count < ordersOfSlice; count++) {
    const [overFix, overHttp] = [`f${turn}-${count}`, `h${turn}-${count}`];
    let sentMs = performance.now();
    orders.send("D", [[11, overFix], ...orderFields]);
    times.fix.push((await reported(orders, overFix)) - sentMs);
    sentMs = performance.now();
    const copied = reported(copy, overHttp);
    const answeredMs = await http.place(overHttp);
    times.http.push(answeredMs - sentMs);
    times.copies.push((await copied) - answeredMs);
  }
  http.close();
  orders.drop();
  copy.drop();
  return times;
}

async function fixOrders(bench: Bench): Promise<Reading> {
  const port = await freePort();
  const dataDir = await bench.stage.folder();
  const venue = await VenueProcess.start({ dataDir, settings: { FIX_PORT: `${port}` } });
  try {
    bench.say("orders over FIX and HTTP, one at a time");
    await sliceOf(venue, port, 0);
    const runs: Times[] = [];
    for (let turn = 1; turn <= slices; turn++) runs.push(await sliceOf(venue, port, turn));
    const p50 = (name: keyof Times) => median(runs.map((run) => median(run[name])));
    const ratio = median(runs.map(({ fix, http }) => median(fix) / median(http)));
    const copyMs = Math.max(0, p50("copies"));
    const latency = atMost(ratio, latencyGoal);
    return {
      measured: `${shortNumber(ratio)}× p50; drop copy ${shortNumber(copyMs)} ms after the answer`,
      baseline: "the same over HTTP",
      score: latency.score,
      passed: latency.passed && copyMs <= copyMsGoal,
      figures: {
        "FIX p50 ms": p50("fix"),
        "HTTP p50 ms": p50("http"),
        "drop copy after the answer, p50 ms": p50("copies"),
      },
      notes: [
        `medians of ${slices} slices of ${ordersOfSlice} IOC orders each, over one connection each, in turn`,
        "an answer over HTTP is sent after the commit, so a drop copy before it counts as 0 ms",
      ],
    };
  } finally {
    await venue.stop();
  }
}

export const fixRows: readonly BenchRow[] = [
  {
    id: "M5",
    measure: "order over FIX, beside HTTP: p50; drop copy after the commit",
    goal: `≤ ${latencyGoal}×; ≤ ${copyMsGoal} ms`,
    run: fixOrders,
  },
];
