// Proves that two fronts at one address act as one venue: each can answer every request, and each counts its own
// requests.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HttpConnection } from "../../src/tools/load/http-connection.ts";
import { RequestSigner } from "../../src/tools/load/signed-requests.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let trader: Trader;

before(async () => {
  fixture = await VenueFixture.open({ FRONT_THREADS: "2" });
  trader = await fixture.trader();
});
after(() => fixture.close());

/** Sends a request over a new connection, for which the kernel chooses a front. */
async function call(request: string): Promise<{ status: number; text: string }> {
  const endpoint = { host: "127.0.0.1", port: fixture.venue.port };
  let connection: HttpConnection | null = null;
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const listener = {
      onResponse: (_: HttpConnection, status: number, body: Buffer) =>
        resolve({ status, text: body.toString("utf8") }),
      onLost: () => reject(new Error("the connection was dropped")),
    };
    HttpConnection.open(endpoint, 0, listener).then((opened) => {
      connection = opened;
      opened.send(request);
    }, reject);
  });
  (connection as HttpConnection | null)?.close();
  return answer;
}

test("OPS-7 OPS-13 both fronts answer, and the metrics of each have its name", async () => {
  const seen = new Set<string>();
  for (let scrape = 0; scrape < 60 && seen.size < 2; scrape++) {
    const { text } = await call("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    const name = /rialto_front_folded_seq\{front="([^"]+)"\}/.exec(text)?.[1];
    assert.ok(name !== undefined);
    assert.match(text, new RegExp(`rialto_front_loop_delay_seconds\\{front="${name}"`));
    seen.add(name);
  }
  assert.equal(seen.size, 2);
});

test("RTY-1 a query on one front finds what the other acknowledged; open orders and limits are shared", async () => {
  const signer = new RequestSigner({ ...trader }, "x", "127.0.0.1");
  for (let count = 0; count < 30; count++) {
    const id = `both-${count}`;
    const order = `symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200&price=0.1`;
    const path = "/api/v3/order";
    const placed = await call(signer.request("POST", path, `${order}&newClientOrderId=${id}`));
    assert.equal(placed.status, 200, placed.text);
    const named = `symbol=CC-USDC&origClientOrderId=${id}`;
    const found = await call(signer.request("GET", path, named));
    assert.equal(found.status, 200, found.text);
    const cancelled = await call(signer.request("DELETE", path, named));
    assert.equal(cancelled.status, 200, cancelled.text);
  }
});
