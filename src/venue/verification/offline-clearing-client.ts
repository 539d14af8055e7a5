// Executes commands on this thread while no venue runs, each in its own commit batch. The state is recovered as at a start,
// and the same engine decides as in a running venue.

import { present } from "../../core/assert.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { eventBytesMax } from "../../core/limits.ts";
import type { MarketTable } from "../../core/markets.ts";
import { restoreState, type VenueSnapshot } from "../../engine/state/snapshot/venue-snapshot.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import { VenueMachine } from "../../engine/venue-machine.ts";
import type { ClearingClient, UnstampedCommand } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import type { Log } from "../../ports/log.ts";
import { Projection } from "../../services/journal/projection.ts";
import { encodeEvent, eventBytes } from "../../wire/generated/event-codec.ts";
import { createRecordViews } from "../../wire/records/record-views.ts";
import { unpackSnapshot } from "../../wire/snapshot-codec.ts";
import { recoverSeed } from "../recovery.ts";

const deadlineUs = 60_000_000;

export class OfflineClearingClient implements ClearingClient {
  readonly #store: EventStore;
  readonly #clock: Pick<Clock, "nowUs">;
  readonly #projection: Projection;
  readonly #machine: VenueMachine;
  readonly #scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
  readonly #bodies: Uint8Array[] = [];
  readonly #replies: Reply[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  /** Recovers the state of `store`, which must be the writer. Commands have the time of `clock`. */
  static async open(
    store: EventStore,
    table: MarketTable,
    clock: Pick<Clock, "nowUs">,
    log: Log,
  ): Promise<OfflineClearingClient> {
    const seed = await recoverSeed(store, table, { projectionIntervalMs: 0 }, log);
    const open = () => restoreState(table, unpackSnapshot(seed.bytes) as VenueSnapshot);
    const projection = new Projection(open(), 0);
    projection.takeOver(seed.unwritten, 0);
    return new OfflineClearingClient(store, projection, open(), clock);
  }

  private constructor(
    store: EventStore,
    projection: Projection,
    live: VenueState,
    clock: Pick<Clock, "nowUs">,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#projection = projection;
    this.#machine = new VenueMachine({
      state: live,
      onEvent: (event) => this.#take(event),
      onReply: (reply) => this.#replies.push({ ...reply }),
    });
  }

  get seq(): number {
    return this.#projection.state.seq;
  }

  send(command: UnstampedCommand): Promise<Reply> {
    const answer = this.#turn.then(async () => {
      const atUs = this.#clock.nowUs();
      const stamp = { source: 0, correlation: 0, atUs, deadlineUs: atUs + deadlineUs };
      this.#machine.handle({ ...command, ...stamp });
      await this.#commit();
      return present(this.#replies.shift(), "the reply to a command");
    });
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  /** Writes all pending rows. */
  async settle(): Promise<void> {
    await this.#turn;
    while (this.#projection.hasPendingRows) await this.#commit();
  }

  #take(event: VenueEvent): void {
    const length = eventBytes(event);
    encodeEvent(this.#scratch, 0, event);
    this.#bodies.push(this.#scratch.u8.slice(0, length));
    this.#projection.fold(event, length, 0);
  }

  async #commit(): Promise<void> {
    const bytes = Buffer.concat(this.#bodies.splice(0));
    await this.#store.appendBatch(this.#projection.close(bytes, Number.POSITIVE_INFINITY));
  }
}
