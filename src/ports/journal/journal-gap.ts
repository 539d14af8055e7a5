// The fault of a commit batch whose first event does not follow the journal's last event.

/** Thrown if the journal ends neither right before the batch nor with the batch's last event. Never retried. */
export class JournalGap extends Error {
  override name = "JournalGap";
  readonly code = "gap";
}
