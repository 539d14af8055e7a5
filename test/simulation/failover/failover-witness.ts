// Checks a failover run. While it runs: no epoch acknowledges after its successor's first acknowledgement. At the end: no
// acknowledged command is lost, none was executed twice, the journal is one gapless order of events, and venues and
// gateways have the state of that journal.

import assert from "node:assert/strict";
import { apply } from "../../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../../src/engine/state/venue-state.ts";
import { stateHash } from "../../../src/engine/state-hash.ts";
import { BusMessageReader } from "../../../src/wire/bus-message.ts";
import { decodeCommand } from "../../../src/wire/generated/command-codec.ts";
import { orderClaimBytes } from "../../../src/wire/generated/message-codec.ts";
import { decodeEventBytes } from "../../../src/wire/records/event-bytes.ts";
import { auditCommands } from "../../model/command-audit.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import type { GatewaySeat } from "./gateway-seat.ts";
import type { SimulatedGateway } from "./simulated-gateway.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import type { SimulatedVenue } from "./simulated-venue.ts";

export class FailoverWitness {
  readonly #gateways: readonly GatewaySeat[];
  readonly #reader = new BusMessageReader();
  /** The newest epoch that has acknowledged. */
  #epoch = 0;
  resent = 0;
  /** The last seq that any leader has announced as durable. */
  announcedSeq = 0;

  constructor(gateways: readonly GatewaySeat[]) {
    this.#gateways = gateways;
  }

  get #processes(): SimulatedGateway[] {
    return this.#gateways.flatMap(({ all }) => all);
  }

  /** Takes note of a message when it is sent. */
  sent(subject: string, bytes: Uint8Array): void {
    if (subject.includes(".replies.")) this.#replies(bytes);
    else if (subject.includes(".commands.")) this.#commands(bytes);
    else if (subject.endsWith(".groups")) this.#groups(bytes);
  }

  #groups(bytes: Uint8Array): void {
    this.#reader.open(bytes);
    this.announcedSeq = Math.max(this.announcedSeq, this.#reader.header.durableSeq);
  }

  #replies(bytes: Uint8Array): void {
    this.#reader.open(bytes);
    const { epoch, count } = this.#reader.header;
    if (count === 0) return;
    assert(epoch >= this.#epoch, "An epoch must not acknowledge after its successor");
    this.#epoch = epoch;
  }

  #commands(bytes: Uint8Array): void {
    const reader = this.#reader;
    reader.open(bytes);
    const { incarnation } = reader.header;
    const gateway = this.#processes.find((one) => one.incarnation === incarnation);
    for (let at = reader.next(); at >= 0; at = reader.next()) {
      const { correlation, identity = null } = decodeCommand(
        reader.views,
        at + orderClaimBytes,
        reader.length - orderClaimBytes,
      );
      if (identity !== null && gateway?.handedOver(correlation, identity) === false) this.resent++;
    }
  }

  /** Call it when nothing is in flight and every venue and gateway has caught up. */
  judge(server: SimulatedServer, venues: readonly SimulatedVenue[]): void {
    const state = new VenueState(testMarkets);
    const journal = Array.from({ length: server.lastSeq }, (_, index) => {
      const bytes = server.eventAt(index + 1) ?? new Uint8Array();
      const event = decodeEventBytes(bytes, 0, bytes.length);
      assert.equal(event.seq, index + 1, "The journal must be one gapless order of events");
      apply(state, event);
      const stored = server.snapshots.get(event.seq)?.stateHash ?? null;
      assert(
        stored === null || stored === stateHash(state),
        "A stored snapshot must be a state of the journal",
      );
      return event;
    });
    const hash = stateHash(state);
    for (const gateway of this.#processes) this.#judgeGateway(gateway, server, hash);
    for (const { name, state: own } of venues) {
      assert(own !== null, `${name} must have a state`);
      assert.equal(stateHash(own), hash, `${name} must have the journal's state`);
    }
    const sent = this.#processes.flatMap((gateway) => [...gateway.sent.values()]);
    auditCommands(journal, sent);
  }

  /** A process that was killed has seen the journal up to some event. */
  #judgeGateway(gateway: SimulatedGateway, server: SimulatedServer, hash: string): void {
    const { name, events, startSeq, isDead, state, waiting } = gateway;
    const isSame = events.every((bytes, at) => isEqual(bytes, server.eventAt(startSeq + at + 1)));
    assert(isSame, `${name} must have been sent the events of the journal`);
    assert.equal(waiting, 0, `${name} must have told every client something`);
    if (isDead) return;
    assert.equal(startSeq + events.length, server.lastSeq, `${name} must have every event`);
    assert.equal(stateHash(state), hash, `${name} must have the journal's state`);
  }
}

function isEqual(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0;
}
