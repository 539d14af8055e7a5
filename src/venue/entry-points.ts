// Entry points of the venue's threads, tasks and processes. This file must stay two folders below the root of
// the sources: the bundler keeps it two folders below the bundle (workers/bundle.config.ts).

/** Threads of the venue. */
export const threadEntries = {
  journal: new URL("../../workers/journal.js", import.meta.url),
  clearing: new URL("../../workers/clearing.js", import.meta.url),
  matcher: new URL("../../workers/matcher.js", import.meta.url),
  front: new URL("../../workers/front.js", import.meta.url),
  bus: new URL("../../workers/bus.js", import.meta.url),
  settlement: new URL("../../workers/settlement.js", import.meta.url),
} as const;

/** Tasks of the pool. */
export const taskEntries = {
  sealEpochs: new URL("../../workers/tasks/seal-epochs.js", import.meta.url),
  checkEpochs: new URL("../../workers/tasks/check-epochs.js", import.meta.url),
  foldSnapshot: new URL("../../workers/tasks/fold-snapshot.js", import.meta.url),
} as const;

/** The development ledger, a separate process. */
export const devnetLedgerEntry = new URL("../../workers/devnet-ledger.js", import.meta.url);
