// What a FIX session of market data has subscribed, and the answers to its requests. Each stream belongs to the request
// that began it, whose MDReqID its messages carry. Spec FIX-36, FIX-37, FIX-41, FIX-42.

import { assert } from "../../../../core/assert.ts";
import { marketsMax } from "../../../../core/limits.ts";
import type { Market, MarketTable } from "../../../../core/markets.ts";
import { MarketKind } from "../../../../core/markets.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { RateLimiter } from "../../../../services/access/rate-limiter.ts";
import { spotDepthWeight } from "../../../../services/access/request-weight.ts";
import { shownIn } from "../../orders/order-format.ts";
import type { ClientAddress } from "../../server/client-address.ts";
import { type SpotStream, spotStreams } from "../../streams/markets/spot-feed.ts";
import type { SharedText } from "../field-writer.ts";
import { type LimitUse, limitsAnswer } from "../fix-answers.ts";
import { type FixMessage, field, maybe } from "../fix-codec.ts";
import { fixErrors } from "../fix-error-codes.ts";
import { MsgType, Tag } from "../fix-fields.ts";
import { streamsPerSessionMax } from "../fix-limits.ts";
import type { FixSession } from "../fix-session.ts";
import type { RefreshTaker } from "./fix-feed.ts";
import type { FixFeeds, FixStream } from "./fix-feeds.ts";
import {
  faultOfRequest,
  Instruments,
  marketOf,
  type StreamsWanted,
  streamsWanted,
} from "./market-data-request.ts";
import { instrumentText } from "./market-feed-texts.ts";

export interface MarketDataParts {
  readonly feeds: FixFeeds;
  readonly table: MarketTable;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

// A session has each stream of a market once at most, so no request goes beyond the limit.
assert(
  spotStreams.length * marketsMax <= streamsPerSessionMax,
  "a session could have too many streams",
);

/** Why a request that is well-formed begins or ends nothing. */
interface Refusal {
  /** MDReqRejReason (281), if one fits. */
  readonly reason?: "1" | "2";
  readonly code: number;
  readonly text: string;
}

/** A stream that has begun. */
interface Begun extends FixStream {
  readonly id: string;
  readonly take: RefreshTaker;
}

export class MarketDataSession {
  readonly #parts: MarketDataParts;
  readonly #session: FixSession;
  readonly #address: ClientAddress;
  /** By market and stream. */
  readonly #begun = new Map<string, Begun>();

  constructor(parts: MarketDataParts, session: FixSession, address: ClientAddress) {
    this.#parts = parts;
    this.#session = session;
    this.#address = address;
  }

  /** Handles a request. `messages` says how far the limit of messages is used. */
  take(message: FixMessage, messages: LimitUse): void {
    const fault = faultOfRequest(message);
    if (fault !== undefined) this.#session.reject(message, fault);
    else if (message.type === MsgType.marketDataRequest) this.#subscribe(message);
    else if (message.type === MsgType.instrumentListRequest) this.#list(message);
    else {
      const streams = { count: this.#begun.size, max: streamsPerSessionMax };
      const { type, fields } = limitsAnswer(message, [
        ["messages", messages],
        ["streams", streams],
      ]);
      this.#session.send(type, fields);
    }
  }

  /** Ends all streams; called when the connection is gone. */
  leave(): void {
    for (const begun of this.#begun.values()) this.#parts.feeds.end(begun, begun.take);
    this.#begun.clear();
  }

  #list(message: FixMessage): void {
    const { table } = this.#parts;
    const isSingle = message.get(Tag.instrumentListRequestType) === Instruments.single;
    const one = isSingle ? marketOf(message.get(Tag.symbol), table) : null;
    if (one !== null && "reason" in one) this.#session.reject(message, one);
    else {
      const spot = table.markets.filter(({ kind }) => kind === MarketKind.spot);
      const shown = one === null ? spot : [one];
      const rows = shown.map((market) => instrumentText(shownIn("compat", market)));
      const id = field(Tag.instrumentReqId, message.get(Tag.instrumentReqId) ?? "");
      const fields = id + field(Tag.noRelatedSym, rows.length) + rows.join("");
      this.#session.send(MsgType.instrumentList, fields);
    }
  }

  #subscribe(message: FixMessage): void {
    const wanted = streamsWanted(message, this.#parts.table);
    if ("reason" in wanted) {
      this.#session.reject(message, wanted);
      return;
    }
    const refusal = this.#refusalOf(wanted);
    if (refusal !== undefined) {
      const { reason, code, text } = refusal;
      const why = maybe(Tag.mdReqRejReason, reason) + field(Tag.errorCode, code);
      const fields = field(Tag.mdReqId, wanted.id) + why + field(Tag.text, text);
      this.#session.send(MsgType.marketDataReject, fields);
    } else if (wanted.begins === null) this.#end(wanted.id);
    else this.#begin(wanted.id, wanted.begins);
  }

  #refusalOf({ id, begins }: StreamsWanted): Refusal | undefined {
    const { code: idCode } = fixErrors.subscriptionId;
    const { code } = fixErrors.subscription;
    const isUsed = [...this.#begun.values()].some((begun) => begun.id === id);
    if (begins === null)
      return isUsed
        ? undefined
        : { code: idCode, text: "MDReqID (262) does not match any active subscription." };
    if (isUsed)
      return { reason: "1", code: idCode, text: "MDReqID (262) is in use on this connection." };
    const { markets, stream, levels } = begins;
    for (const market of markets) {
      const active = this.#begun.get(keyOf(market, stream));
      if (active === undefined) continue;
      const text =
        "Similar subscription is already active on this connection. " +
        `Symbol='${market.symbol}', active subscription id: '${active.id}'.`;
      return { reason: "2", code, text };
    }
    // A snapshot is rendered for one client, so it costs what a request for the book costs.
    const weight = levels === 0 ? 0 : markets.length * spotDepthWeight(levels);
    const { limiter, clock } = this.#parts;
    return limiter.takePublicWeight(this.#address.hash, weight, clock.nowMs())
      ? undefined
      : { code: -1003, text: "Too many requests; snapshots cost as much weight as over REST." };
  }

  #begin(id: string, { markets, stream, levels }: NonNullable<StreamsWanted["begins"]>): void {
    const own = field(Tag.mdReqId, id);
    const take = (text: SharedText) => this.#session.send(MsgType.marketDataRefresh, own, text);
    for (const market of markets) {
      const begun = { market, stream, id, take };
      this.#begun.set(keyOf(market, stream), begun);
      const snapshot = this.#parts.feeds.begin(begun, take, levels);
      if (snapshot !== null) this.#session.send(MsgType.marketDataSnapshot, own + snapshot);
    }
  }

  #end(id: string): void {
    for (const [key, begun] of [...this.#begun]) {
      if (begun.id !== id) continue;
      this.#begun.delete(key);
      this.#parts.feeds.end(begun, begun.take);
    }
  }
}

function keyOf({ id }: Market, stream: SpotStream): string {
  return `${id}@${stream}`;
}
