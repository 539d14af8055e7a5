// The open sessions of the account.

import { requestOwn } from "./session.ts";
import { VenueFault } from "./venue-api.ts";

export interface Login {
  readonly id: string;
  readonly opened_at: string;
  readonly expires_at: string;
  readonly is_current: boolean;
  /** As the client of the log-in called itself; null if that says nothing. */
  readonly device: string | null;
  readonly address: string | null;
  /** The minute of the last request; null if there was none since the venue was started. */
  readonly last_used_at: string | null;
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
