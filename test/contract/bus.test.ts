// Proves that the bus over NATS and the bus of the tests fulfil the same contract, and that NATS is used with TLS and
// keys as the settings say.

import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { NatsBus } from "../../src/adapters/nats/nats-bus.ts";
import { until as untilFound } from "../epochs/epoch-waits.ts";
import { until } from "../support/bus/bus-ends.ts";
import { MemoryHub } from "../support/bus/memory-bus.ts";
import { lacksNats, NatsServer } from "../support/bus/nats-server.ts";
import { quietLog } from "../support/quiet-log.ts";
import { judgeBus } from "./bus-cases.ts";

describe("in memory", () => {
  const hub = new MemoryHub();
  const one = hub.join();
  const other = hub.join();
  const set = async (isConnected: boolean) => one.setConnected(isConnected);
  const parts = { one, other, cut: () => set(false), mend: () => set(true) };
  judgeBus("memory", () => parts, false);
});

describe("NATS", () => {
  const skip = lacksNats();
  let server: NatsServer;
  let one: NatsBus;
  let other: NatsBus;
  before(async () => {
    if (skip !== false) return;
    server = await NatsServer.open();
    const settings = { urls: [server.url], caFile: null, credentialsFile: null, nkeyFile: null };
    one = new NatsBus({ settings, name: "one", log: quietLog });
    other = new NatsBus({ settings, name: "other", log: quietLog });
  });
  after(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await server?.kill();
  });
  test("NATS: what is subscribed while a connection is made is heard over it", {
    skip,
  }, async () => {
    const settings = { urls: [server.url], caFile: null, credentialsFile: null, nkeyFile: null };
    const late = new NatsBus({ settings, name: "late", log: quietLog });
    try {
      let subscribed = 0;
      let heard = 0;
      // One subscription in each turn of the loop, so some come when the connection is there and not yet in use.
      for (; !late.isConnected; await setImmediate())
        late.subscribe(`late.${subscribed++}`, () => heard++);
      one.subscribe("late.ready", (bytes, answer) => answer(bytes));
      const empty = new Uint8Array(0);
      // The server takes what one connection sends in order, so it has all subscriptions when this is answered.
      await untilFound("all subscriptions", () => late.request("late.ready", empty, 1_000));
      for (let at = 0; at < subscribed; at++) one.publish(`late.${at}`, empty);
      await until(() => heard === subscribed, "a message for each subscription");
    } finally {
      await late.close();
    }
  });

  const parts = () => ({ one, other, cut: () => server.kill(), mend: () => server.start() });
  judgeBus("NATS", parts, skip);
});
