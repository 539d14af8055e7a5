// Row M5: an order over FIX beside the same order over HTTP, one at a time, and how much later a drop copy has it.

import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { HttpConnection } from "../../src/tools/load/http-connection.ts";
import { createLoadKey, fundings, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import { RequestSigner, virtualAddress } from "../../src/tools/load/signed-requests.ts";
import { createdKey, FixClient } from "../../test/fix/fix-client.ts";
import { freePort } from "../../test/support/free-port.ts";
import { FixOrders, type Lasting } from "../load/fix-orders.ts";
import { inTurns, type Way } from "../load/turns.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { VenueProcess } from "../venue/venue-process.ts";

const latencyGoal = 1;
const copyMsGoal = 2;
/**
 * Slices that count, and those before them, until the compiled code is the final one. Each way has an account of its own in
 * each slice, which may place 200 orders in 10 s.
 */
const slices = 15;
const warmSlices = 20;
const ordersOfSlice = 180;
const copySlices = 3;

const terms = "quantity=200&type=LIMIT&price=0.09&side=BUY&symbol=CC-USDC";

/** Limit orders over one HTTP connection, one at a time. */
class HttpOrders implements Way {
  readonly #signer: RequestSigner;
  readonly #lasting: Lasting;
  #connection: HttpConnection | null = null;
  #wake: (status: number) => void = () => undefined;
  #count = 0;

  constructor({ signer }: Account, lasting: Lasting) {
    this.#signer = signer;
    this.#lasting = lasting;
  }

  async open({ endpoint }: VenueProcess): Promise<this> {
    this.#connection = await HttpConnection.open(endpoint, 0, {
      onResponse: (_, status) => this.#wake(status),
      onLost: () => this.#wake(0),
    });
    return this;
  }

  next(): string {
    const query = `newClientOrderId=h${this.#count++}&timeInForce=${this.#lasting}&${terms}`;
    return this.#signer.request("POST", "/compat/api/v3/order", query);
  }

  answered(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#wake = (status) => {
        const endMs = performance.now();
        if (status === 200) resolve(endMs);
        else reject(new Error(`order over HTTP: ${status}`));
      };
      this.#connection?.send(request);
    });
  }

  close(): void {
    this.#connection?.close();
  }
}

interface Account {
  readonly account: number;
  readonly signer: RequestSigner;
}

let accounts = 0;

/** A funded account with a key for HTTP. */
async function newAccount({ dataDir, endpoint }: VenueProcess): Promise<Account> {
  const key = await createLoadKey(dataDir, { type: "standard", label: "fix" });
  await fundLoadAccount(dataDir, key.account, fundings);
  const address = virtualAddress(accounts++);
  const signer = new RequestSigner(key, `${endpoint.host}:${endpoint.port}`, address);
  return { account: key.account, signer };
}

/** A key for FIX of the account. */
function fixKeyOf({ dataDir }: VenueProcess, { account }: Account) {
  return createdKey(async (terms) => {
    const created = await callControl(controlSocketPath(dataDir), "keys/create", {
      ...terms,
      label: "fix",
    });
    if (!created.isOk) throw new Error(`no key for FIX: ${created.error}`);
    return created.result;
  }, account);
}

interface Latencies {
  readonly fixMs: number;
  readonly httpMs: number;
}

/** Places orders over FIX and over HTTP in turn, each with a new account; returns the medians. */
async function latencySlice(
  venue: VenueProcess,
  port: number,
  lasting: Lasting,
): Promise<Latencies> {
  const [one, other] = [await newAccount(venue), await newAccount(venue)];
  const fix = await FixOrders.open(port, await fixKeyOf(venue, one), lasting);
  const http = await new HttpOrders(other, lasting).open(venue);
  try {
    const [fixMs, httpMs] = await inTurns([fix, http], ordersOfSlice);
    return { fixMs: median(fixMs), httpMs: median(httpMs) };
  } finally {
    fix.close();
    http.close();
  }
}

/** How much later, in ms, a drop copy has an order than the answer over HTTP comes: the median of a new account's orders. */
async function copySlice(venue: VenueProcess, port: number): Promise<number> {
  const account = await newAccount(venue);
  const copy = new FixClient(port, "COPY");
  copy.logon(await fixKeyOf(venue, account), { 9406: "Y" });
  await copy.ofType("A");
  const http = await new HttpOrders(account, "GTC").open(venue);
  const laterMs: number[] = [];
  try {
    for (let count = 0; count < ordersOfSlice; count++) {
      const copied = copy.next(({ 150: execution }) => execution === "0");
      const timed = copied.then(() => performance.now());
      const answeredMs = await http.answered(http.next());
      laterMs.push((await timed) - answeredMs);
    }
    return median(laterMs);
  } finally {
    copy.drop();
    http.close();
  }
}

async function repeated<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let turn = 0; turn < count; turn++) results.push(await run());
  return results;
}

async function fixOrders(bench: Bench): Promise<Reading> {
  const port = await freePort();
  const dataDir = await bench.stage.folder();
  const venue = await VenueProcess.start({ dataDir, settings: { FIX_PORT: `${port}` } });
  try {
    bench.say("orders over FIX and HTTP in turn, until the venue is warm");
    await repeated(warmSlices, () => latencySlice(venue, port, "GTC"));
    await repeated(warmSlices, () => latencySlice(venue, port, "IOC"));
    bench.say("orders over FIX and HTTP in turn");
    const runs: Latencies[] = [];
    const brief: Latencies[] = [];
    for (let turn = 0; turn < slices; turn++) {
      runs.push(await latencySlice(venue, port, "GTC"));
      brief.push(await latencySlice(venue, port, "IOC"));
    }
    bench.say("drop copies of orders over HTTP");
    const laterMs = median(await repeated(copySlices, () => copySlice(venue, port)));
    const [fixMs, httpMs] = [
      median(runs.map((run) => run.fixMs)),
      median(runs.map((run) => run.httpMs)),
    ];
    const ratioOf = (all: readonly Latencies[]) => median(all.map((run) => run.fixMs / run.httpMs));
    const [ratio, briefRatio] = [ratioOf(runs), ratioOf(brief)];
    const copyMs = Math.max(0, laterMs);
    const latency = atMost(ratio, latencyGoal);
    return {
      measured: `${shortNumber(ratio)}× p50; drop copy ${shortNumber(copyMs)} ms after the answer`,
      baseline: "the same over HTTP",
      score: latency.score,
      passed: latency.passed && copyMs <= copyMsGoal,
      figures: {
        "FIX p50 ms": fixMs,
        "HTTP p50 ms": httpMs,
        "IOC over FIX, beside HTTP": briefRatio,
        "drop copy after the answer, p50 ms": copyMs,
      },
      notes: [
        `medians of ${slices} slices of ${ordersOfSlice} GTC orders each way, one at a time in turn, after ${2 * warmSlices} slices`,
        `${shortNumber(briefRatio)}× for IOC orders, which have two reports over FIX and one answer over HTTP`,
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
