// Row P11: answers from memory, compared with a bare handler that makes the same signature check and returns the same
// bytes. The signed read is an account with its ten open orders, the public one the depth of a book.

import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import {
  type LoadKey,
  RequestSigner,
  virtualAddress,
} from "../../src/tools/load/signed-requests.ts";
import { generateLoad } from "../load/generate-load.ts";
import type { ReadFlowOptions } from "../load/read-flow.ts";
import { atLeast, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

/** Number of readers: enough that no reader reaches its weight limit within a run. */
const readers = 1024;
const openOrders = 10;
const connections = 64;
const symbol = "CC-USDC";

interface Read {
  readonly name: string;
  readonly path: string;
  readonly query: string;
  readonly isSigned: boolean;
}

const reads: readonly Read[] = [
  { name: "account", path: "/api/v3/account", query: "", isSigned: true },
  { name: "open orders", path: "/api/v3/openOrders", query: `symbol=${symbol}`, isSigned: true },
  { name: "depth", path: "/api/v3/depth", query: `symbol=${symbol}`, isSigned: false },
];

/** Places ten resting buys for each reader, far below all trades. */
async function placeOpenOrders(bench: Bench, keys: readonly LoadKey[]): Promise<void> {
  const { endpoint } = await bench.stage.venue();
  const base = `http://${endpoint.host}:${endpoint.port}`;
  const path = "/api/v3/order";
  const place = async (key: LoadKey, reader: number): Promise<void> => {
    const signer = new RequestSigner(key, endpoint.host, virtualAddress(reader));
    for (let order = 0; order < openOrders; order++) {
      const query = `symbol=${symbol}&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200&price=0.${1000 + order}`;
      const answer = await fetch(`${base}${targetOf(signer.request("POST", path, query))}`, {
        method: "POST",
        headers: { "X-MBX-APIKEY": key.key, "X-Forwarded-For": virtualAddress(reader) },
      });
      if (!answer.ok) throw new Error(`open orders: ${await answer.text()}`);
    }
  };
  for (let from = 0; from < keys.length; from += 64) {
    await Promise.all(
      keys.slice(from, from + 64).map((key, place64) => place(key, from + place64)),
    );
  }
}

/** Returns the target (path and query) of a complete request. */
function targetOf(request: string): string {
  return request.split(" ", 2)[1] ?? "";
}

async function bodyOf(endpoint: Endpoint, read: Read, key: LoadKey): Promise<string> {
  const signer = new RequestSigner(key, endpoint.host, virtualAddress(0));
  const target = read.isSigned
    ? targetOf(signer.request("GET", read.path, read.query))
    : `${read.path}?${read.query}`;
  const headers = { "X-MBX-APIKEY": key.key, "X-Forwarded-For": virtualAddress(0) };
  const answer = await fetch(`http://${endpoint.host}:${endpoint.port}${target}`, { headers });
  if (!answer.ok) throw new Error(`${read.name}: ${await answer.text()}`);
  return answer.text();
}

async function rate(endpoint: Endpoint, flow: ReadFlowOptions): Promise<number> {
  const run = { endpoint, connections, rate: null, warmUpMs: 1000, durationMs: 2500, seed: 1 };
  const report = await generateLoad({ run, read: flow });
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  if (report.answers * 1000 < answers * 999) {
    throw new Error(`${flow.path}: ${JSON.stringify(report.statuses)}`);
  }
  return report.perSecond;
}

async function fromMemory(bench: Bench): Promise<Reading> {
  const venue = await bench.stage.venue();
  const keys = (await bench.stage.keys()).slice(0, readers);
  const [first] = keys;
  if (first === undefined) throw new Error("the venue has no keys");
  await placeOpenOrders(bench, keys);
  const figures: Record<string, number> = {};
  const ratios: string[] = [];
  let worst = Number.POSITIVE_INFINITY;
  for (const read of reads) {
    const body = await bodyOf(venue.endpoint, read, first);
    const pairs = keys.map(({ key, secret }) => [key, secret] as const);
    const bare = await bench.stage.baseline({ echo: { secret: first.secret, body, keys: pairs } });
    const host = "127.0.0.1";
    const flow = { host, path: read.path, query: read.query, keys: read.isSigned ? keys : [] };
    const path = read.isSigned ? "/signed" : "/public";
    const bareFlow = { ...flow, path };
    const venueRate = await rate(venue.endpoint, flow);
    const bareRate = await rate(bare.endpoint, bareFlow);
    figures[`${read.name}/s`] = Math.round(venueRate);
    figures[`${read.name}/s bare`] = Math.round(bareRate);
    figures[`${read.name} bytes`] = body.length;
    ratios.push(`${read.name} ${shortNumber(venueRate / bareRate)}×`);
    worst = Math.min(worst, venueRate / bareRate);
  }
  const { score, passed } = atLeast(worst, 0.4);
  return {
    measured: ratios.join(", "),
    baseline: "bare handler, same bytes",
    score,
    passed,
    figures,
    notes: [],
  };
}

export const readRows: readonly BenchRow[] = [
  {
    id: "P11",
    measure: "read from memory: signed account and 10 open orders, public depth",
    goal: "≥ 0.4×",
    run: fromMemory,
  },
];
