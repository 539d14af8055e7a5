// Opens many idle stream connections to a venue in a separate process and measures the memory that each takes.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { VenueProcess } from "../../bench/venue/venue-process.ts";

/** Connections from one address: as many as the venue allows. */
const perAddress = 16;
const batch = 200;

export interface IdleReport {
  readonly opened: number;
  /** Connections that the venue counts once all are open. */
  readonly counted: number;
  /** Resident memory that each connection added, in bytes. */
  readonly bytesEach: number;
  /** Connections that the venue counts once all are closed. */
  readonly left: number;
}

/** Opens an upgraded connection. A header gives its client address, which `perAddress` connections share. */
async function openIdle(port: number, index: number): Promise<Socket> {
  const client = Math.floor(index / perAddress);
  const address = `198.${18 + (client >> 16)}.${(client >> 8) & 255}.${client & 255}`;
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  socket.write(
    "GET /ws/cc-usdc@trade HTTP/1.1\r\nHost: venue\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `X-Forwarded-For: ${address}\r\nSec-WebSocket-Key: ${Buffer.alloc(16, index).toString("base64")}\r\n` +
      "Sec-WebSocket-Version: 13\r\n\r\n",
  );
  const [answer] = await once(socket, "data");
  const status = String(answer).slice(9, 12);
  if (status !== "101") throw new Error(`connection ${index}: ${status}`);
  return socket;
}

/** Counts the connections until there are `expected`, for at most a minute; returns the last count. */
async function counted(venue: VenueProcess, expected: number): Promise<number> {
  for (const endMs = Date.now() + 60_000; ; await wait(50)) {
    const count = await countOf(venue);
    if (count === expected || Date.now() > endMs) return count;
  }
}

async function countOf(venue: VenueProcess): Promise<number> {
  const figure = /front_stream_connections(?:\{|$)/;
  const figures = [...(await venue.metrics())].filter(([name]) => figure.test(name));
  return figures.reduce((sum, [, value]) => sum + value, 0);
}

/** Opens `count` connections, measures, and closes them. */
export async function measureIdle(count: number): Promise<IdleReport> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-idle-"));
  // The connections answer no ping, and are not closed for it while they are opened and counted.
  const settings = { WARM_UP: "0", STREAM_PONG_TIMEOUT_MS: "600000" };
  const venue = await VenueProcess.start({ dataDir, settings });
  const sockets: Socket[] = [];
  try {
    const { port } = venue.endpoint;
    // Open some connections first: what the venue loads and allocates once must not count.
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, (_, at) => openIdle(port, at)))));
    await wait(500);
    const before = await venue.residentBytes();
    for (let from = 50; from < count; from += batch) {
      const size = Math.min(batch, count - from);
      const opening = Array.from({ length: size }, (_, at) => openIdle(port, from + at));
      sockets.push(...(await Promise.all(opening)));
    }
    await wait(500);
    const bytesEach = ((await venue.residentBytes()) - before) / (count - 50);
    const all = await counted(venue, count);
    for (const socket of sockets) socket.destroy();
    const left = await counted(venue, 0);
    return { opened: sockets.length, counted: all, bytesEach, left };
  } finally {
    for (const socket of sockets) socket.destroy();
    await venue.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
