// The refusal of a journal, by which the command line tells its exit code without loading what compares journals.

/** The journal must not be written: it lacks what this venue has acknowledged, or that cannot be told. */
export class JournalRefused extends Error {
  override name = "JournalRefused";
}
