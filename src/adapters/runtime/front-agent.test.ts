// Proves that a front tells nobody anything while its venue's lease has run out, even if the journal had passed it on
// before: the process may have been paused meanwhile. And that it answers nothing older than what was committed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyCredited } from "../../core/generated/events.ts";
import { emptyReply } from "../../core/generated/messages.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { encodeEvent, eventBytes } from "../../wire/generated/event-codec.ts";
import { encodeReply, replyBytes } from "../../wire/generated/message-codec.ts";
import { LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { FrontAgent } from "./front-agent.ts";

test("LDR-8 an answer that waits in a front's ring is passed on only while the lease is valid", () => {
  const memory = SpscRing.allocate(4096);
  const journal = new SpscRing(memory);
  const lease = new LeaseBuffer(LeaseBuffer.allocate());
  const counters = new CountersBuffer(CountersBuffer.allocate(1));
  const answered: number[] = [];
  let nowMs = 1_000;
  const front = new FrontAgent({
    ...{ roleName: "front-0", ring: new SpscRing(memory), counters, seq: 0 },
    reader: {
      fold: () => undefined,
      reply: ({ correlation }) => answered.push(correlation),
    },
    mayAcknowledge: () => lease.mayAcknowledge(nowMs),
  });
  const pass = (correlation: number) => {
    encodeReply(journal, journal.tryClaim(replyBytes), { ...emptyReply(), correlation });
    journal.commit();
    journal.publish();
  };
  lease.setRole(VenueRole.leading);
  lease.renewed(1_000, 1_500);
  pass(1);
  assert.equal(front.doWork(), 1);
  pass(2);
  // The process is paused here, and wakes when another venue may lead.
  nowMs = 1_500;
  assert.equal(front.hasWork(), false, "it sleeps until it is woken");
  assert.equal(front.doWork(), 0);
  counters.storeCommittedSeq(1);
  front.catchUp();
  assert.deepEqual(answered, [1]);
  // A renewal that succeeds later: nobody has led meanwhile.
  lease.renewed(1_550, 2_050);
  assert.equal(front.hasWork(), true);
  assert.equal(front.doWork(), 1);
  assert.deepEqual(answered, [1, 2]);
});

test("RTY-1 a front waits for what is committed, even if the journal's thread has lost its processor before it passes it on", () => {
  const memory = SpscRing.allocate(4096);
  const journal = new SpscRing(memory);
  const counters = new CountersBuffer(CountersBuffer.allocate(1));
  const folded: number[] = [];
  const event = { ...emptyCredited(), seq: 1 };
  const beganMs = performance.now();
  let isPassedOn = false;
  const passOnLate = () => {
    if (isPassedOn || performance.now() - beganMs < 300) return;
    isPassedOn = true;
    encodeEvent(journal, journal.tryClaim(eventBytes(event)), event);
    journal.commit();
    journal.publish();
  };
  const front = new FrontAgent({
    ...{ roleName: "front-0", ring: new SpscRing(memory), counters, seq: 0 },
    reader: { fold: ({ seq }) => folded.push(seq), reply: () => undefined },
    mayAcknowledge: () => {
      passOnLate();
      return true;
    },
  });
  counters.storeCommittedSeq(1);
  front.catchUp();
  assert.deepEqual(folded, [1]);
});
