// Proves that docs/reference/binance-parity.md is true: probes a running venue for every route, parameter, method,
// stream, event and FIX message of Binance, and compares the page with what it answered.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { binanceNames, type SurfaceName } from "./binance-names.ts";
import { differences } from "./differences.ts";
import { FixProbe } from "./fix-probe.ts";
import { publishedPage, publishPage, renderedPage, rowOf, rowsOf } from "./parity-page.ts";
import { type Refusal, VenueProbe } from "./venue-probe.ts";

const names = binanceNames();
const probed = new Map<string, Refusal>();
let venue: VenueFixture;
const probes: VenueProbe[] = [];

before(async () => {
  venue = await VenueFixture.open();
});
after(async () => {
  for (const probe of probes) probe.close();
  await venue.close();
});

/** A probe with a trader of its own: all probes together ask for more orders than one account may place at once. */
async function openProbe(): Promise<VenueProbe> {
  const probe = new VenueProbe({ address: venue.address, trader: await venue.trader() });
  probes.push(probe);
  return probe;
}

interface Calls {
  readonly list: Readonly<Record<string, string>>;
  probeCall(name: string): Promise<Refusal>;
  probeParameters(name: string, parameters: string[]): Promise<ReadonlyMap<string, string>>;
}

async function probeCalls(surface: SurfaceName | "fix", { list, ...calls }: Calls): Promise<void> {
  for (const [name, text] of Object.entries(list)) {
    const refusal = await calls.probeCall(name);
    probed.set(rowOf(surface, name), refusal);
    const parameters = text.split(" ").filter((parameter) => parameter !== "");
    if (refusal !== undefined || parameters.length === 0) continue;
    const refusals = await calls.probeParameters(name, parameters);
    for (const parameter of parameters)
      probed.set(rowOf(surface, name, parameter), refusals.get(parameter));
  }
}

for (const surface of ["spot", "usdm"] as const) {
  const { routes, methods, streams, events } = names[surface];

  test(`CMP-44 every endpoint of Binance's ${surface} interface is served or refused as JSON`, async () => {
    const probe = await openProbe();
    await probeCalls(surface, {
      list: routes,
      probeCall: (name) => probe.route(name),
      probeParameters: (name, parameters) => probe.parametersOfRoute(name, parameters),
    });
  });

  test(`CMP-44 every method of Binance's WebSocket API for ${surface} is served or refused`, async () => {
    const probe = await openProbe();
    await probeCalls(surface, {
      list: methods,
      probeCall: (name) => probe.method(surface, name),
      probeParameters: (name, parameters) => probe.parametersOfMethod(surface, name, parameters),
    });
  });

  test(`CMP-44 every stream and event of Binance's ${surface} interface is sent or refused`, async () => {
    const probe = await openProbe();
    for (const name of streams) probed.set(rowOf(surface, name), await probe.stream(surface, name));
    for (const name of events) probed.set(rowOf(surface, name), await probe.event(name));
  });
}

test("CMP-44 every message and tag of Binance's FIX API is taken, sent or refused", async () => {
  const { orders, marketData, messages } = names.fix;
  const probe = await FixProbe.open();
  try {
    for (const [port, list] of [
      ["orders", orders],
      ["marketData", marketData],
    ] as const)
      await probeCalls("fix", {
        list,
        probeCall: (name) => probe.message(port, name),
        probeParameters: (name, tags) => probe.tags(port, name, tags),
      });
    await probe.makeEverythingSent();
  } finally {
    await probe.close();
  }
  for (const name of messages) probed.set(rowOf("fix", name), probe.sent(name));
});

test("CMP-44 docs/reference/binance-parity.md says of every name what the venue answered", (t) => {
  const page = renderedPage(probed, names);
  t.diagnostic(page.split("\n").find((line) => line.includes("rows are the same")) ?? "");
  if (process.env["UPDATE_REFERENCE"] === "1") publishPage(page);
  assert.equal(
    publishedPage(),
    page,
    "the page is stale: run UPDATE_REFERENCE=1 make test ONLY=reference",
  );
});

test("CMP-44 every described difference is of a name that Binance has and the venue serves", () => {
  const rows = new Set(rowsOf(names));
  const stale = Object.keys(differences).filter(
    (row) => !rows.has(row) || probed.get(row) !== undefined,
  );
  assert.deepEqual(stale, []);
});
