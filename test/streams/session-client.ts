// Requests over an order session, signed as Binance's clients sign them.

import type { TestKey } from "../surface/front-fixture.ts";
import type { Frame, StreamClient } from "./stream-client.ts";

export type Parameters = Record<string, string | number | boolean | readonly object[]>;

let nextId = 1;

/**
 * Sends a request and returns the answer; if `key` is given, signs the sorted parameters, with the widest window, because
 * the machine may be busy.
 */
export async function call(
  client: StreamClient,
  method: string,
  params: Parameters = {},
  key?: Pick<TestKey, "value" | "sign">,
): Promise<Frame> {
  const id = nextId++;
  let all: Parameters = params;
  if (key !== undefined) {
    all = { recvWindow: 60_000, ...params, apiKey: key.value, timestamp: Date.now() };
    const text = Object.keys(all)
      .sort()
      .map((name) => `${name}=${all[name]}`)
      .join("&");
    all = { ...all, signature: key.sign(text) };
  }
  client.send({ id, method, params: all });
  return client.next((frame) => frame.id === id);
}
