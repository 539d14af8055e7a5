// Faults of recorded files, which a person must mend or skip.

/** A source that cannot be replayed. The message names the file, and the line if there is one. */
export class SourceFault extends Error {
  override name = "SourceFault";
}

/** A row that cannot be read. Whoever reads the file adds its name and the line. */
export class BadRow extends Error {
  override name = "BadRow";
}
