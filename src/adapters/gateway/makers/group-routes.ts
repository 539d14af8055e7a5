// Market-maker protection on both Binance-style surfaces, with the names of Binance options (mmpSet, mmp, mmpReset). A
// group is some markets of the account, spot or perpetual; all of its orders in them belong to the group, except
// reduce-only ones. The routes of both surfaces see the same groups.

import {
  type MmpSetParameters,
  mmpGroup,
  mmpReset,
  mmpSet,
} from "../../../../schemas/http/makers.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import type { Market, MarketTable } from "../../../core/markets.ts";
import { formatScaled, parseAmount } from "../../../core/money/amounts.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import {
  bitsOf,
  type MakerGroup,
  marketsIn,
  unitsPerLot,
} from "../../../engine/state/tables/maker-groups.ts";
import { answerCommand } from "../orders/answered-command.ts";
import type { UnstampedCommand } from "../orders/command-bridge.ts";
import { msOf, qtyText } from "../orders/order-format.ts";
import { readRoute, routeGroup, tradeRoute } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { badList, illegalParameter, refused } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  checkTrades,
  checkTradesGroup,
  lotsIn,
  type MakerSurface,
  perpMakers,
  spotMakers,
} from "./maker-surface.ts";

/** The markets of a JSON list of symbols. */
function listedMarkets(table: MarketTable, text: string): Market[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    refused(badList("symbols"));
  }
  if (!Array.isArray(list) || list.length === 0) return refused(badList("symbols"));
  return list.map((symbol: unknown) => {
    const market = typeof symbol === "string" ? table.find(symbol) : undefined;
    return market ?? refused(illegalParameter("symbols"));
  });
}

/** The terms that remove a group. */
const noMarkets = { markets: 0, windowUs: 0, qtyLimit: 0, valueLimit: 0n, countLimit: 0 } as const;

/** The limits of a group, in the units of its first market. A limit of 0 is refused: nothing could ever trade. */
function limitsOf(surface: MakerSurface, params: MmpSetParameters, markets: readonly Market[]) {
  const first = markets.reduce((least, market) => (market.id < least.id ? market : least));
  const { qtyLimit, quoteLimit } = params;
  const value = quoteLimit === undefined ? 0n : parseAmount(quoteLimit, first.quote.decimals);
  const lots = qtyLimit === undefined ? 0 : lotsIn(surface, qtyLimit, first);
  if (qtyLimit !== undefined && lots === 0) refused(illegalParameter("qtyLimit"));
  const isValue = value !== null && (quoteLimit === undefined || value > 0n);
  return isValue ? { qtyLimit: lots, valueLimit: value } : refused(illegalParameter("quoteLimit"));
}

/** A group with what its window counts at `nowUs`. */
function groupText(table: MarketTable, group: MakerGroup, nowUs: number): string {
  const { terms, qtyMax, triggeredUs } = group;
  const markets = marketsIn(terms.markets).map((id) => table.market(id));
  const [first] = markets;
  if (first === undefined) throw new RangeError("a group must have a market");
  const counted = group.countedAt(triggeredUs || nowUs);
  const units = unitsPerLot(first.lotDecimals);
  const lots = (qty: bigint) => qtyText(first, Number(qty / units));
  const amount = (value: bigint) => formatScaled(value, first.quote.decimals);
  const hasOneQuote = markets.every(({ quote }) => quote.id === first.quote.id);
  const hasOneBase = markets.every(({ baseCode }) => baseCode === first.baseCode);
  return JSON.stringify({
    group: terms.group,
    symbols: markets.map(({ symbol, alias, base }) => (base === null ? alias : symbol)),
    windowTimeInMilliseconds: terms.windowUs / 1000,
    frozenTimeInMilliseconds: 0,
    qtyLimit: qtyMax === 0n ? null : lots(qtyMax),
    quoteLimit: terms.valueLimit === 0n ? null : amount(terms.valueLimit),
    countLimit: terms.countLimit,
    executedQty: hasOneBase ? lots(counted.qty) : null,
    executedQuote: hasOneQuote ? amount(counted.value) : null,
    executedCount: counted.count,
    isTriggered: triggeredUs > 0,
    triggeredTime: triggeredUs === 0 ? null : msOf(triggeredUs),
  });
}

function groupRoutes(surface: MakerSurface) {
  const { path, errors, symbol: example } = surface;

  /** The text of the account's group, which must exist. */
  const textOf = ({ model, table, marketClock }: RouteContext, account: number, group: number) => {
    const found = model.state.makerGroups.get(account, group);
    if (found === undefined) return refused(errors[RejectReason.unknownGroup]);
    return groupText(table, found, marketClock.nowUs());
  };

  const send = (
    { bridge }: RouteContext,
    call: HttpCall,
    command: UnstampedCommand,
    answer: () => string,
  ) => {
    answerCommand(bridge, call, command, { errors, answer });
  };

  return routeGroup((context) => context)([
    tradeRoute(`POST ${path}/mmpSet`, {
      summary: "Sets a group of market-maker protection.",
      reads: mmpSet,
      session: "mmp.set",
      example: `group=9&symbols=$(encoded '["${example}"]')&windowTimeInMilliseconds=1000&qtyLimit=10`,
      isStrict: true,
      handle: (parts, call, params, caller) => {
        const { group, windowTimeInMilliseconds, countLimit } = params;
        const listed = listedMarkets(parts.table, params.symbols);
        const markets = bitsOf(listed);
        checkTrades(parts, caller, markets);
        checkTradesGroup(parts, caller, group);
        const { account } = caller;
        const command = {
          kind: CommandKind.setMakerGroup,
          account,
          group,
          markets,
          windowUs: windowTimeInMilliseconds * 1000,
          countLimit,
          ...limitsOf(surface, params, listed),
        } as const;
        send(parts, call, command, () => textOf(parts, account, group));
      },
    }),
    readRoute(`GET ${path}/mmp`, {
      summary: "The account's groups of market-maker protection.",
      session: "mmp.status",
      answer: ({ model, table, marketClock }, _, __, { account }) => {
        const groups = model.state.makerGroups.ofAccount(account);
        return `[${groups.map((group) => groupText(table, group, marketClock.nowUs())).join(",")}]`;
      },
    }),
    tradeRoute(`POST ${path}/mmpReset`, {
      summary: "Lets a triggered group accept orders again.",
      reads: mmpReset,
      session: "mmp.reset",
      example: "group=9",
      isStrict: true,
      handle: (parts, call, { group }, caller) => {
        checkTradesGroup(parts, caller, group);
        const named = { account: caller.account, group };
        const command = { kind: CommandKind.resetMakerGroup, ...named } as const;
        send(parts, call, command, () => textOf(parts, caller.account, group));
      },
    }),
    tradeRoute(`DELETE ${path}/mmp`, {
      summary: "Removes a group of market-maker protection.",
      reads: mmpGroup,
      session: "mmp.remove",
      example: "group=9",
      isStrict: true,
      handle: (parts, call, { group }, caller) => {
        checkTradesGroup(parts, caller, group);
        const named = { account: caller.account, group };
        const command = { kind: CommandKind.setMakerGroup, ...named, ...noMarkets } as const;
        send(parts, call, command, () => "{}");
      },
    }),
  ]);
}

export const spotGroupRoutes = groupRoutes(spotMakers);
export const perpGroupRoutes = groupRoutes(perpMakers);
