// GET /v1/solvency: what the venue owes beside what custody holds, for everybody.

import { setTimeout as sleep } from "node:timers/promises";
import { depositsQuery } from "../../../../../schemas/http/native.ts";
import { formatLedgerAmount } from "../../../../core/money/ledger-amount.ts";
import {
  type SolvencyItem,
  SolvencyReport,
} from "../../../../services/settlement/custody/solvency-report.ts";
import { type Outcome, openRoute, routeGroup } from "../../requests/route.ts";
import { nativeFaults } from "../error-map.ts";
import { isoOfMs, pageText } from "../native-context.ts";

/** A handful of statements on one connection: the most of one address are five a second. */
const weight = 20;

async function pageOf(report: SolvencyReport, limit: number, after: number): Promise<Outcome> {
  const items = await report.items();
  if (items === "unreached") return nativeFaults.noLedger;
  if (items === "uneven") return nativeFaults.ledgerBeingRead;
  const rest = items.filter(({ asset }) => asset.id > after);
  return pageText(rest, limit, shown, ({ asset }) => asset.id);
}

/** Every amount with the ledger's ten places, so that none is rounded and they add up. Spec SLV-1. */
function shown(item: SolvencyItem): object {
  const { asset, liabilities, held, holdings, inFlight, claims, surplus } = item;
  return {
    asset: asset.code,
    liabilities: formatLedgerAmount(liabilities),
    held: formatLedgerAmount(held),
    ledger_holdings: formatLedgerAmount(holdings),
    in_flight: formatLedgerAmount(inFlight),
    claims: formatLedgerAmount(claims),
    surplus: formatLedgerAmount(surplus),
    as_of: isoOfMs(item.asOfMs),
    ledger_offset: item.ledgerOffset,
  };
}

/** The route of the solvency report. */
export const solvencyRoutes = routeGroup(({ solvency: reader, clock, model }) => {
  return new SolvencyReport({ state: model.state, reader, clock, pause: sleep });
})([
  openRoute("GET /v1/solvency", {
    says: "What the venue owes of each asset, and what it holds on the ledger.",
    reads: depositsQuery,
    faults: { 503: "The ledger network is not reached; nothing was done." },
    weight,
    answer: (report, _, { limit, cursor }) => pageOf(report, limit, cursor ?? -1),
  }),
]);
