// When a leader that serves gateways gives the lease up because it has lost the bus. Gateways have no leader then,
// although a follower could lead them; without a follower that is connected, the leader goes on for its own clients.
//
// Both ends wait for the same time, so that nothing changes hands when the bus itself was away: if it comes back, the
// leader is connected long before a follower counts as connected. A leader counts from when it began to lead at the
// earliest, so two venues whose connections come and go do not hand the lease to and fro.

/**
 * Time in ms without a connection to the bus after which a leader looks for another one, and with a connection after which
 * a follower may be that one. Longer than a connection to a server that lives takes.
 */
export const busSteadyMs = 3_000;

/** True for a follower that may take over from a leader without a bus; `connectedMs` is null without a connection. */
export function isSteady(connectedMs: number | null): boolean {
  return connectedMs !== null && connectedMs >= busSteadyMs;
}

/** True for a leader that should hand over; `awayMs` is null while it is connected, and without a bus. */
export function shouldYield(awayMs: number | null, ledMs: number): boolean {
  return awayMs !== null && Math.min(awayMs, ledMs) >= busSteadyMs;
}
