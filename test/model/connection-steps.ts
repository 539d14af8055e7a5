// What orders carry besides their terms in a random day of a venue: leverage, idempotency key, and the connection that
// sent them; and declarations and losses of order connections that cancel on disconnect.

import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import type { OrderAttachments } from "../../src/core/orders.ts";
import type { Draft, TestVenue } from "../support/machine/test-venue.ts";

type Scene = Pick<TestVenue, "state">;

/** Returns the number of an open connection of the account if it has one; else of none, or of one that has ended. */
export function connectionOf({ state }: Scene, account: number, choice: number): number {
  const own = [...state.connections.all()].filter((one) => one.account === account);
  const one = own[choice % Math.max(own.length, 1)];
  return one?.connectionId ?? (choice % 61 === 0 ? state.connections.issued : 0);
}

/** Returns the attachment of an order that was sent over a connection: one in six of those that could be. */
export function connectedTo(venue: Scene, account: number, how: number): OrderAttachments | null {
  const connection = how % 6 === 0 ? connectionOf(venue, account, how >> 4) : 0;
  return connection === 0 ? null : { key: null, leverage: 0, connection };
}

/** Declares a connection, or ends one of the account, usually because it is lost. */
export function connectionCommandOf(venue: Scene, account: number, much: number): Draft<Command> {
  if (much % 3 === 0) return { kind: CommandKind.openConnection, account, keyId: much % 30 };
  const connectionId = connectionOf(venue, account, much);
  const keepsOrders = much % 5 === 0;
  return { kind: CommandKind.endConnection, account, connectionId, keepsOrders };
}

/**
 * Ends all connections, and lets time pass. How long those who serve connections have been silent is no part of the state:
 * a restored venue counts it anew.
 */
export function endConnections(venue: TestVenue): void {
  for (const { account, connectionId } of [...venue.state.connections.all()])
    venue.done({ kind: CommandKind.endConnection, account, connectionId, keepsOrders: true });
  venue.nowUs += 1_000_000;
}

/** Returns an order's attachments: usually none, else a leverage, an idempotency key that often repeats, or both. */
export function attachedTo(much: number, name: number): OrderAttachments | null {
  if (name % 6 !== 0) return null;
  const low = BigInt((name >> 3) % 500) * 0x9e3779b97f4a7c15n;
  const key = { high: 1n, low: BigInt.asIntN(64, low), payload: BigInt(much) };
  return { key: name % 4 === 0 ? null : key, leverage: much % 3 === 0 ? much % 104 : 0 };
}
