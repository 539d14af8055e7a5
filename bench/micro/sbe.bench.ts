// Measures frames of diff depth in SBE beside JSON: the same changes of one book, rendered and copied as the server library
// copies a frame when it publishes it. A direct run prints the figures.

import { fileURLToPath } from "node:url";
import { shownIn } from "../../src/adapters/gateway/orders/order-format.ts";
import type { MarketView } from "../../src/adapters/gateway/read-model.ts";
import { depthChangeText } from "../../src/adapters/gateway/streams/markets/market-texts.ts";
import { SbeFeed } from "../../src/adapters/gateway/streams/markets/sbe-feed.ts";
import { StreamTopics } from "../../src/adapters/gateway/streams/stream-topics.ts";
import { present } from "../../src/core/assert.ts";
import { MarketKind } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import { DepthBook, DepthMemory } from "../../src/engine/market-data/depth-book.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { nanoseconds } from "./sampling.ts";

const nowMs = 1_795_000_000_000;
const middle = 1500;
const levels = 500;
/** Changed levels of each side in a frame. */
const changes = 10;

class ChangingBook {
  readonly view: MarketView;
  readonly #depth = new DepthBook(new DepthMemory(4 * levels));
  readonly #random = new SeededRandom(27);

  constructor() {
    const market = present(testMarkets.find("CC-USDC"), "CC-USDC must be a market");
    for (let distance = 1; distance <= levels; distance++) {
      this.#depth.add(Side.buy, middle - distance, 1000 + distance);
      this.#depth.add(Side.sell, middle + distance, 1000 + distance);
    }
    this.view = { market, depth: this.#depth, depthSeq: 1 } as unknown as MarketView;
  }

  /** Changes levels near the best price of each side. */
  change(): void {
    for (let turn = 0; turn < changes; turn++) {
      const distance = 1 + this.#random.below(50);
      this.#depth.add(Side.buy, middle - distance, 7);
      this.#depth.add(Side.sell, middle + distance, 7);
    }
    (this.view as { depthSeq: number }).depthSeq += 2 * changes;
  }
}

/** Measures a frame of diff depth in both formats. */
export async function measure(): Promise<Record<string, number>> {
  const sent = Buffer.alloc(65_536);
  let sbeBytes = 0;
  const topics = new StreamTopics({
    publish: (_, frame) => {
      sbeBytes = frame.length;
      if (typeof frame !== "string") sent.set(frame);
    },
    began: (stream) => feed.begin(stream),
    ended: () => {},
  });
  const [binary, text] = [new ChangingBook(), new ChangingBook()];
  const feed = new SbeFeed(binary.view, topics);
  topics.add(
    {
      ...{ feed: "depth", market: binary.view.market, kind: MarketKind.spot, view: "compat" },
      ...{ isSbe: true, key: "depth", requested: "cc-usdc@depth" },
    },
    { isWrapped: false, usesMicroseconds: false, isSbe: true },
  );
  const shown = { market: shownIn("compat", text.view.market), now: text.view };
  const watcher = text.view.depth.watch();
  let jsonBytes = 0;
  const took = await nanoseconds({
    "JSON frame, ns": () => {
      const before = text.view.depthSeq;
      text.change();
      const span = { first: before + 1, last: text.view.depthSeq, before };
      jsonBytes = sent.write(depthChangeText(shown, { span, changes: watcher }, nowMs));
      return jsonBytes;
    },
    "SBE frame, ns": () => {
      binary.change();
      feed.feed.publishChanges(nowMs);
      return sbeBytes;
    },
  });
  return { ...took, "JSON frame, bytes": jsonBytes, "SBE frame, bytes": sbeBytes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
