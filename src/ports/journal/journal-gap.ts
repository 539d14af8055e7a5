// The one fault of a batch that does not join the journal's end, whoever notices it.

/** The journal ends neither before nor behind the batch that is to be written. Never retried. */
export class JournalGap extends Error {
  override name = "JournalGap";
  readonly code = "gap";
}
