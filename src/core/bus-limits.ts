// Limits of the bus between gateways and the leader. Both sides use the same ones.

import { assert } from "./assert.ts";
import { connectionOwnerLostMs } from "./connection-limits.ts";

/** Longest message between a gateway and the leader. NATS servers refuse more than 1 MiB by default. */
export const busMessageBytesMax = 2 ** 18;

/** Gateway threads that one leader serves: each has two rings, which clearing looks at in every cycle. */
export const gatewaySlotsMax = 32;

/** Time in ms after which a gateway takes a leader that sends nothing for lost, and sends it no further commands. */
export const leaderLostMs = 1000;

/**
 * Time in ms without a connection to the bus after which a gateway tells balancers to use others. A connection that is
 * lost while its server lives is replaced sooner.
 */
export const busLostMs = 2000;

/** Time in ms between two messages of a leader that has nothing to send. */
export const leaderSignMs = 100;

/** Time in ms after which a leader gives the slot of a gateway that sends nothing to another one. */
export const gatewayLostMs = 10_000;

/**
 * Time in ms between two messages of a gateway that has nothing to send. A gateway that serves order connections loses
 * them after `connectionOwnerLostMs` of silence.
 */
export const gatewaySignMs = 200;

/**
 * Time in ms after which a gateway sends its unanswered commands again. A leader that has them does nothing; a lost
 * message, or a lost reply, is repaired long before the deadline of its request.
 */
export const resendMs = 1000;

/** Bytes of groups that a gateway keeps while it reads missing events; more are read from the journal too. */
export const groupsHeldBytesMax = 2 ** 25;

/** Events that a gateway reads from the journal at once to fill a gap. */
export const gapEventsMax = 65_536;

assert(
  leaderSignMs * 3 < leaderLostMs &&
    gatewaySignMs * 3 < gatewayLostMs &&
    gatewaySignMs * 3 < connectionOwnerLostMs,
  "a few lost signs of life must not look like a lost leader or gateway",
);
