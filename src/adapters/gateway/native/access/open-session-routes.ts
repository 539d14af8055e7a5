// The open sessions of a user: list them, and end any of them. Like a log-out, ending a session is one event, after which
// every front refuses its token and its key. Spec SES-19 to SES-21.

import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../../../core/ids/public-id.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { nativeFaults } from "../error-map.ts";
import { afterwards, isoOfMs, refusalOf, submitCommand } from "../native-context.ts";

class OpenSessions {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  /** The sessions of the caller's account, newest first. */
  list({ account, sessionId: own }: SessionState): Outcome {
    const { model, openSessions, limiter } = this.#context;
    const { sessions: all } = model.state;
    const open = all.ofAccount(account).filter((session) => this.#isOpen(session));
    const sessions = open.reverse().map((session) => {
      const { sessionId } = session;
      const { device = "", address = "" } = openSessions.originOf(sessionId) ?? {};
      const [openedMs, usedMs] = [this.#openedMs(session), limiter.lastUseMs(sessionId)];
      // An earlier minute is that of a key or session of long ago with the same row of the rate limiter.
      const isOwnUse = usedMs !== null && usedMs + 60_000 > openedMs;
      return {
        id: this.#idOf(session),
        opened_at: isoOfMs(openedMs),
        expires_at: isoOfMs(session.expiresUs / 1000),
        is_current: sessionId === own,
        device: device === "" ? null : device,
        address: address === "" ? null : address,
        last_used_at: isOwnUse ? isoOfMs(usedMs) : null,
      };
    });
    return JSON.stringify({ sessions });
  }

  async end(account: number, id: string): Promise<Outcome> {
    const { model, bridge, sessions } = this.#context;
    const named = parsePublicId(PublicIdKind.session, id);
    const session = named === null ? undefined : model.state.sessions.get(named.number);
    const isOwn = session?.account === account && this.#idOf(session) === id.toLowerCase();
    if (session === undefined || !isOwn || !this.#isOpen(session))
      return nativeFaults.sessionUnknown;
    const { sessionId } = session;
    const command = { kind: CommandKind.closeSession, account, sessionId } as const;
    const refusal = refusalOf(await submitCommand(bridge, command));
    if (refusal !== undefined) return refusal;
    // The event has already closed the session. A row that could not be deleted expires on its own.
    afterwards(this.#context, sessions.removeSession(sessionId));
    return null;
  }

  #isOpen({ expiresUs }: SessionState): boolean {
    return expiresUs > this.#context.clock.nowMs() * 1000;
  }

  /** Made of the session's end, which is journaled, so that every process gives a session the same id. */
  #idOf({ sessionId, expiresUs }: SessionState): string {
    return publicId(PublicIdKind.session, sessionId, expiresUs / 1000);
  }

  /** A session has its end only; it began its lifetime before that, if SESSION_MS has not changed since. */
  #openedMs({ expiresUs }: SessionState): number {
    return expiresUs / 1000 - this.#context.sessionMs;
  }
}

/** The routes of a user's open sessions. */
export const openSessionRoutes = routeGroup((context) => new OpenSessions(context))([
  sessionRoute("GET /v1/wallet/sessions", {
    summary: "The user's open sessions, newest first.",
    answer: (open, _, __, session) => open.list(session),
  }),
  sessionRoute("DELETE /v1/wallet/sessions/{id}", {
    summary: "Ends a session of the user and revokes its key.",
    faults: { 404: "The user has no such session." },
    exampleName: "$(verify me > /dev/null && own GET /v1/wallet/sessions | field .sessions[0].id)",
    isByUuid: true,
    isSilent: true,
    answer: (open, _, { id }, { account }) => open.end(account, id),
  }),
]);
