// The fault of a commit batch that does not continue the journal's end.

/** The journal ends neither right before nor right after the batch. Never retried. */
export class JournalGap extends Error {
  override name = "JournalGap";
  readonly code = "gap";
}
