// POST /v1/wallet/enroll and GET /v1/wallet/enrollment: a standard account becomes wallet-funded, and its spot wallet
// mirrors the party named by its key. The change is one event; the settlement thread then binds the party to the
// account and proposes the contract MemberAuth, by which the party authorises the operator.
//
//   none ──enroll──▶ pending ──MemberAuth seen──▶ active ──archived──▶ revoked ──seen again──▶ active

import { emptyBody } from "../../../../../schemas/http/native.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import type { WalletUser } from "../../../../ports/access/session-store.ts";
import type { MemberRecord } from "../../../../ports/ledger/member-reader.ts";
import { partyIdOf } from "../../../../services/access/party-id.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { nativeFaults } from "../error-map.ts";
import { refusalOf, submitCommand } from "../native-context.ts";

interface Enrollment {
  readonly status: "none" | "pending" | "active" | "revoked";
  readonly partyId: string | null;
}

interface EnrollmentRows {
  readonly member: MemberRecord | null;
  readonly user: WalletUser | null;
}

class Enrollments {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  /** Enrolls the account; a repeated request returns the progress of the first one. */
  async enroll(account: number): Promise<Outcome> {
    const { bridge, model, hasLedger } = this.#context;
    if (!hasLedger) return nativeFaults.noLedger;
    // The rows are read before the command is sent, so that the answer needs no read afterwards.
    const rows = await this.#rows(account);
    if (!model.state.accounts.isWallet(account)) {
      const answer = await submitCommand(bridge, { kind: CommandKind.bindWallet, account });
      const isBound = model.state.accounts.isWallet(account);
      const refusal = refusalOf(answer);
      if (refusal !== undefined && !isBound) return refusal;
    }
    const { status, partyId } = this.#enrollment(account, rows);
    return JSON.stringify({ status, party_id: partyId });
  }

  async show(account: number): Promise<Outcome> {
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

/** The routes of enrollment and its progress. */
export const enrollmentRoutes = routeGroup((context) => new Enrollments(context))([
  sessionRoute("POST /v1/wallet/enroll", {
    summary: "Makes the account wallet-funded, permanently.",
    body: emptyBody,
    faults: {
      409: "The spot wallet is not empty, or has orders or withdrawals.",
      503: "The ledger network is unreachable; nothing was done.",
    },
    isRepeatable: true,
    // A second account, because enrolling needs an empty spot wallet.
    exampleLine: "TOKEN=$(verify enrolled | field .token) own POST /v1/wallet/enroll '{}'",
    answer: (enrollments, _, __, { account }) => enrollments.enroll(account),
  }),
  sessionRoute("GET /v1/wallet/enrollment", {
    summary: "Enrollment progress.",
    answer: (enrollments, _, __, { account }) => enrollments.show(account),
  }),
]);
