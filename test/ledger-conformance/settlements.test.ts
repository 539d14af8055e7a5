// Runs the conformance cases of the venue's own contracts on a development ledger, or on the ledger at LEDGER_URL.

import { settlementCases } from "./settlement-cases.ts";
import { Subject } from "./subject.ts";

settlementCases(() => Subject.open());
