// A worker that is seeded as the venue's threads are. It then applies later events itself, and reports its state.

import { parentPort } from "node:worker_threads";
import { present } from "../../../src/core/assert.ts";
import { apply } from "../../../src/engine/state/apply/apply.ts";
import {
  restoreState,
  type VenueSnapshot,
} from "../../../src/engine/state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../../src/engine/state-hash.ts";
import { decodeControlMessage } from "../../../src/wire/generated/control-messages.ts";
import { decodeEventBytes } from "../../../src/wire/records/event-bytes.ts";
import { unpackSnapshot } from "../../../src/wire/snapshot-codec.ts";
import { seeded } from "../../../workers/seeded.ts";
import { testMarkets } from "./test-markets.ts";

/** What the worker had when it was seeded, and what it has at the end. */
export interface SeededReport {
  readonly seedSeq: number;
  /** How often the parts were built. */
  readonly builds: number;
  readonly seq: number;
  readonly hash: string;
}

const port = present(parentPort, "the port to the test");
let builds = 0;
const { opened: state } = await seeded({
  follows: true,
  open: (bytes) => restoreState(testMarkets, unpackSnapshot(bytes) as VenueSnapshot),
  build: (followed) => {
    builds += 1;
    return followed;
  },
});
const seedSeq = state.seq;
port.on("message", (message: Uint8Array) => {
  const control = decodeControlMessage(message);
  if (control.kind === "events") {
    const sizes = new DataView(control.lengths.buffer, control.lengths.byteOffset);
    let at = 0;
    for (let place = 0; place < control.lengths.byteLength; place += 4) {
      apply(state, decodeEventBytes(control.bytes, at, sizes.getUint32(place, true)));
      at += sizes.getUint32(place, true);
    }
  }
  if (control.kind !== "stop") return;
  port.postMessage({
    seedSeq,
    builds,
    seq: state.seq,
    hash: stateHash(state),
  } satisfies SeededReport);
  port.close();
});
