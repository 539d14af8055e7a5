// Stores the development ledger's parties, its users, and the users' rights to act and read as parties. All of this is
// one value, which is written with each commit.

import { createHash } from "node:crypto";
import type { Party } from "../ports/ledger/ledger.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

export interface PartyRecord {
  readonly party: Party;
  /** Ed25519 key of an external party in base64; null for a hosted party. */
  readonly publicKey: string | null;
  /** True if the party has a hosted wallet, which accepts the venue's proposals. */
  readonly hasWallet: boolean;
  /** True if the party's owner revoked the venue's authority: proposals stay pending until the owner gives it again. */
  readonly declines?: boolean;
}

export interface UserRights {
  readonly actAs: Party[];
  readonly readAs: Party[];
  isAdmin: boolean;
  readsAll: boolean;
}

export interface UsersState {
  readonly namespace: string;
  readonly parties: Record<Party, PartyRecord>;
  readonly users: Record<string, UserRights>;
}

const hintForm = /^[A-Za-z0-9_-]{1,100}$/;
const userForm = /^[A-Za-z0-9._@-]{1,100}$/;
const partiesMax = 100_000;

export class LedgerUsers {
  readonly state: UsersState;

  constructor(state: UsersState) {
    this.state = state;
  }

  static fresh(seed: Uint8Array): UsersState {
    const namespace = createHash("sha256").update(seed).digest("hex");
    return { namespace: `1220${namespace}`, parties: {}, users: {} };
  }

  /** Creates a hosted party; refused if the party exists. */
  host(hint: string): Party {
    if (!hintForm.test(hint))
      throw new LedgerRefusal("INVALID_ARGUMENT", `partyIdHint: expected ${hintForm.source}`);
    return this.register({
      party: `${hint}::${this.state.namespace}`,
      publicKey: null,
      hasWallet: false,
    });
  }

  register(record: PartyRecord): Party {
    const { parties } = this.state;
    if (Object.hasOwn(parties, record.party))
      throw new LedgerRefusal("PARTY_ALREADY_EXISTS", `${record.party} exists`);
    if (Object.keys(parties).length >= partiesMax)
      throw new LedgerRefusal("INVALID_ARGUMENT", `at most ${partiesMax} parties`);
    parties[record.party] = record;
    return record.party;
  }

  /** Binds the key that signs for a party; refused if the party's id is not derived from that key. */
  bindKey(party: Party, publicKey: string): void {
    const known = this.party(party);
    if (known === undefined) throw new LedgerRefusal("PARTY_NOT_FOUND", `no party ${party}`);
    const raw = Buffer.from(publicKey, "base64");
    const purpose = Buffer.from([0, 0, 0, 12]);
    const fingerprint = createHash("sha256").update(purpose).update(raw).digest("hex");
    if (!party.endsWith(`::1220${fingerprint}`))
      throw new LedgerRefusal("INVALID_ARGUMENT", `${party} is not the party of this key`);
    this.state.parties[party] = { ...known, publicKey };
  }

  /** Sets whether the wallet of `party` leaves proposals pending; does nothing for an unknown party. */
  decline(party: Party, declines: boolean): void {
    const known = this.party(party);
    if (known !== undefined) this.state.parties[party] = { ...known, declines };
  }

  party(party: Party): PartyRecord | undefined {
    return Object.hasOwn(this.state.parties, party) ? this.state.parties[party] : undefined;
  }

  user(userId: string): UserRights {
    if (!userForm.test(userId))
      throw new LedgerRefusal("INVALID_ARGUMENT", "userId: expected a user id");
    const { users } = this.state;
    const known = Object.hasOwn(users, userId) ? users[userId] : undefined;
    if (known !== undefined) return known;
    const made = { actAs: [], readAs: [], isAdmin: false, readsAll: false };
    users[userId] = made;
    return made;
  }

  grantActAs(userId: string, party: Party): void {
    const { actAs } = this.user(userId);
    if (!actAs.includes(party)) actAs.push(party);
  }

  grantReadAs(userId: string, party: Party): void {
    const { readAs } = this.user(userId);
    if (!readAs.includes(party)) readAs.push(party);
  }

  checkActAs(userId: string, parties: readonly Party[]): void {
    const { actAs } = this.user(userId);
    const missing = parties.find((party) => !actAs.includes(party));
    if (missing !== undefined)
      throw new LedgerRefusal("PERMISSION_DENIED", `${userId} may not act as ${missing}`);
  }

  checkReadAs(userId: string, parties: readonly Party[]): void {
    const { actAs, readAs, readsAll } = this.user(userId);
    if (readsAll) return;
    const missing = parties.find((party) => !actAs.includes(party) && !readAs.includes(party));
    if (missing !== undefined)
      throw new LedgerRefusal("PERMISSION_DENIED", `${userId} may not read as ${missing}`);
  }

  checkAdmin(userId: string): void {
    if (!this.user(userId).isAdmin)
      throw new LedgerRefusal("PERMISSION_DENIED", `${userId} is not a participant admin`);
  }
}
