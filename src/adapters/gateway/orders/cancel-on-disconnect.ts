// Checks the parameter by which an order asks to be cancelled when its connection is lost, or to stay.

import { notDeclared, refused } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";

/** Refuses an order that asks to be cancelled with its connection, if that has declared nothing for the account. */
export function checkDeclared(
  { connections }: Pick<HttpCall, "connections">,
  account: number,
): void {
  if (connections?.get(account) === undefined) refused(notDeclared);
}
