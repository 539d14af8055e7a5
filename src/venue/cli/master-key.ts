// `master-key …`: shows and rotates the key that encrypts the venue's secrets. A rotation takes the same steps whether
// a venue runs or not. If the command is killed, running it again resumes the rotation.

import type { Command } from "commander";
import * as z from "zod";
import { readConfig } from "../config/config.ts";
import { complain, show } from "./terminal/output.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";
import { withVenue } from "./venue-call.ts";

const begun = z.object({ version: z.number(), resumed: z.boolean() });
const step = z.object({ version: z.number(), resealed: z.number(), left: z.number() });
const finished = z.object({ version: z.number(), verified: z.number(), kept_in: z.string() });

/** MASTER_KEY may hold the new key, which is not in use yet. */
const asRotation = { bringsNewKey: true };

export function addMasterKeyCommands(program: Command): void {
  const masterKey = program
    .command("master-key")
    .description("the key that encrypts the venue's stored secrets");
  masterKey
    .command("show")
    .description(
      "show the key's versions and how many secrets each still encrypts; never the key itself",
    )
    .addHelpText("after", "\nExample:\n  $ rialto master-key show --json")
    .action(async () => {
      show(await withVenue((call) => call("master-key/show", {}), asRotation));
    });
  masterKey
    .command("rotate")
    .description(
      "re-encrypt every secret with a new key and retire the old one; run it again to resume",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto master-key rotate" +
        "\n  $ MASTER_KEY=$NEW MASTER_KEY_EARLIER=$OLD rialto master-key rotate" +
        "\n\nWithout MASTER_KEY, the new key is generated and stored in master.key of DATA_DIR. A database" +
        "\nbackup taken before the rotation needs the old key: keep that key with the backup.",
    )
    .action(rotate);
}

async function rotate(): Promise<void> {
  const { masterKey } = readConfig(process.env);
  const result = await withVenue(async (call) => {
    const { version, resumed } = begun.parse(await call("master-key/begin", { key: masterKey }));
    const bar = new ProgressBar("secrets re-encrypted");
    let resealed = 0;
    for (;;) {
      const done = step.parse(await call("master-key/step", {}));
      resealed += done.resealed;
      bar.show(resealed, resealed + done.left);
      if (done.left === 0) break;
    }
    bar.end();
    const { verified, kept_in } = finished.parse(await call("master-key/finish", {}));
    return { version, resumed, resealed, verified, kept_in };
  }, asRotation);
  show(result);
  if (result.kept_in === "MASTER_KEY")
    complain(
      "Start the venue with this MASTER_KEY from now on; the earlier key no longer decrypts anything.",
    );
}
