// Proves that the served OpenAPI document equals the one that the build writes, that it has every route of the
// table, and that every part has a description.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { amountOf } from "../../src/adapters/gateway/requests/request-pipeline.ts";
import { routesOf } from "../../src/adapters/gateway/routes.ts";
import { RequestParameters } from "../../src/services/access/signed-request.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { FrontFixture } from "../surface/front-fixture.ts";

const built = join(projectRoot, "dist/reference/openapi.json");
let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

test("OPS-11 the build writes the document that the venue serves at /openapi.json", async () => {
  const answer = await front.fetch("/openapi.json");
  assert.equal(answer.status, 200);
  assert.ok(
    readFileSync(built, "utf8") === answer.text,
    "the built document differs from the served one",
  );
});

/** Returns the operations of a path, without its `servers`. */
function operationsOf<T>(path: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(path).filter(([name]) => name !== "servers"));
}

interface Answer {
  readonly content?: { readonly "application/json"?: { readonly schema?: object } };
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Answer | undefined>>;
  readonly "x-weight": number | string;
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description?: string }>;
}

test("OPS-11 the document has every endpoint of the table, with a name and a description for each part", async () => {
  const { json } = await front.fetch("/openapi.json");
  const paths: Record<string, Record<string, Operation>> = json.paths;
  const named = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(operationsOf(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = routesOf(true).map(({ name }) => name as string);
  assert.deepEqual(named.sort(), listed.sort());
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(operationsOf(methods)),
  );
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  const undescribed = operations.flatMap(({ parameters }) =>
    parameters.filter(({ description }) => description === undefined).map(({ name }) => name),
  );
  assert.deepEqual(
    [...new Set(undescribed)],
    [],
    "schemas/http/parameter-descriptions.ts must describe these parameters",
  );
});

interface Parameter {
  readonly name: string;
  readonly schema: { readonly type?: string; readonly default?: unknown };
}

interface PathItem {
  readonly servers?: ReadonlyArray<{ readonly url: string }>;
}

test("OPS-46 parameters have the type of their values, and defaults of that type", async () => {
  const { json } = await front.fetch("/openapi.json");
  const paths: Record<string, Record<string, { parameters?: Parameter[] }>> = json.paths;
  const types = new Map<string, string | undefined>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const { parameters = [] } of Object.values(operationsOf(operations))) {
      for (const { name, schema } of parameters) {
        types.set(name, schema.type);
        const { default: standard, type } = schema;
        if (standard === undefined) continue;
        const fits = type === "integer" ? Number.isInteger(standard) : typeof standard === type;
        assert.ok(fits, `${path} ${name} ${JSON.stringify(schema)}`);
      }
    }
  }
  for (const name of ["limit", "orderId", "startTime", "fromId", "timestamp", "leverage"]) {
    assert.equal(types.get(name), "integer", name);
  }
  assert.deepEqual([types.get("reduceOnly"), types.get("price")], ["boolean", "string"]);
});

test("OPS-46 a path that only one view has names its server", async () => {
  const { json } = await front.fetch("/openapi.json");
  const paths: Record<string, PathItem> = json.paths;
  const serverOf = (path: string) => paths[path]?.servers?.map(({ url }) => url);
  assert.deepEqual(serverOf("/fapi/v1/algoOrder"), ["/compat"]);
  assert.deepEqual(serverOf("/v1/orders"), ["/"]);
  assert.deepEqual(serverOf("/openapi.json"), ["/"]);
  assert.deepEqual([serverOf("/api/v3/order"), json.servers[1].url], [undefined, "/compat"]);
});

/** Routes without an answer schema: documents, images, and what is refused for every account or market. */
const formless = [
  "GET /api/v3/referencePrice",
  "GET /api/v3/referencePrice/calculation",
  "GET /asyncapi.json",
  "GET /openapi.json",
  "GET /v1/icons/{file}",
  "GET /v1/journal/event.fbs",
  "POST /fapi/v1/marginType",
  "POST /fapi/v1/multiAssetsMargin",
  "POST /fapi/v1/positionSide/dual",
];

test("DOC-8 the document has an answer schema for every other route", async () => {
  const { json } = await front.fetch("/openapi.json");
  const without: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, Operation>>(json.paths)) {
    for (const [method, { responses }] of Object.entries(operationsOf(methods))) {
      const form = responses["200"]?.content?.["application/json"]?.schema;
      if (form === undefined && !("204" in responses))
        without.push(`${method.toUpperCase()} ${path}`);
    }
  }
  assert.deepEqual(without.sort(), formless);
});

test("DOC-8 the documented schema also allows the answer of a chain without an epoch", async () => {
  const { json } = await front.fetch("/openapi.json");
  const { content } = json.paths["/v1/chain/status"].get.responses["200"];
  const { properties } = content["application/json"].schema;
  for (const name of ["head_epoch", "head_root"]) {
    assert.deepEqual(properties[name].type, ["string", "null"], name);
  }
});

/** Returns the schemas of every `next_cursor` in a document, at any depth. */
function cursorsIn(form: unknown): object[] {
  if (typeof form !== "object" || form === null) return [];
  return Object.entries(form).flatMap(([name, inner]) =>
    name === "next_cursor" ? [inner as object] : cursorsIn(inner),
  );
}

test("OPS-46 next_cursor of every list is a string or null, although the recorded answers had only one page", async () => {
  const { json } = await front.fetch("/openapi.json");
  const cursors = cursorsIn(json.paths);
  assert.equal(cursors.length, 13);
  for (const cursor of cursors) assert.deepEqual(cursor, { type: ["string", "null"] });
});

test("LIM-5 routes have the weights of the table: exchangeInfo 10, klines 5, the others what Binance charged when its limit was 1200", async () => {
  const { json } = await front.fetch("/openapi.json");
  const weights = new Map(routesOf(true).map(({ name, weight }) => [name as string, weight]));
  for (const [path, methods] of Object.entries<Record<string, Operation>>(json.paths)) {
    if (path.startsWith("/v1/")) continue;
    for (const [method, operation] of Object.entries(operationsOf(methods))) {
      const listed = weights.get(`${method.toUpperCase()} ${path}`);
      const said = typeof listed === "number" ? listed : "by parameters";
      assert.equal(operation["x-weight"], said, operation.operationId);
    }
  }
  assert.equal(weights.get("GET /fapi/v1/exchangeInfo"), 10);
  assert.equal(weights.get("GET /fapi/v1/klines"), 5);
  const parameters = (query: string) => RequestParameters.parse(query, "") as RequestParameters;
  const of = (name: string, query: string) => amountOf(weights.get(name), parameters(query));
  const depth = (limit: string) => of("GET /api/v3/depth", `symbol=CC-USDC&limit=${limit}`);
  assert.deepEqual(
    ["100", "101", "500", "1000", "5000", "99999", "x"].map(depth),
    [1, 5, 5, 10, 50, 50, 1],
  );
  const orders = (limit: string) => of("GET /api/v3/depth/orders", `symbol=CC-USDC&limit=${limit}`);
  assert.deepEqual(["100", "500", "1000", "5000"].map(orders), [5, 10, 20, 50]);
  const perp = (limit: string) => of("GET /fapi/v1/depth", `symbol=BTCUSDT&limit=${limit}`);
  assert.deepEqual(["50", "100", "500", "1000"].map(perp), [2, 5, 10, 20]);
  assert.deepEqual(
    [of("GET /api/v3/openOrders", ""), of("GET /api/v3/openOrders", "symbol=CC-USDC")],
    [40, 3],
  );
  const day = (query: string) => of("GET /api/v3/ticker/24hr", query);
  const many = encodeURIComponent(JSON.stringify(Array.from({ length: 21 }, (_, at) => `M${at}`)));
  assert.deepEqual(
    [day("symbol=A"), day("symbols=[%22A%22]"), day(`symbols=${many}`), day("")],
    [1, 1, 20, 40],
  );
});
