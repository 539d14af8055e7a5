// The fault of a commit batch that does not continue the journal at its end.

/** Thrown if the journal ends neither right before the batch nor with it. Never retried. */
export class JournalGap extends Error {
  override name = "JournalGap";
  readonly code = "gap";
}
