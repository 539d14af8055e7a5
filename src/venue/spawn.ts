// Starts the worker threads by URL and watches them. A venue cannot run with a dead or stuck thread: the first fault of
// any thread is reported once, and the owner of the venue then closes the venue.

import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { WorkerInit } from "../../workers/init.ts";
import type { ThreadKind } from "../../workers/thread-kinds.ts";
import { alignedInterval } from "../adapters/runtime/aligned-interval.ts";
import { inlineDeeply } from "../adapters/runtime/compiler.ts";
import type { CountersBuffer } from "../wire/counters-buffer.ts";
import {
  type ControlMessage,
  decodeControlMessage,
  encodeControlMessage,
} from "../wire/generated/control-messages.ts";
import { threadEntry } from "./entry-points.ts";

/** Interval in ms between heartbeat checks. */
const lookMs = 500;

type KindOf = ControlMessage["kind"];
type MessageOf<K extends KindOf> = Extract<ControlMessage, { kind: K }>;

/** The name of a thread, and its slot. */
type ThreadSlot = Pick<WorkerInit, "name" | "thread">;

/** One worker thread and its messages. It loads its code at once, and begins when it gets its init data. */
export class WorkerThread {
  readonly name: string;
  readonly index: number;
  readonly #worker: Worker;
  readonly #init: MessagePort;
  readonly #listeners = new Set<(message: ControlMessage) => void>();
  readonly #ended: Promise<void>;

  constructor(
    kind: ThreadKind,
    { name, thread: index }: ThreadSlot,
    onFault: (fault: Error) => void,
  ) {
    this.name = name;
    this.index = index;
    const { port1, port2 } = new MessageChannel();
    this.#init = port1;
    const given = { workerData: port2, transferList: [port2] };
    this.#worker = new Worker(threadEntry(kind), { ...given, name });
    this.#worker.on("message", (bytes: Uint8Array) => {
      const message = decodeControlMessage(bytes);
      for (const listener of [...this.#listeners]) listener(message);
    });
    this.#worker.on("error", (error: Error) => onFault(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        onFault(new Error(`thread ${this.name} exited with code ${code}`));
        resolve();
      });
    });
  }

  /** Gives the thread what it begins with. Called once. */
  begin(init: WorkerInit): void {
    this.#init.postMessage(init);
  }

  tell(message: ControlMessage): void {
    this.#worker.postMessage(encodeControlMessage(message));
  }

  /**
   * Sends a packed state, so that the thread can open it early; the later `seed` message decides whether it is used.
   */
  offer(state: SharedArrayBuffer): void {
    this.#worker.postMessage(state);
  }

  /** Resolves with the next message of that kind. */
  next<K extends KindOf>(kind: K): Promise<MessageOf<K>> {
    return new Promise((resolve) => {
      const listener = (message: ControlMessage) => {
        if (message.kind !== kind) return;
        this.#listeners.delete(listener);
        resolve(message as MessageOf<K>);
      };
      this.#listeners.add(listener);
    });
  }

  /** Calls `listener` with every message of that kind. */
  hear<K extends KindOf>(kind: K, listener: (message: MessageOf<K>) => void): void {
    this.#listeners.add((message) => {
      if (message.kind === kind) listener(message as MessageOf<K>);
    });
  }

  /** Resolves when the thread has exited. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** All threads of a venue; reports the first fault of any of them. */
export class ThreadGroup {
  readonly #counters: CountersBuffer;
  readonly #threads: WorkerThread[] = [];
  readonly #faulted: Promise<never>;
  #tellFault: (fault: Error) => void = () => undefined;
  #first: Error | null = null;
  #stopWatch: () => void = () => undefined;
  #isEnding = false;

  constructor(counters: CountersBuffer) {
    inlineDeeply();
    this.#counters = counters;
    this.#faulted = new Promise((_, reject) => {
      this.#tellFault = reject;
    });
    // The steps of the start race against this promise. The empty handler prevents an unhandled rejection. Faults after
    // the start go to `whenFaulted`.
    this.#faulted.catch(() => undefined);
  }

  /** Starts a thread that waits for its init data. */
  spawn(kind: ThreadKind, slot: ThreadSlot): WorkerThread {
    const thread = new WorkerThread(kind, slot, (fault) => this.#fault(fault));
    this.#threads.push(thread);
    return thread;
  }

  /** Starts a thread that begins at once. */
  spawnWith(kind: ThreadKind, init: WorkerInit): WorkerThread {
    const thread = this.spawn(kind, init);
    thread.begin(init);
    return thread;
  }

  /** Throws the first fault of a thread, if there was one: threads may fail while nothing waits for them. */
  check(): void {
    if (this.#first !== null) throw this.#first;
  }

  /** Resolves with the result of `step`, or rejects with the first fault of a thread. */
  untilFault<T>(step: Promise<T>): Promise<T> {
    return Promise.race([step, this.#faulted]);
  }

  /** Calls back once, with the first fault. */
  whenFaulted(tell: (fault: Error) => void): void {
    this.#faulted.catch(tell);
  }

  /** From now on, a thread without a heartbeat for `timeoutMs` is a fault. */
  watchHeartbeats(timeoutMs: number): void {
    const seen = new Map<WorkerThread, { heartbeats: number; stalledMs: number }>();
    this.#stopWatch = alignedInterval(() => {
      for (const thread of this.#threads) {
        const heartbeats = this.#counters.heartbeats(thread.index);
        const last = seen.get(thread);
        // The stall is counted in checks, not measured as elapsed time, so that a pause of the main thread does not
        // look like stuck threads.
        const stalledMs = last?.heartbeats === heartbeats ? last.stalledMs + lookMs : 0;
        seen.set(thread, { heartbeats, stalledMs });
        if (stalledMs >= timeoutMs) this.#fault(new Error(`thread ${thread.name} is stuck`));
      }
    }, lookMs);
  }

  /** From now on, the end of a thread is not a fault. */
  beginEnd(): void {
    this.#isEnding = true;
    this.#stopWatch();
  }

  /** Resolves when every thread has exited. */
  async ended(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ended));
  }

  /** Terminates every thread immediately. */
  async terminate(): Promise<void> {
    this.beginEnd();
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  #fault(fault: Error): void {
    if (this.#isEnding) return;
    this.#first ??= fault;
    this.#tellFault(fault);
  }
}
