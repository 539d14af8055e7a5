// Reads a MarketDataRequest: which streams it wants, or what is wrong with it. Spec FIX-37, FIX-41.

import { type Market, MarketKind, type MarketTable } from "../../../../core/markets.ts";
import type { SpotStream } from "../../streams/markets/spot-feed.ts";
import type { FieldFault } from "../field-set.ts";
import type { FixMessage } from "../fix-codec.ts";
import { fixErrors } from "../fix-error-codes.ts";
import { frameTags, MsgType, RejectCode, Tag } from "../fix-fields.ts";
import { snapshotLevelsMax } from "../fix-limits.ts";
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

const known: ReadonlyMap<string, ReadonlySet<number>> = new Map<string, ReadonlySet<number>>([
  [
    MsgType.marketDataRequest,
    new Set<number>([
      Tag.mdReqId,
      Tag.subscriptionRequestType,
      Tag.marketDepth,
      Tag.aggregatedBook,
      Tag.noRelatedSym,
      Tag.noMdEntryTypes,
    ]),
  ],
  [
    MsgType.instrumentListRequest,
    new Set([Tag.instrumentReqId, Tag.instrumentListRequestType, Tag.symbol]),
  ],
  [MsgType.limitQuery, new Set([Tag.reqId])],
]);

const idForm = /^[a-zA-Z0-9-_]{1,36}$/;
const depthForm = /^\d{1,4}$/;

function missing(tag: number): FieldFault {
  return { reason: RejectCode.required, tag, text: `Tag ${tag} is required.`, code: -1102 };
}

function incorrect(tag: number, why = "is incorrect"): FieldFault {
  const text = `The value of tag ${tag} ${why}.`;
  return { reason: RejectCode.incorrectValue, tag, text, code: -1130 };
}

/** What is wrong with the form of a message of a market data session: its type, a tag, or a missing one. */
export function faultOfForm(message: FixMessage): FieldFault | undefined {
  const tags = known.get(message.type);
  if (tags === undefined) {
    const { code, meaning: text } = fixErrors.ofMarketData;
    return { reason: RejectCode.other, tag: Tag.msgType, text, code };
  }
  for (const tag of message.fields.keys()) {
    if (tags.has(tag) || frameTags.has(tag)) continue;
    const text = `Tag ${tag} is not defined for messages of type ${message.type}.`;
    const { code } = fixErrors.undefinedTag;
    return { reason: RejectCode.notDefinedForMessage, tag, text, code };
  }
  const [first] = tags;
  return first !== undefined && message.get(first) === undefined ? missing(first) : undefined;
}

/** The spot market with that name, or the fault of the tag that names it. */
export function marketOf(name: string | undefined, table: MarketTable): Market | FieldFault {
  if (name === undefined) return missing(Tag.symbol);
  const market = table.find(name);
  if (market !== undefined && market.kind === MarketKind.spot) return market;
  const { code, meaning: text } = fixErrors.unknownSymbol;
  return { reason: RejectCode.incorrectValue, tag: Tag.symbol, text, code };
}

/** What a MarketDataRequest wants, or what is wrong with it. */
export function streamsWanted(message: FixMessage, table: MarketTable): StreamsWanted | FieldFault {
  const id = message.get(Tag.mdReqId) ?? "";
  if (!idForm.test(id)) return incorrect(Tag.mdReqId);
  const type = message.get(Tag.subscriptionRequestType);
  if (type === undefined) return missing(Tag.subscriptionRequestType);
  if (type === "2") return { id, begins: null };
  if (type !== "1") return incorrect(Tag.subscriptionRequestType);
  if ((message.get(Tag.aggregatedBook) ?? "Y") !== "Y") return incorrect(Tag.aggregatedBook);
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
  if (levels < 1 || levels > snapshotLevelsMax)
    return incorrect(Tag.marketDepth, `must be from 1 to ${snapshotLevelsMax}`);
  if (types.size === 1 && types.has(EntryType.trade)) return { stream: "trade", levels: 0 };
  if (types.size !== 2 || !types.has(EntryType.bid) || !types.has(EntryType.offer))
    return incorrect(Tag.mdEntryType, "must be TRADE (2), or BID (0) and OFFER (1) together");
  if (depth === undefined) return missing(Tag.marketDepth);
  return { stream: levels === 1 ? "bestBidAsk" : "depth", levels };
}
