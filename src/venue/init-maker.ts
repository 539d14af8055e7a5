// What the main thread gives each thread of its process: the init data, and the recovered state.

import type { WorkerInit } from "../../workers/init.ts";
import type { PostgresConnectionOptions } from "../adapters/postgres/connection.ts";
import { present } from "../core/assert.ts";
import type { MarketTable } from "../core/markets.ts";
import type { Config } from "./config/config.ts";
import type { VenueKeys } from "./keys/venue-keys.ts";
import { buildInfo } from "./program-version.ts";
import type { Topology } from "./topology.ts";

/** What the init data of a process's threads is made of. */
export interface InitGround {
  readonly config: Config;
  readonly topology: Topology;
  readonly keys: VenueKeys;
  readonly port: number;
  readonly connection: PostgresConnectionOptions;
  readonly isGateway: boolean;
}

/** Returns a function that makes the init data of each thread. */
export function initMaker(
  { config, connection, topology, keys, port, isGateway }: InitGround,
  table: MarketTable,
): (thread: number, index: number) => WorkerInit {
  const { memory, slots, threadNames } = topology;
  const { markets, assets } = table;
  const { masterKey: _, masterKeysEarlier: __, ...rest } = config;
  const build = buildInfo(config);
  const settings = { ...rest, nonceKey: keys.nonceKey, port, build };
  return (thread, index) => ({
    thread,
    index,
    name: present(threadNames[thread], "the name of a thread"),
    threadNames,
    memory,
    slots,
    markets,
    assets,
    connection,
    // Read for each thread, so that a thread started later gets the keys that are current at that time.
    settings: { ...settings, masterKeys: keys.box.keys },
    isGateway,
  });
}

/**
 * Returns shared memory with exactly these bytes. Bytes that already fill a shared memory, as those of a stored
 * snapshot do, are not copied.
 */
export function sharedMemoryOf(bytes: Uint8Array): SharedArrayBuffer {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof SharedArrayBuffer && buffer.byteLength === byteLength) return buffer;
  const shared = new SharedArrayBuffer(byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}
