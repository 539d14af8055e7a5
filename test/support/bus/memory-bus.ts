// A bus within one process, for tests of what uses a bus. Messages arrive in a later turn of the event loop, as from a
// socket. A test can cut off one member, or lose single messages.

import type { Answer, Bus } from "../../../src/ports/bus.ts";

type Taker = (bytes: Uint8Array, answer: Answer) => void;

/** Connects the members of one test. */
export class MemoryHub {
  readonly #members = new Set<MemoryBus>();
  /** Whether a message is lost on its way. */
  loses: (subject: string, bytes: Uint8Array) => boolean = () => false;

  join(): MemoryBus {
    const bus = new MemoryBus(this);
    this.#members.add(bus);
    return bus;
  }

  send(from: MemoryBus, subject: string, bytes: Uint8Array, answer: Answer): void {
    if (this.loses(subject, bytes)) return;
    setImmediate(() => {
      for (const member of this.#members) {
        if (member !== from) member.receive(subject, bytes, answer);
      }
    });
  }
}

export class MemoryBus implements Bus {
  readonly #hub: MemoryHub;
  readonly #takers: (readonly [subject: string, take: Taker])[] = [];
  readonly #told: ((isConnected: boolean) => void)[] = [];
  isConnected = true;

  constructor(hub: MemoryHub) {
    this.#hub = hub;
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    if (!this.isConnected) return false;
    this.#hub.send(this, subject, bytes, () => undefined);
    return true;
  }

  subscribe(subject: string, take: Taker): void {
    this.#takers.push([subject, take]);
  }

  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array | null> {
    if (!this.isConnected) return Promise.resolve(null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), timeoutMs);
      this.#hub.send(this, subject, bytes, (answer) => {
        clearTimeout(timer);
        // The first answer counts; a promise ignores later ones.
        setImmediate(() => resolve(answer));
      });
    });
  }

  onChange(told: (isConnected: boolean) => void): void {
    this.#told.push(told);
    if (this.isConnected) setImmediate(() => told(true));
  }

  /** Loses or restores the connection. */
  setConnected(isConnected: boolean): void {
    if (this.isConnected === isConnected) return;
    this.isConnected = isConnected;
    for (const told of this.#told) told(isConnected);
  }

  receive(subject: string, bytes: Uint8Array, answer: Answer): void {
    if (!this.isConnected) return;
    for (const [of, take] of this.#takers) if (of === subject) take(bytes, answer);
  }

  close(): Promise<void> {
    this.setConnected(false);
    return Promise.resolve();
  }
}
