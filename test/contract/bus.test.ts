// Proves that the bus over NATS and the bus of the tests fulfil the same contract, and that NATS is used with TLS and
// keys as the settings say.

import { after, before, describe } from "node:test";
import { NatsBus } from "../../src/adapters/nats/nats-bus.ts";
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
  const parts = () => ({ one, other, cut: () => server.kill(), mend: () => server.start() });
  judgeBus("NATS", parts, skip);
});
