// The bus between gateways and leaders in a failover run. The schedule decides when a message arrives and whether it is
// lost. Messages from one member to another keep their order. A member can be disconnected, and a direction between two
// members can be cut.

import type { Answer, Bus } from "../../../src/ports/bus.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { SimulatedProcess, SimulatedTime } from "./simulated-time.ts";

interface Message {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly answer: Answer;
}

/** Messages on their way from one member to another. */
interface Link {
  readonly from: LossyBus;
  readonly to: LossyBus;
  readonly messages: Message[];
  /** Until when every message is lost. */
  cutUntilMs: number;
}

const nobody: Answer = () => undefined;

export class LossyHub {
  readonly time: SimulatedTime;
  readonly #random: SeededRandom;
  /** One message of this many is lost; 0 for none. */
  lossOneIn: number;
  lost = 0;
  /** Sees every message when it is sent. */
  onSend: (subject: string, bytes: Uint8Array) => void = () => undefined;
  members: readonly LossyBus[] = [];
  #links: Link[] = [];

  constructor(random: SeededRandom, time: SimulatedTime, lossOneIn: number) {
    this.#random = random;
    this.time = time;
    this.lossOneIn = lossOneIn;
  }

  join(owner: SimulatedProcess): LossyBus {
    const bus = new LossyBus(this, owner);
    for (const other of this.members) {
      for (const [from, to] of [[bus, other] as const, [other, bus] as const])
        this.#links.push({ from, to, messages: [], cutUntilMs: 0 });
    }
    this.members = [...this.members, bus];
    return bus;
  }

  send(from: LossyBus, message: Message): void {
    this.onSend(message.subject, message.bytes);
    for (const link of this.#links)
      if (link.from === from && link.to.hears(message.subject)) link.messages.push(message);
  }

  /** Sends the answer to a request on its way back. */
  answer(from: LossyBus, to: LossyBus, told: () => void): void {
    const link = this.#links.find((one) => one.from === from && one.to === to);
    link?.messages.push({ subject: "", bytes: new Uint8Array(), answer: told });
  }

  /** Lets one message arrive, or loses it. Returns false if none is on its way. */
  deliver(): boolean {
    this.#forgetDead();
    const waiting = this.#links.filter(
      ({ to, messages }) => messages.length > 0 && !to.owner.isFrozen,
    );
    const link = waiting[this.#random.below(Math.max(waiting.length, 1))];
    const message = link?.messages.shift();
    if (link === undefined || message === undefined) return false;
    if (this.#isLost(link)) this.lost++;
    else if (message.subject === "") message.answer(message.bytes);
    else
      link.to.receive(message.subject, message.bytes, (bytes) =>
        this.answer(link.to, link.from, () => message.answer(bytes)),
      );
    return true;
  }

  #isLost({ from, to, cutUntilMs }: Link): boolean {
    if (!from.isConnected || !to.isConnected || this.time.nowMs < cutUntilMs) return true;
    return this.lossOneIn > 0 && this.#random.below(this.lossOneIn) === 0;
  }

  #forgetDead(): void {
    if (!this.members.some(({ owner }) => owner.isDead)) return;
    this.members = this.members.filter(({ owner }) => !owner.isDead);
    this.#links = this.#links.filter(({ from, to }) => !from.owner.isDead && !to.owner.isDead);
  }

  /** Loses everything in one direction between two members for `ms`. */
  cut(ms: number): void {
    const link = this.#links[this.#random.below(Math.max(this.#links.length, 1))];
    if (link !== undefined) link.cutUntilMs = this.time.nowMs + ms;
  }

  /** From now on nothing is lost. */
  heal(): void {
    this.lossOneIn = 0;
    for (const link of this.#links) link.cutUntilMs = 0;
    for (const member of this.members) member.setConnected(true);
  }

  get isQuiet(): boolean {
    return this.#links.every(({ messages }) => messages.length === 0);
  }
}

export class LossyBus implements Bus {
  readonly owner: SimulatedProcess;
  readonly #hub: LossyHub;
  readonly #takers = new Map<string, (bytes: Uint8Array, answer: Answer) => void>();
  readonly #told: ((isConnected: boolean) => void)[] = [];
  isConnected = true;

  constructor(hub: LossyHub, owner: SimulatedProcess) {
    this.#hub = hub;
    this.owner = owner;
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    if (!this.isConnected) return false;
    this.#hub.send(this, { subject, bytes, answer: nobody });
    return true;
  }

  subscribe(subject: string, take: (bytes: Uint8Array, answer: Answer) => void): void {
    this.#takers.set(subject, take);
  }

  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array | null> {
    if (!this.isConnected) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#hub.time.after(this.owner, timeoutMs, () => resolve(null));
      this.#hub.send(this, { subject, bytes, answer: resolve });
    });
  }

  onChange(told: (isConnected: boolean) => void): void {
    this.#told.push(told);
    this.#hub.time.after(this.owner, 0, () => told(this.isConnected));
  }

  setConnected(isConnected: boolean): void {
    if (this.isConnected === isConnected || this.owner.isDead) return;
    this.isConnected = isConnected;
    for (const told of this.#told) told(isConnected);
  }

  hears(subject: string): boolean {
    return this.#takers.has(subject);
  }

  receive(subject: string, bytes: Uint8Array, answer: Answer): void {
    this.#takers.get(subject)?.(bytes, answer);
  }

  async close(): Promise<void> {
    this.setConnected(false);
  }
}
