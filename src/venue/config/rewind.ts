// Who may start a venue whose market time, history and faults are played: nobody whose venue holds money. `rialto start
// --rewind` is refused in production, without development tools, with a ledger that others use, and with threads on
// other machines, which the clock of this process does not reach. Specification: REW-1.

import type { ConfigVariables } from "../../../schemas/config.ts";
import { hasEmbeddedLedger, type LedgerConfig } from "./ledger-config.ts";

/** The reasons why a venue with these settings cannot be rewound, one line each; `devTools` is what the settings give. */
export function rewindFaults(
  read: ConfigVariables,
  { devTools, ledger }: { readonly devTools: boolean; readonly ledger: LedgerConfig },
): string[] {
  const faults: string[] = [];
  const refuse = (reason: string) => faults.push(`start --rewind: ${reason}`);
  if (read.NODE_ENV === "production") refuse("expected NODE_ENV other than production");
  if (!devTools)
    refuse(
      read.DATABASE_URL === null
        ? "expected development tools, which DEV_TOOLS=0 turns off"
        : "expected DEV_TOOLS=1, because DATABASE_URL turns development tools off",
    );
  if (ledger.profile !== "none" && !hasEmbeddedLedger(ledger))
    refuse("expected the embedded ledger, or LEDGER_PROFILE=none");
  if (read.ROLE !== "single" || read.NATS_URL.length > 0)
    refuse("expected a venue on its own, without ROLE and NATS_URL");
  return faults;
}
