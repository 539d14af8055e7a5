// The open sessions of the account.

import { requestOwn } from "./session.ts";
import { VenueFault } from "./venue-api.ts";

export interface Login {
  readonly id: string;
  readonly opened_at: string;
  readonly expires_at: string;
  readonly is_current: boolean;
}

const path = "/v1/wallet/sessions";

/** Returns the open sessions, newest first. */
export async function readLogins(): Promise<readonly Login[]> {
  return (await requestOwn<{ sessions: Login[] }>("GET", path)).sessions;
}

/** Ends a session; one that has ended meanwhile is no error. */
export async function endSession(id: string): Promise<void> {
  await requestOwn("DELETE", `${path}/${id}`).catch((fault: unknown) => {
    if (!(fault instanceof VenueFault && fault.status === 404)) throw fault;
  });
}
