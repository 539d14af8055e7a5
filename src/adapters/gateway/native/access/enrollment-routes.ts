// POST /v1/wallet/enroll and GET /v1/wallet/enrollment: a standard account becomes wallet-funded, its spot
// wallet the mirror of the party that its key names. The change is one event; the settlement thread then
// binds the party and proposes MemberAuth to it.
//
//   none ──enroll──▶ pending ──MemberAuth seen──▶ active ──archived──▶ revoked ──seen again──▶ active

import { emptyBody } from "../../../../../schemas/http/native.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { WalletUser } from "../../../../ports/access/session-store.ts";
import type { MemberRecord } from "../../../../ports/ledger/member-reader.ts";
import { partyIdOf } from "../../../../services/access/party-id.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import {
  answerWith,
  askClearing,
  type NativeContext,
  type Outcome,
  refusalOf,
} from "../native-context.ts";
import { type NativeRoute, sessionRoute } from "../native-route.ts";
import { bodyReader } from "../read-body.ts";

const readNothing = bodyReader(emptyBody);

interface Enrollment {
  readonly status: "none" | "pending" | "active" | "revoked";
  readonly partyId: string | null;
}

interface EnrollmentRows {
  readonly member: MemberRecord | null;
  readonly user: WalletUser | null;
}

class EnrollmentRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  enroll(call: HttpCall, { account }: SessionState): void {
    if (readNothing(call) !== null) answerWith(this.#context, call, this.#enroll(account));
  }

  show(call: HttpCall, { account }: SessionState): void {
    answerWith(this.#context, call, this.#show(account));
  }

  /** Asked again, it answers how far the first went. */
  async #enroll(account: number): Promise<Outcome> {
    const { bridge, model, hasLedger } = this.#context;
    if (!hasLedger) return nativeFaults.noLedger;
    // Read before anything is done, so that no row is needed once it is.
    const rows = await this.#rows(account);
    if (!model.state.accounts.isWallet(account)) {
      const answer = await askClearing(bridge, { kind: CommandKind.bindWallet, account });
      const isBound = model.state.accounts.isWallet(account);
      const refusal = refusalOf(answer);
      if (refusal !== undefined && !isBound) return refusal;
    }
    const { status, partyId } = this.#enrollment(account, rows);
    return JSON.stringify({ status, party_id: partyId });
  }

  async #show(account: number): Promise<Outcome> {
    const { status, partyId } = this.#enrollment(account, await this.#rows(account));
    const frozen = this.#context.model.state.accounts.isFrozen(account);
    return JSON.stringify({ status, party_id: partyId, frozen });
  }

  async #rows(account: number): Promise<EnrollmentRows> {
    const { members, sessions } = this.#context;
    const member = await members.memberOf(account);
    const user = member === null ? await sessions.userOf(account) : null;
    return { member, user };
  }

  #enrollment(account: number, { member, user }: EnrollmentRows): Enrollment {
    const { accounts } = this.#context.model.state;
    const own = user === null ? null : partyIdOf(user.partyHint, user.fingerprint);
    const partyId = member?.party ?? own;
    if (!accounts.isWallet(account)) return { status: "none", partyId };
    if (accounts.has(account, AccountFlag.enrolled)) return { status: "active", partyId };
    return { status: member?.wasActive === true ? "revoked" : "pending", partyId };
  }
}

/** Becoming wallet-funded, and how far that is. */
export function enrollmentRoutes(context: NativeContext): NativeRoute[] {
  const routes = new EnrollmentRoutes(context);
  return [
    sessionRoute("POST /v1/wallet/enroll", (call, _, session) => routes.enroll(call, session)),
    sessionRoute("GET /v1/wallet/enrollment", (call, _, session) => routes.show(call, session)),
  ];
}
