// GET /v1/solvency: what the venue owes beside what custody holds, for everybody.

import { setTimeout as sleep } from "node:timers/promises";
import { depositsQuery } from "../../../../../schemas/http/native-money.ts";
import { formatLedgerAmount } from "../../../../core/money/ledger-amount.ts";
import {
  type SolvencyItem,
  SolvencyReport,
} from "../../../../services/settlement/custody/solvency-report.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, isoOfMs, type NativeContext, type Outcome } from "../native-context.ts";
import { type NativeRoute, openRoute } from "../native-route.ts";
import { pageText } from "../page-text.ts";
import { queryReader } from "../read-body.ts";

/** A handful of statements on one connection: the most of one address are five a second. */
const weight = 20;

const readQuery = queryReader(depositsQuery);

/** The route of the solvency report. */
export function solvencyRoutes(context: NativeContext): NativeRoute[] {
  const { solvency: reader, clock, model } = context;
  const report = new SolvencyReport({ state: model.state, reader, clock, pause: sleep });
  return [
    openRoute(
      "GET /v1/solvency",
      (call, { parameters }) => {
        const query = readQuery(call, parameters);
        if (query === null) return;
        const { limit, cursor } = query;
        answerWith(context, call, pageOf(report, limit, cursor ?? -1));
      },
      { weight },
    ),
  ];
}

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
