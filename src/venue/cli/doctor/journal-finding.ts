// `doctor` on the journal: whether it has everything that the venue of this data folder has acknowledged.

import type { PostgresConnectionOptions } from "../../../adapters/postgres/connection.ts";
import type { Log } from "../../../ports/log.ts";
import { JournalRefused } from "../../leadership/journal-refused.ts";
import { MarkFile } from "../../leadership/mark-file.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const check = "journal";
const ignore = () => undefined;
const noLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export async function journalFinding(
  dataDir: string,
  connection: PostgresConnectionOptions,
): Promise<Finding> {
  try {
    const file = await MarkFile.open({ dataDir, connection, log: noLog });
    const { isMarked } = file;
    await file.compare();
    if (isMarked && !file.isMarked)
      return warning(
        check,
        "is another journal than the one of which this data folder has a mark, or is empty: not compared",
        "check DATABASE_URL and DATA_DIR; a start goes on with this journal, and forgets the other one",
      );
    return ok(check, "has everything that this venue is known to have acknowledged");
  } catch (error) {
    if (!(error instanceof JournalRefused)) throw error;
    return fault(check, error.message, "follow docs/guides/backup-and-restore.md");
  }
}
