// What a worker thread is given at birth: plain data and shared memory, nothing that has behaviour.
// The main thread fills it in; each entry point takes from it what its part needs.

import { parentPort, workerData } from "node:worker_threads";
import type { PostgresConnectionOptions } from "../src/adapters/postgres/connection.ts";
import type { ThreadVitals } from "../src/adapters/runtime/agent-runner.ts";
import type { ThreadPlaces, VenueMemory } from "../src/adapters/runtime/venue-memory.ts";
import { present } from "../src/core/assert.ts";
import type { Asset } from "../src/core/assets.ts";
import { type Market, MarketTable } from "../src/core/markets.ts";
import { restoreState, type VenueSnapshot } from "../src/engine/clearing/venue-snapshot.ts";
import type { VenueState, VenueStateOptions } from "../src/engine/clearing/venue-state.ts";
import {
  type ControlMessage,
  decodeControlMessage,
  encodeControlMessage,
} from "../src/wire/control-messages.ts";
import { CountersBuffer } from "../src/wire/counters-buffer.ts";
import { Doorbell } from "../src/wire/doorbell.ts";
import { unpackSnapshot } from "../src/wire/snapshot-codec.ts";

/** The settings that threads need; the rest of the configuration stays with the main thread. */
export interface WorkerSettings {
  readonly host: string;
  readonly port: number;
  readonly devTools: boolean;
  readonly trustedProxies: readonly string[];
  readonly streamsPerIpMax: number;
  readonly streamPingMs: number;
  readonly streamPongTimeoutMs: number;
  readonly listenKeyMs: number;
  readonly challengeMs: number;
  readonly sessionMs: number;
  /** 64 hexadecimal digits. */
  readonly masterKey: string;
  readonly logLevel: string;
  readonly spinUs: number;
  readonly gatewayTimeoutMs: number;
  readonly markIntervalMs: number;
  readonly fundingIntervalMs: number;
  readonly projectionIntervalMs: number;
  readonly inputLog: string | null;
}

export interface WorkerBirth {
  /** Place among the heartbeats. */
  readonly thread: number;
  readonly name: string;
  /** Place among the workers of its kind: which matcher, which front. */
  readonly index: number;
  readonly threadNames: readonly string[];
  readonly memory: VenueMemory;
  readonly places: ThreadPlaces;
  readonly markets: readonly Market[];
  readonly assets: readonly Asset[];
  readonly connection: PostgresConnectionOptions;
  readonly settings: WorkerSettings;
}

/** This thread's birth data. */
export function birth(): WorkerBirth {
  return workerData as WorkerBirth;
}

export function marketTable({ markets, assets }: WorkerBirth): MarketTable {
  return new MarketTable(markets, assets);
}

/** The state in packed bytes; slots come out the same in every thread. */
export function openSeed(
  bytes: Uint8Array,
  table: MarketTable,
  options?: VenueStateOptions,
): VenueState {
  return restoreState(table, unpackSnapshot(bytes) as VenueSnapshot, options);
}

/**
 * The bytes this thread begins with, once the main thread has recovered them. Threads start before,
 * so that loading and warming up take no time of a restart.
 */
export function seedBytes(): Promise<Uint8Array> {
  const port = present(parentPort, "a worker has a parent");
  return new Promise((resolve) => {
    const listen = (bytes: Uint8Array) => {
      const message = decodeControlMessage(bytes);
      if (message.kind !== "seed") return;
      port.off("message", listen);
      resolve(message.part);
    };
    port.on("message", listen);
  });
}

export function vitalsOf({ thread, memory, settings }: WorkerBirth): ThreadVitals {
  return {
    thread,
    counters: new CountersBuffer(memory.counters),
    bell: bellOf(memory, thread),
    spinUs: settings.spinUs,
  };
}

/** The doorbell of the thread at `place`. */
export function bellOf(memory: VenueMemory, place: number): Doorbell {
  return new Doorbell(present(memory.bells[place], "a doorbell a thread"));
}

/** Tells the main thread. */
export function tellMain(message: ControlMessage): void {
  present(parentPort, "a worker has a parent").postMessage(encodeControlMessage(message));
}
