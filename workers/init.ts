// The init data of a worker thread, and what every entry point does with it at the start. The init is plain data and
// shared memory. The main thread fills it in, and each entry point uses what it needs.

import { once } from "node:events";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { FixSettings } from "../src/adapters/gateway/fix/fix-listeners.ts";
import type { NatsSettings } from "../src/adapters/nats/nats-bus.ts";
import type { PostgresConnectionOptions } from "../src/adapters/postgres/connection.ts";
import type { ThreadVitals } from "../src/adapters/runtime/agent-runner.ts";
import type { ThreadSlots, VenueMemory } from "../src/adapters/runtime/venue-memory.ts";
import { ThreadFigures } from "../src/adapters/telemetry/thread-figures.ts";
import { ThreadWatch } from "../src/adapters/telemetry/thread-watch.ts";
import { present } from "../src/core/assert.ts";
import { type Market, MarketTable } from "../src/core/markets.ts";
import type { Asset } from "../src/core/money/assets.ts";
import { restoreState, type VenueSnapshot } from "../src/engine/state/snapshot/venue-snapshot.ts";
import type { VenueState, VenueStateOptions } from "../src/engine/state/venue-state.ts";
import type { BuildInfo } from "../src/ports/build-info.ts";
import type { MasterKey } from "../src/services/access/secret-box.ts";
import type { SettlementSettings } from "../src/services/settlement/settlement-parts.ts";
import type { SwapSettings } from "../src/services/swaps/swap-loop.ts";
import { CountersBuffer } from "../src/wire/counters-buffer.ts";
import { Doorbell } from "../src/wire/doorbell.ts";
import {
  type ControlMessage,
  decodeControlMessage,
  encodeControlMessage,
} from "../src/wire/generated/control-messages.ts";
import { unpackSnapshot } from "../src/wire/snapshot-codec.ts";

/** The settings that threads need; the main thread keeps the others. */
export interface WorkerSettings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly dataDir: string;
  readonly devTools: boolean;
  readonly build: BuildInfo;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly streamsPerIpMax: number;
  readonly streamPingMs: number;
  readonly streamPongTimeoutMs: number;
  readonly listenKeyMs: number;
  readonly challengeMs: number;
  readonly sessionMs: number;
  readonly accountsPerNetwork: number;
  /** The available master keys, the encrypting one first. */
  readonly masterKeys: readonly MasterKey[];
  /** 32 bytes from which the nonces of epochs are derived. */
  readonly nonceKey: Uint8Array;
  readonly logLevel: string;
  readonly spinUs: number;
  readonly warmUp: boolean;
  /** Niceness of the other threads less that of a front, 0 to 20: a front has the higher priority. */
  readonly frontAhead: number;
  readonly gatewayTimeoutMs: number;
  readonly markIntervalMs: number;
  readonly opensWithoutIndex: boolean;
  readonly fundingIntervalMs: number;
  readonly rewardIntervalMs: number;
  readonly projectionIntervalMs: number;
  readonly epochMs: number;
  readonly inputLog: string | null;
  readonly venueName: string;
  readonly settlement: SettlementSettings;
  readonly swaps: SwapSettings;
  readonly swapPrepareMs: number;
  readonly swapFundsMs: number;
  readonly withdrawalTimeoutMs: number;
  readonly quoteMaxAgeMs: number;
  readonly providerHealthMs: number;
  readonly houseFillsPerDay: number;
  readonly compatStrict: boolean;
  readonly marketTime: { readonly isStepped: boolean };
  readonly fix: FixSettings | null;
  readonly ledger: { readonly profile: string };
  /** null: this venue is alone on its database. */
  readonly lease: object | null;
  readonly bus: NatsSettings | null;
}

export interface WorkerInit {
  /** Index of the thread among all threads, also of its heartbeat. */
  readonly thread: number;
  readonly name: string;
  /** Index among the threads of its kind: which matcher, which front. */
  readonly index: number;
  readonly threadNames: readonly string[];
  readonly memory: VenueMemory;
  readonly slots: ThreadSlots;
  readonly markets: readonly Market[];
  readonly assets: readonly Asset[];
  readonly connection: PostgresConnectionOptions;
  readonly settings: WorkerSettings;
  /** True in a gateway process, where the bus takes the place of clearing and the journal. */
  readonly isGateway: boolean;
}

/** Resolves with the init data of this thread once the main thread has them: until then the thread loads its code. */
export async function workerInit(): Promise<WorkerInit> {
  const port = workerData as MessagePort;
  const [init] = (await once(port, "message")) as [WorkerInit];
  port.close();
  return init;
}

export function marketTable({ markets, assets }: WorkerInit): MarketTable {
  return new MarketTable(markets, assets);
}

/** Restores the state from its packed bytes; every thread gets the same orders in the same slots. */
export function openSeed(
  bytes: Uint8Array,
  table: MarketTable,
  options?: VenueStateOptions,
): VenueState {
  return restoreState(table, unpackSnapshot(bytes) as VenueSnapshot, options);
}

/** True if this thread's venue may follow another one before it leads. */
export function mayFollow({ settings, isGateway }: WorkerInit): boolean {
  return settings.lease !== null && !isGateway;
}

/** `hasLoop`: true if the thread runs its event loop, false if it blocks on its doorbell. */
export function vitalsOf(
  { thread, memory, settings }: WorkerInit,
  { hasLoop }: { hasLoop: boolean },
): ThreadVitals {
  const watch = new ThreadWatch(new ThreadFigures(memory.threadFigures, thread), { hasLoop });
  return {
    thread,
    counters: new CountersBuffer(memory.counters),
    bell: bellOf(memory, thread),
    spinUs: settings.spinUs,
    look: () => watch.look(),
  };
}

/** Resolves with the next message of this kind from the main thread. */
export function heard<K extends ControlMessage["kind"]>(
  kind: K,
): Promise<Extract<ControlMessage, { kind: K }>> {
  const port = present(parentPort, "the port to the main thread");
  return new Promise((resolve) => {
    const listen = (message: Uint8Array | SharedArrayBuffer) => {
      if (message instanceof SharedArrayBuffer) return;
      const control = decodeControlMessage(message);
      if (control.kind !== kind) return;
      port.off("message", listen);
      resolve(control as Extract<ControlMessage, { kind: K }>);
    };
    port.on("message", listen);
  });
}

export function bellOf(memory: VenueMemory, place: number): Doorbell {
  return new Doorbell(present(memory.bells[place], "the doorbell of a thread"));
}

export function tellMain(message: ControlMessage): void {
  present(parentPort, "the port to the main thread").postMessage(encodeControlMessage(message));
}
