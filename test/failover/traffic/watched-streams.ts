// Streams that stay open over all faults of a campaign, and what is wrong with their frames: every frame must be in the
// journal, and within one connection nothing may be missing. Where a connection ends, or the venue says that frames were
// left out, the client starts anew.

import { setTimeout as sleep } from "node:timers/promises";
import type { Endpoint } from "../../../src/tools/load/http-connection.ts";
import type { LoadKey } from "../../../src/tools/load/signed-requests.ts";
import { FollowedStream } from "../../crash/followed-stream.ts";
import {
  depthFaults,
  type StreamFacts,
  tradeFaults,
  userFaults,
} from "../../crash/stream-audit.ts";
import { ToldStream } from "../../crash/told-streams.ts";
import type { ClientOptions, Frame } from "../../streams/stream-client.ts";

/** Where streams are opened: `ws://host:port`, called at each connect. */
export interface StreamEndpoint {
  readonly name: string;
  readonly base: () => string;
  readonly options: ClientOptions;
}

/** Longest time in ms until a stream has a frame while clients trade. */
const freshMsMax = 120_000;

type Spans = readonly (readonly Frame[])[];

interface Watched {
  readonly name: string;
  readonly stream: ToldStream;
  readonly faults: (spans: Spans, facts: StreamFacts) => string[];
}

/** Opens a listen key of a spot account at a gateway. */
export async function openListenKey({ host, port }: Endpoint, { key }: LoadKey): Promise<string> {
  const url = `http://${host}:${port}/compat/api/v3/userDataStream`;
  const answer = await fetch(url, { method: "POST", headers: { "X-MBX-APIKEY": key } });
  return ((await answer.json()) as { listenKey: string }).listenKey;
}

export class WatchedStreams {
  readonly #all: readonly Watched[];

  /** `account` trades on the first spot market only, and `listenKey` is its key. */
  constructor(places: readonly StreamEndpoint[], account: number, listenKey: string) {
    this.#all = places.flatMap(({ name, base, options }) => {
      const open = (path: () => string) => new ToldStream(() => base() + path(), options);
      const user: ToldStream = open(() => {
        const seq = user.lastFrame?.seq;
        return `/compat/ws/${listenKey}${seq === undefined ? "" : `?resume=${seq}`}`;
      });
      const depth = open(() => "/compat/ws/cc-usdc@depth");
      const trades = open(() => "/ws/cc-usdc@trade");
      const futures = open(() => "/compat/public/ws/ethusdt@depth");
      const followed = new FollowedStream(base, options);
      return [
        {
          name: `${name} user data`,
          stream: user,
          faults: (spans: Spans, facts: StreamFacts) => userFaults(spans, account, facts),
        },
        { name: `${name} depth`, stream: depth, faults: depthFaults },
        { name: `${name} trades`, stream: trades, faults: tradeFaults },
        { name: `${name} futures depth`, stream: futures, faults: chainFaults },
        {
          name: `${name} orders`,
          stream: followed.stream,
          faults: (_: Spans, facts: StreamFacts) => [
            ...followed.faults(),
            ...depthFaults(followed.depth, facts),
          ],
        },
      ];
    });
  }

  start(): void {
    for (const { stream } of this.#all) stream.start();
  }

  /** Number of frames so far. */
  get frames(): number {
    return this.#all.reduce((sum, { stream }) => sum + stream.count, 0);
  }

  /** Waits until every stream has another frame, so that none is silent; the traders must be trading. */
  async untilFresh(): Promise<void> {
    const before = this.#all.map(({ stream }) => stream.count);
    const isFresh = ({ stream }: Watched, index: number) => stream.count > (before[index] ?? 0);
    const endMs = performance.now() + freshMsMax;
    while (!this.#all.every(isFresh)) {
      if (performance.now() > endMs) {
        const silent = this.#all.filter((one, index) => !isFresh(one, index));
        throw new Error(`silent streams: ${silent.map(({ name }) => name).join(", ")}`);
      }
      await sleep(10);
    }
  }

  forgetCloses(): void {
    for (const { stream } of this.#all) stream.closes.length = 0;
  }

  /** Names of the streams whose connections have ended since `forgetCloses`, each with its code. */
  get closes(): string[] {
    return this.#all.flatMap(({ name, stream }) => stream.closes.map((why) => `${name} ${why}`));
  }

  faults(facts: StreamFacts): string[] {
    return this.#all.flatMap(({ name, stream, faults }) =>
      faults(resynchronised(stream.spans), facts).map((fault) => `${name}: ${fault}`),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ stream }) => stream.stop()));
  }
}

/** Cuts spans where the venue told a slow reader that frames were left out. */
function resynchronised(spans: Spans): Spans {
  return spans.flatMap((frames) => {
    const parts: Frame[][] = [[]];
    for (const frame of frames)
      if (frame.e === "conflated") parts.push([]);
      else parts.at(-1)?.push(frame);
    return parts;
  });
}

/** Checks the numbers of a diff depth stream of perpetuals: each frame continues the one before. */
function chainFaults(spans: Spans): string[] {
  return spans.flatMap((frames) =>
    frames.flatMap(({ U, u, pu }, index) => {
      const last = frames[index - 1]?.u;
      if (last === undefined || (U === last + 1 && pu === last)) return [];
      return [`depth ${U} to ${u} after ${pu} comes directly after ${last}`];
    }),
  );
}
