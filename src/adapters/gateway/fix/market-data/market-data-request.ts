// Reads a MarketDataRequest: which streams it wants, or what is wrong with it. Spec FIX-37, FIX-41.

import { depthLevelsMax } from "../../../../core/limits.ts";
import { type Market, MarketKind, type MarketTable } from "../../../../core/markets.ts";
import type { SpotStream } from "../../streams/markets/spot-feed.ts";
import type { FieldFault } from "../field-set.ts";
import type { FixMessage } from "../fix-codec.ts";
import { fixErrors } from "../fix-error-codes.ts";
import { MsgType, RejectCode, Tag } from "../fix-fields.ts";
import { type Field, Form, incorrect, missing, parametersOf } from "../fix-form.ts";
import { EntryType } from "./market-feed-texts.ts";

export interface StreamsWanted {
  readonly id: string;
  /** The streams to begin; null if those of the request with this id end. */
  readonly begins: {
    readonly stream: SpotStream;
    readonly markets: readonly Market[];
    /** Levels per side of the snapshot. */
    readonly levels: number;
  } | null;
}

/** The scope of an InstrumentListRequest, InstrumentListRequestType (559). */
export const Instruments = { single: "0", all: "4" } as const;

/** Whether a MarketDataRequest begins or ends streams, SubscriptionRequestType (263). */
const Subscription = { begins: "1", ends: "2" } as const;

const needed: Field = { isRequired: true };

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    MsgType.marketDataRequest,
    new Form([
      [Tag.mdReqId, needed],
      [
        Tag.subscriptionRequestType,
        { ...needed, codes: { [Subscription.begins]: "", [Subscription.ends]: "" } },
      ],
      [Tag.marketDepth, {}],
      [Tag.aggregatedBook, { codes: { Y: "" } }],
      [Tag.noRelatedSym, {}],
      [Tag.noMdEntryTypes, {}],
    ]),
  ],
  [
    MsgType.instrumentListRequest,
    new Form([
      [Tag.instrumentReqId, needed],
      [
        Tag.instrumentListRequestType,
        { ...needed, codes: { [Instruments.single]: "", [Instruments.all]: "" } },
      ],
      [Tag.symbol, {}],
    ]),
  ],
  [MsgType.limitQuery, new Form([[Tag.reqId, needed]])],
]);

const depthForm = /^\d{1,4}$/;

/** What is wrong with the form of a message of a market data session: its type, or a tag. */
export function faultOfRequest(message: FixMessage): FieldFault | undefined {
  const form = forms.get(message.type);
  if (form !== undefined) {
    const read = parametersOf(message, form, message.type);
    return "reason" in read ? read : undefined;
  }
  const { code, meaning: text } = fixErrors.ofMarketData;
  return { reason: RejectCode.other, tag: Tag.msgType, text, code };
}

/** The spot market with that name, or the fault of the tag that names it. */
export function marketOf(name: string | undefined, table: MarketTable): Market | FieldFault {
  if (name === undefined) return missing(Tag.symbol);
  const market = table.find(name);
  if (market !== undefined && market.kind === MarketKind.spot) return market;
  const { code, meaning: text } = fixErrors.unknownSymbol;
  return { reason: RejectCode.incorrectValue, tag: Tag.symbol, text, code };
}

/** What a MarketDataRequest of that form wants, or what is wrong with it. */
export function streamsWanted(message: FixMessage, table: MarketTable): StreamsWanted | FieldFault {
  const id = message.get(Tag.mdReqId) ?? "";
  if (message.get(Tag.subscriptionRequestType) === Subscription.ends) return { id, begins: null };
  const wanted = streamOf(message);
  if ("reason" in wanted) return wanted;
  const markets: Market[] = [];
  for (const entry of message.group(Tag.noRelatedSym)) {
    const market = marketOf(entry.get(Tag.symbol), table);
    if ("reason" in market) return market;
    if (markets.includes(market)) return twice(Tag.noRelatedSym);
    markets.push(market);
  }
  return markets.length === 0 ? missing(Tag.noRelatedSym) : { id, begins: { ...wanted, markets } };
}

function twice(tag: number): FieldFault {
  const text = `Group ${tag} contains duplicate entries.`;
  const { code } = fixErrors.repeatedEntry;
  return { reason: RejectCode.incorrectValue, tag, text, code };
}

function wrong(tag: number, allowed: string): FieldFault {
  return incorrect(tag, `The value of tag ${tag} must be ${allowed}.`);
}

/** The stream that entry types and depth mean. */
function streamOf(
  message: FixMessage,
): { readonly stream: SpotStream; readonly levels: number } | FieldFault {
  const list = message.group(Tag.noMdEntryTypes).map((entry) => entry.get(Tag.mdEntryType) ?? "");
  if (list.length === 0) return missing(Tag.noMdEntryTypes);
  const types = new Set(list);
  if (types.size < list.length) return twice(Tag.noMdEntryTypes);
  const depth = message.get(Tag.marketDepth);
  const levels = depthForm.test(depth ?? "1") ? Number(depth ?? 1) : 0;
  if (levels < 1 || levels > depthLevelsMax)
    return wrong(Tag.marketDepth, `from 1 to ${depthLevelsMax}`);
  if (types.size === 1 && types.has(EntryType.trade)) return { stream: "trade", levels: 0 };
  if (types.size !== 2 || !types.has(EntryType.bid) || !types.has(EntryType.offer))
    return wrong(Tag.mdEntryType, "TRADE (2), or BID (0) and OFFER (1) together");
  if (depth === undefined) return missing(Tag.marketDepth);
  return { stream: levels === 1 ? "bestBidAsk" : "depth", levels };
}
