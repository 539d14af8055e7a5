// Opens the user data stream of a trader at a gateway, whose listen key it makes there first.

import assert from "node:assert/strict";
import { StreamClient } from "../streams/stream-client.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";

/**
 * Resolves once the stream is subscribed. The gateway looks the listen key up in the database only when the connection is
 * open, and until then the client would miss events. A client that resumes from a frame which was never sent gets a
 * snapshot, and this is the sign.
 */
export async function userStreamAt(address: string, { key }: Trader): Promise<StreamClient> {
  const made = await fetch(`${address}/compat/api/v3/userDataStream`, {
    ...{ method: "POST", headers: { "X-MBX-APIKEY": key } },
  });
  assert.equal(made.status, 200);
  const { listenKey } = (await made.json()) as { listenKey: string };
  const base = address.replace("http", "ws");
  const stream = await StreamClient.open(`${base}/compat/ws/${listenKey}?resume=987654321`);
  await stream.until(() => stream.frames.length > 0);
  return stream;
}
