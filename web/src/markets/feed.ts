// A connection to combined streams. If it is lost, it reconnects and subscribes again. It counts the listeners of each
// stream, so that two views can share a stream.

import { signal } from "@preact/signals";
import type * as z from "zod";
import type { marketPayloads } from "../../../schemas/streams/payloads.ts";

/** A frame of market data, typed by the stream schemas of the venue. */
export type MarketFrame<Name extends keyof typeof marketPayloads> = z.output<
  (typeof marketPayloads)[Name]
>;

export type Connection = "opening" | "open" | "lost";

type Listener = (frame: never) => void;

interface Frame {
  readonly stream?: string;
  readonly data?: unknown;
}

export interface FeedOptions {
  /** Returns the address to connect to; called for each connection. */
  address(): string | Promise<string>;
  /**
   * Whether the address already names the streams, as that of an account does. Then the feed subscribes to nothing,
   * every frame goes to every listener, and there is no timeout, because an idle account sends no frames.
   */
  readonly isFixed: boolean;
}

const retryMsFirst = 500;
const retryMsMax = 10_000;
/** A market sends its ticker every second, so a connection without frames for this long is dead. */
const staleMs = 15_000;

/** The combined streams of the venue that serves the page. */
export const streamAddress = `${location.origin.replace(/^http/, "ws")}/compat/stream`;

export class Feed {
  readonly #options: FeedOptions;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #wanted = new Map<string, Set<Listener>>();
  readonly #changes = new Map<string, boolean>();
  #socket: WebSocket | null = null;
  #isOver = false;
  #retryMs = retryMsFirst;
  #requestId = 0;
  #receivedMs = 0;
  readonly connection = signal<Connection>("opening");

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#watch = setInterval(() => this.#checkStaleness(), staleMs / 3);
    void this.#open();
  }

  /** Listens to a stream. Returns a function that stops listening. */
  listen<T>(stream: string, listener: (frame: T) => void): () => void {
    const listeners = this.#wanted.get(stream) ?? new Set();
    this.#wanted.set(stream, listeners.add(listener));
    if (listeners.size === 1) this.#change(stream, true);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#wanted.get(stream) !== listeners) return;
      this.#wanted.delete(stream);
      this.#change(stream, false);
    };
  }

  /** Closes the connection permanently. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#socket?.close();
  }

  /**
   * Combines the changes of one turn of the event loop into one request, because the venue accepts only ten requests a
   * second.
   */
  #change(stream: string, isWanted: boolean): void {
    if (this.#changes.size === 0) queueMicrotask(() => this.#sendChanges());
    this.#changes.set(stream, isWanted);
  }

  #sendChanges(): void {
    const of = (isWanted: boolean) =>
      [...this.#changes].filter(([, wanted]) => wanted === isWanted).map(([stream]) => stream);
    this.#request("UNSUBSCRIBE", of(false));
    this.#request("SUBSCRIBE", of(true));
    this.#changes.clear();
  }

  #request(method: string, params: readonly string[]): void {
    const isOpen = this.#socket?.readyState === WebSocket.OPEN;
    if (this.#options.isFixed || !isOpen || params.length === 0) return;
    this.#socket?.send(JSON.stringify({ method, params, id: ++this.#requestId }));
  }

  async #open(): Promise<void> {
    let address: string;
    try {
      address = await this.#options.address();
    } catch {
      this.#lose();
      return;
    }
    if (this.#isOver) return;
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => {
      this.#retryMs = retryMsFirst;
      this.#receivedMs = Date.now();
      this.connection.value = "open";
      this.#request("SUBSCRIBE", [...this.#wanted.keys()]);
    };
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)));
    socket.onclose = () => this.#lose();
  }

  #lose(): void {
    if (this.#isOver) return;
    this.connection.value = "lost";
    setTimeout(() => void this.#open(), this.#retryMs * (0.75 + Math.random() / 2));
    this.#retryMs = Math.min(this.#retryMs * 2, retryMsMax);
  }

  #take({ stream, data }: Frame): void {
    this.#receivedMs = Date.now();
    for (const [name, listeners] of this.#wanted) {
      if (name !== stream && !this.#options.isFixed) continue;
      for (const listener of listeners) listener(data as never);
    }
  }

  #checkStaleness(): void {
    const isSilent = Date.now() - this.#receivedMs > staleMs;
    const isWaiting = this.connection.value === "open" && this.#wanted.size > 0;
    if (isWaiting && isSilent && !this.#options.isFixed) this.#socket?.close();
  }
}

export const marketFeed = new Feed({ address: () => streamAddress, isFixed: false });
