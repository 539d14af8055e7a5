// Proves that the example of every route in the REST reference works as printed. The examples of each page run in one
// shell, from top to bottom, after the blocks of docs/guides/run-the-examples.md. Their answers are the samples that the
// pages show.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answerSchemas } from "../../schemas/http/generated/answer-schemas.ts";
import { PostgresMarketSamples } from "../../src/adapters/postgres/queries/history/market-samples.ts";
import { sampleIntervalMs } from "../../src/core/market-samples.ts";
import { type Surface, surfaces } from "../../web/portal/rest-topics.ts";
import { until } from "../epochs/epoch-waits.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { compareForms } from "./answer-forms.ts";
import { blocksIn } from "./document-blocks.ts";
import {
  faultsOf,
  printedExamples,
  type RanExample,
  ranInShell,
  shellBlocks,
} from "./printed-examples.ts";
import { refused } from "./refused-examples.ts";
import type { Answered } from "./sample-answers.ts";
import { ShellSession } from "./shell-session.ts";

/** The reader's first trade, whose proof exists once its epoch is sealed. */
const proof =
  'own GET "/v1/chain/proof/me?ref_id=o-$(signed GET /api/v3/myTrades symbol=CC-USDC | field [0].orderId)"';

/** What the reader does before the first example: the account has traded, as it would have on a lively venue. */
const beforehand = [
  'signed POST /fapi/v1/order "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010"',
  'own POST "/v1/funding/tick"',
  `for turn in $(seq 60); do ${proof} > /dev/null 2>&1 && break; sleep 1; done`,
];

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({
    ...{ DEV_TOOLS: "1", EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1" },
  });
  await quote();
  await until("the first proof", async () => {
    const { status } = await fetch(`${fixture.address}/v1/chain/proof?seq=1`);
    return status === 200 ? status : null;
  });
});
after(() => fixture.close());

/** Gives the books of the examples' markets two sides, and some trades. */
async function quote(): Promise<void> {
  await fixture.operator.risk.setReference("BTC-PERP", "60000", 3600);
  const [maker, taker] = [await fixture.trader(), await fixture.trader()];
  const limit = { type: "LIMIT", timeInForce: "GTC" };
  const orders = [
    ["/api/v3/order", { symbol: "CC-USDC", quantity: 50_000 }, "0.1490", "0.1510"],
    ["/fapi/v1/order", { symbol: "BTCUSDT", quantity: 2 }, "59900", "60100"],
  ] as const;
  for (const [path, order, bid, ask] of orders) {
    for (const [side, price] of [
      ["BUY", bid],
      ["SELL", ask],
    ] as const) {
      const { status, json } = await fixture.signed(maker, "POST", path, {
        ...{ ...order, ...limit, side, price },
      });
      assert.equal(status, 200, JSON.stringify(json));
      const market = { ...order, side, type: "MARKET", quantity: order.quantity / 100 };
      if (side === "SELL") await fixture.signed(taker, "POST", path, { ...market, side: "BUY" });
    }
  }
}

/** Runs a page's examples in a separate shell. */
async function examplesOf(surface: Surface): Promise<RanExample[]> {
  const { json } = await fixture.get("/openapi.json");
  const examples = printedExamples(json, "curl", [surface]);
  const session = new ShellSession({ address: fixture.address, env: { V: fixture.address } });
  const login = blocksIn("docs/guides/run-the-examples.md", "sh").map(({ text }) => text);
  const first = [...login, ...beforehand];
  const { code, printed, complained } = await session.run([...first, ...shellBlocks(examples)]);
  session.close();
  assert.equal(code, 0, `${complained}\n${printed.at(-1)}`);
  return ranInShell(examples, printed.slice(first.length));
}

/** Takes the samples of the last hour, which a venue takes every five minutes. */
async function takeMarketSamples(): Promise<void> {
  const samples = new PostgresMarketSamples(fixture.venue.database.sql);
  const nowMs = Date.now();
  const lastMs = nowMs - (nowMs % sampleIntervalMs);
  for (const turns of [1, 0]) await samples.take(lastMs - turns * sampleIntervalMs);
}

/** Returns the JSON that an example printed; undefined if the output is not JSON or the example was refused. */
function jsonOf({ printed, isDone }: RanExample): unknown {
  if (!isDone || !/^\s*[[{]/.test(printed)) return undefined;
  try {
    return JSON.parse(printed);
  } catch {
    // An example with two requests prints two answers, which are not one JSON text.
    return undefined;
  }
}

test("DOC-8 DOC-14 DOC-17 the examples of each page work from top to bottom, and the page shows their recorded answers", {
  timeout: 1_800_000,
}, async () => {
  const all: RanExample[] = [];
  for (const surface of surfaces) {
    all.push(...(await examplesOf(surface)));
    // Statistics are those of accounts that hold a position.
    await takeMarketSamples();
  }
  assert(all.length > 120);
  assert.deepEqual(faultsOf(all, refused), []);
  // The two API descriptions, openapi.json and asyncapi.json, have no schema in the reference.
  const told = all.flatMap((ran): Answered[] => {
    const { name, line } = ran;
    const json = jsonOf(ran);
    return json === undefined || /api\.json$/.test(name) ? [] : [[name, json, line]];
  });
  assert(told.length > 100, `only ${told.length} answers are JSON`);
  const known = { file: "answer-schemas.ts", name: "answerSchemas", forms: answerSchemas };
  compareForms({ ...known, samples: "sample-answers.json", only: "reference-examples" }, told);
});
