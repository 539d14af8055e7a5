// Proves that a connection to NATS is replaced whenever it is lost: while it is made, and when the other side takes
// nothing any more. A relay stands before the server and loses connections on purpose.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { NatsBus } from "../../src/adapters/nats/nats-bus.ts";
import { until } from "../support/bus/bus-ends.ts";
import { lacksNats, NatsServer } from "../support/bus/nats-server.ts";
import { quietLog } from "../support/quiet-log.ts";

const skip = lacksNats();
let server: NatsServer;

before(async () => {
  if (skip === false) server = await NatsServer.open();
});
after(() => server?.kill());

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** Opens a bus behind a relay; `onSent` sees what the bus sends over the connection of that number, from 1. */
async function withRelay(
  onSent: (number: number, bytes: Buffer, link: Link) => void,
  use: (bus: NatsBus, links: readonly Link[]) => Promise<void>,
): Promise<void> {
  const links: Link[] = [];
  const relay = createServer((client) => {
    const link = { client, server: connect(server.port, "127.0.0.1") };
    const number = links.push(link);
    client.on("data", (bytes) => {
      onSent(number, bytes, link);
      link.server.write(bytes);
    });
    link.server.on("data", (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, link.server],
      [link.server, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", () => other.destroy());
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const { port } = relay.address() as AddressInfo;
  const keys = { caFile: null, credentialsFile: null, nkeyFile: null };
  const settings = { urls: [`nats://127.0.0.1:${port}`], ...keys };
  const bus = new NatsBus({ settings, name: "relayed", log: quietLog });
  try {
    await use(bus, links);
  } finally {
    await bus.close();
    for (const { client } of links) client.destroy();
    relay.close();
  }
}

test("GWY-25 a connection that is lost before the server has confirmed its subscriptions is replaced", {
  skip,
}, async () => {
  // The first PING belongs to the greeting, the second one asks whether the subscriptions are there.
  let pings = 0;
  const cut = (number: number, bytes: Buffer, { client }: Link) => {
    if (number > 1) return;
    pings += bytes.toString("latin1").split("PING\r\n").length - 1;
    if (pings > 1) client.destroy();
  };
  await withRelay(cut, async (bus, links) => {
    await until(() => bus.isConnected, "another connection is used");
    assert.ok(links.length > 1);
  });
});

test("GWY-25 a connection whose other side takes nothing any more is replaced, although much waits to be sent", {
  skip,
}, async () => {
  await withRelay(
    () => undefined,
    async (bus, links) => {
      await until(() => bus.isConnected, "a connection");
      const [first] = links;
      first?.client.pause();
      first?.server.pause();
      const changes: boolean[] = [];
      bus.onChange((isConnected) => changes.push(isConnected));
      const bytes = new Uint8Array(256 * 1024);
      for (let sent = 0; sent < 200; sent++) bus.publish("nobody.hears", bytes);
      await until(() => changes.length >= 2, "the loss and the next connection");
      assert.deepEqual(changes.slice(0, 2), [false, true]);
    },
  );
});
