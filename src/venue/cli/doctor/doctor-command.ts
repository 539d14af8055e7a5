// The command `doctor`.

import type { Command } from "commander";

interface DoctorOptions {
  /** True if the settings are those of a gateway. */
  readonly gateway?: boolean;
}

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the installation and suggest fixes")
    .option("--gateway", "the settings are those of a gateway")
    .addHelpText(
      "after",
      "\nIn a cluster, run it with the settings of each venue: it also asks the standby for a commit, and says who" +
        "\nleads, who follows, and whether NATS is reached. What it could not examine, it shows as skipped." +
        "\n\nExit codes: 0 everything was examined and there is no fault, warnings or not; 1 there is a fault;" +
        "\n3 there is no fault, but the venue does not run (as of 'systemctl status'), so that only the" +
        "\ninstallation was examined. Before a start, 3 is what you want." +
        "\n\nExamples:\n  $ rialto doctor\n  $ rialto doctor --gateway",
    )
    .action(async ({ gateway = false }: DoctorOptions) => {
      const { diagnose } = await import("./doctor.ts");
      await diagnose(gateway);
    });
}
