// Limits of order connections that cancel on disconnect, with their reasons.

import { assert } from "./assert.ts";
import { cancelCreditsMax } from "./limits.ts";

/** Order connections of the venue that cancel on disconnect: more than its fronts hold sockets of makers. */
export const connectionsMax = 16_384;

/** Order connections of one account that cancel on disconnect: several for each market. */
export const connectionsPerAccountMax = 256;

/** Accounts for which one order connection may declare that it cancels on disconnect: a firm with its sub-accounts. */
export const accountsPerConnectionMax = 16;

/**
 * Time in ms after which a gateway that gives no sign of life has lost its connections. The venue promises a second; the
 * rest is for the clock tick that notices it, and for its commit.
 */
export const connectionOwnerLostMs = 800;

/**
 * The same for a front of the venue itself. A front whose thread ends takes the venue with it, so only one that hangs is
 * silent; a long pause of a busy one must not cost its clients their orders.
 */
export const frontLostMs = 3_000;

/**
 * Time in ms for which a new leader waits for the gateways that serve connections, before it takes those it has not
 * heard for lost. Until then it accepts no orders. A gateway hears a new leader within a tenth of a second.
 */
export const connectionOwnerReturnMs = 2_500;

/** Cancels in flight for lost connections: fewer than the credits, so that clearing goes on to take commands. */
export const lostCancelsMax = 128;

/** Shortest and longest heartbeat interval that an order connection may choose, in ms. */
export const heartbeatMsMin = 500;
export const heartbeatMsMax = 60_000;

assert(lostCancelsMax < cancelCreditsMax, "cancels of lost orders must leave credits to commands");
