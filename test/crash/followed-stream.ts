// A client of the stream of orders that keeps running through crashes. On each connection it also has depth, and takes a
// snapshot once the streams have begun. Afterwards the orders of each connection, built from snapshot and frames, are
// compared with its depth at every frame.

import { setTimeout as sleep } from "node:timers/promises";
import { continues, FollowedBook } from "../streams/followed-orders.ts";
import type { ClientOptions, Frame, StreamClient } from "../streams/stream-client.ts";
import { ToldStream } from "./told-streams.ts";

const streamPath = "/compat/stream?streams=cc-usdc@order/cc-usdc@depth";
const snapshotPath = "/compat/api/v3/depth/orders?symbol=CC-USDC&limit=5000";

export class FollowedStream {
  readonly stream: ToldStream;
  readonly #base: () => string;
  readonly #snapshots = new Map<readonly Frame[], Frame>();

  /** `base` is `ws://host:port`, called at each connect. */
  constructor(base: () => string, options: ClientOptions = {}) {
    this.#base = base;
    const opened = (client: StreamClient) => void this.#follow(client).catch(() => undefined);
    this.stream = new ToldStream(() => base() + streamPath, { ...options, opened });
  }

  /** The frames of depth of each connection. */
  get depth(): Frame[][] {
    return this.stream.spans.map((frames) =>
      frames.map(({ data }) => data).filter(({ e }) => e === "depthUpdate"),
    );
  }

  /** The books of the connections on which a snapshot came; throws at the first fault. */
  books(): FollowedBook[] {
    return [...this.#snapshots].map(([frames, snapshot]) => {
      const book = new FollowedBook(snapshot);
      for (const { data } of frames) book.take(data);
      return book;
    });
  }

  /** Faults of the connections: a gap, or orders that do not give the depth of a frame. */
  faults(): string[] {
    const gaps = this.stream.spans.flatMap((frames) => {
      const orders = frames.map(({ data }) => data).filter(({ e }) => e === "orderUpdate");
      return orders.flatMap(({ U }, index) => {
        const last = orders[index - 1]?.u;
        return last === undefined || U === last + 1 ? [] : [`orders ${U} after ${last}`];
      });
    });
    try {
      this.books();
      return gaps;
    } catch (fault) {
      return [...gaps, (fault as Error).message];
    }
  }

  /** Takes the snapshot of a connection; a gateway that lags behind may first answer with one that is too old. */
  async #follow(client: StreamClient): Promise<void> {
    const isOrders = ({ data }: Frame) => data.e === "orderUpdate";
    await client.next(({ data }) => data.snapshot === true);
    while (client.closed === null) {
      const answer = await fetch(this.#base().replace(/^ws/, "http") + snapshotPath);
      const snapshot: Frame = await answer.json();
      const first = client.frames.find(isOrders);
      if (first === undefined || continues(snapshot, first.data)) {
        this.#snapshots.set(client.frames, snapshot);
        return;
      }
      await sleep(20);
    }
  }
}
