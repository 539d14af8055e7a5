// The commands `migrate` and `replay`.

import type { Command } from "commander";

export function addMigration(program: Command): void {
  program
    .command("migrate")
    .description("upgrade the database to the schema of this version")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://… rialto migrate")
    .action(async () => {
      const { migrateDatabase } = await import("./maintenance.ts");
      await migrateDatabase();
    });
}

export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("rebuild the state from the journal and compare it with the stored state")
    .requiredOption(
      "--verify",
      "compare with every snapshot, every sealed epoch and the query tables (required)",
    )
    .addHelpText("after", "\nExample:\n  $ rialto replay --verify")
    .action(async () => {
      const { replay } = await import("./maintenance.ts");
      await replay();
    });
}
