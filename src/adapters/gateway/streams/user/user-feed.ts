// The user data stream of one account on one surface: queued updates, their frames, and the subscribers. It stores the
// newest frames, so that a client that reconnects soon misses nothing. A client that reconnects too late, or reads too
// slowly, gets a snapshot that is marked as such.
//
// Every update is one frame with the next number. The balances and positions it changed follow in further frames, with
// their values at the time of sending and the number of the newest update they include. Spec STR-20 to STR-23.

import { AssertionFailure } from "../../../../core/assert.ts";
import { userFramesKept } from "../../../../core/limits.ts";
import { MarketKind } from "../../../../core/markets.ts";
import type { ReadModel } from "../../read-model.ts";
import type { StreamConnection } from "../stream-connection.ts";
import {
  accountUpdateText,
  algoUpdateText,
  futuresSnapshotText,
  leverageUpdateText,
  moneyUpdateText,
  orderUpdateText,
} from "./futures-user-texts.ts";
import {
  balanceUpdateText,
  executionReportText,
  listStatusText,
  positionText,
  spotSnapshotText,
} from "./spot-user-texts.ts";
import type { UserUpdate } from "./user-update.ts";

/** One connection's subscription to a feed. */
export interface UserSubscription {
  readonly connection: StreamConnection;
  readonly feed: UserFeed;
  /** The API key with which the subscription was opened. The subscription ends when this key is revoked. */
  readonly keyId: number;
  /** Converts a frame to the connection's format. */
  wrap(text: string): string | Uint8Array;
  /** Number of the last frame passed to the socket. */
  sentSeq: number;
}

interface UserFrame {
  readonly seq: number;
  readonly text: string;
  /**
   * True for an additional frame (balances and positions, ALGO_UPDATE, or listStatus). It has the number of the update
   * whose frame it follows. A client that resumes from this number is sent the additional frame again, because its connection may
   * have broken between the two frames.
   */
  readonly isState: boolean;
}

export class UserFeed {
  readonly account: number;
  readonly surface: MarketKind;
  readonly subscriptions = new Set<UserSubscription>();
  /** Time at which the last subscriber left, in milliseconds; 0 while there are subscribers. */
  idleSinceMs = 0;
  readonly #model: ReadModel;
  #pending: UserUpdate[] = [];
  #frames: UserFrame[] = [];
  /** Every frame from this number on is stored. */
  #keptFrom: number;
  #seq: number;

  constructor(account: number, surface: MarketKind, model: ReadModel, seq: number) {
    this.account = account;
    this.surface = surface;
    this.#model = model;
    this.#keptFrom = seq + 1;
    this.#seq = seq;
  }

  /** Number of the newest frame. */
  get seq(): number {
    return this.#seq;
  }

  /** Queues an update; returns true if it is the first in the queue. */
  add(update: UserUpdate): boolean {
    return this.#pending.push(update) === 1;
  }

  /** Turns the queued updates into frames and sends them. */
  flush(nowMs: number): void {
    if (this.#pending.length === 0) return;
    const updates = this.#pending;
    this.#pending = [];
    const isSpot = this.surface === MarketKind.spot;
    for (const update of updates) {
      this.#seq = update.seq;
      const text = isSpot ? this.#spotText(update, nowMs) : this.#futuresText(update, nowMs);
      this.#emit(text, false);
      const beside = isSpot ? this.#listText(update, nowMs) : this.#algoText(update, nowMs);
      if (beside !== "") this.#emit(beside, true);
    }
    const after = isSpot
      ? this.#spotPosition(updates, nowMs)
      : this.#futuresAccount(updates, nowMs);
    if (after !== "") this.#emit(after, true);
  }

  /**
   * Sends the frames after the update `seq`, or a snapshot if these frames are not stored any more. The additional
   * frames with the number `seq` are sent too, because the connection may have broken before the client received them.
   */
  resume(subscription: UserSubscription, seq: number, nowMs: number): void {
    this.flush(nowMs);
    if (seq >= this.#keptFrom && seq <= this.#seq) {
      for (const frame of this.#frames) {
        if (frame.seq > seq || (frame.seq === seq && frame.isState))
          this.#send(subscription, frame);
      }
      return;
    }
    const query = { account: this.account, seq: this.#seq, after: seq };
    const snapshot = this.surface === MarketKind.spot ? spotSnapshotText : futuresSnapshotText;
    const text = snapshot(query, this.#model, nowMs);
    this.#send(subscription, { seq: this.#seq, text, isState: true });
  }

  #spotText(update: UserUpdate, nowMs: number): string {
    const { table } = this.#model.state;
    if (update.kind === "order") {
      return executionReportText(update, table.market(update.order.market), nowMs);
    }
    if (update.kind === "freed") {
      const query = { account: this.account, assets: [update.asset], seq: update.seq };
      return positionText(query, this.#model, nowMs);
    }
    return update.kind === "money" ? balanceUpdateText(update, this.#model, nowMs) : "";
  }

  #futuresText(update: UserUpdate, nowMs: number): string {
    const { table } = this.#model.state;
    switch (update.kind) {
      case "order":
        return orderUpdateText(update, table.market(update.order.market), nowMs);
      case "money":
        return moneyUpdateText(this.account, update, this.#model, nowMs);
      case "leverage":
        return leverageUpdateText(update, this.#model, nowMs);
      case "freed":
        throw new AssertionFailure("an update about freed money must belong to the spot surface");
    }
  }

  /** The additional frame of an update that ended the acceptance of a list, or the list itself. */
  #listText(update: UserUpdate, nowMs: number): string {
    if (update.kind !== "order" || update.list === undefined) return "";
    const market = this.#model.state.table.market(update.order.market);
    return listStatusText(update, update.list, market, nowMs);
  }

  /** The additional frame of a conditional order's update, for clients of the algo service. */
  #algoText(update: UserUpdate, nowMs: number): string {
    if (update.kind !== "order") return "";
    const market = this.#model.state.table.market(update.order.market);
    return algoUpdateText(update, market, nowMs);
  }

  #spotPosition(updates: readonly UserUpdate[], nowMs: number): string {
    const assets = new Set<number>();
    for (const update of updates) {
      if (update.kind === "money") assets.add(update.asset);
      else if (update.kind === "order") {
        const { base, quote } = this.#model.state.table.market(update.order.market);
        if (base !== null) assets.add(base.id);
        assets.add(quote.id);
      }
    }
    if (assets.size === 0) return "";
    const query = { account: this.account, assets, seq: this.#seq };
    return positionText(query, this.#model, nowMs);
  }

  #futuresAccount(updates: readonly UserUpdate[], nowMs: number): string {
    const markets = new Set<number>();
    for (const update of updates) {
      if (update.kind === "order" && update.fill !== null) markets.add(update.order.market);
    }
    if (markets.size === 0) return "";
    const tsUs = updates.at(-1)?.tsUs ?? 0;
    const query = { account: this.account, markets, seq: this.#seq, tsUs };
    return accountUpdateText(query, this.#model, nowMs);
  }

  #emit(text: string, isState: boolean): void {
    const frame = { seq: this.#seq, text, isState };
    this.#frames.push(frame);
    if (this.#frames.length > 2 * userFramesKept) this.#forget();
    for (const subscription of this.subscriptions) this.#send(subscription, frame);
  }

  /** Drops the older half of the frames. Frames with the same number are dropped together. */
  #forget(): void {
    const from = this.#frames[userFramesKept]?.seq ?? this.#seq;
    this.#frames = this.#frames.filter(({ seq }) => seq >= from);
    this.#keptFrom = from;
  }

  /** Sends a frame. A connection that reads too slowly is sent nothing; it resumes when its backlog is empty. */
  #send(subscription: UserSubscription, { seq, text }: UserFrame): void {
    const { connection } = subscription;
    if (connection.isBehind) return;
    connection.send(subscription.wrap(text));
    if (!connection.isBehind) subscription.sentSeq = seq;
  }
}
