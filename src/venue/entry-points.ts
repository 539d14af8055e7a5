// Entry points of the venue's threads, tasks and processes: bundles in every case, so that a test's venue, whose main
// thread is not bundled, loads as fast as the program and runs what ships (docs/decisions/0012, 0064). This file must
// stay two folders below the root of the sources: the bundler keeps it two folders below the bundle
// (workers/bundle.config.ts).

import type { ThreadKind } from "../../workers/thread-kinds.ts";

const root = new URL("../../", import.meta.url);
const bundle = root.pathname.endsWith("/bundle/") ? root : new URL("bundle/", root);

/** The entry point of a thread. */
export function threadEntry(kind: ThreadKind): URL {
  return new URL(`workers/${kind}.js`, bundle);
}

/** Tasks of the pool. */
export const taskEntries = {
  sealEpochs: new URL("workers/tasks/seal-epochs.js", bundle),
  checkEpochs: new URL("workers/tasks/check-epochs.js", bundle),
  stateLiabilities: new URL("workers/tasks/state-liabilities.js", bundle),
  foldSnapshot: new URL("workers/tasks/fold-snapshot.js", bundle),
} as const;

/** The development ledger, a separate process. */
export const devnetLedgerEntry = new URL("workers/devnet-ledger.js", bundle);

/** The fault proxy of a venue that can be rewound, a separate process. */
export const faultProxyEntry = new URL("src/tools/faults/main.js", bundle);
