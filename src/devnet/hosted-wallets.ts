// Wallets that the development ledger hosts for parties, in place of wallets that the parties' owners would run. A
// hosted wallet preapproves payments, accepts the venue's proposals after a delay, receives coins from the faucet, and
// makes payments on request.

import type { JsonObject } from "../adapters/ledger/api-shapes.ts";
import { tokenInterfaces } from "../adapters/ledger/network-profile.ts";
import type { ContractId, Party } from "../ports/ledger/ledger.ts";
import type { Contract } from "./contract-template.ts";
import { type DevnetLedger, venueUser } from "./devnet-ledger.ts";
import { amountText, Fields } from "./fields.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";
import { holdingAmount, holdingTemplate, isLocked } from "./token/holding.ts";
import { preapprovalKey, preapprovalTemplate, rulesTemplate } from "./token/transfers.ts";
import { devnetTemplates } from "./venue/member-auth.ts";

/** Validity of a preapproval in ms: the network's default, 90 days. */
const preapprovalMs = 90 * 86_400_000;
const inputsMax = 100;

export class HostedWallets {
  readonly #ledger: DevnetLedger;
  readonly #onFault: (error: unknown) => void;

  constructor(ledger: DevnetLedger, onFault: (error: unknown) => void) {
    this.#ledger = ledger;
    this.#onFault = onFault;
    ledger.onCommitted((created) => {
      for (const contract of created) this.#consider(contract);
    });
    for (const contract of ledger.active) this.#consider(contract);
  }

  /**
   * Hosts a wallet for `party`, whose id may have been created elsewhere; idempotent. With `publicKey` the party can
   * sign prepared transactions itself.
   */
  async host(party: Party, publicKey: string | null = null): Promise<void> {
    const { users, queue } = this.#ledger;
    if (users.party(party) === undefined)
      users.register({ party, publicKey: null, hasWallet: true });
    if (publicKey !== null) users.bindKey(party, publicKey);
    users.grantReadAs(venueUser, party);
    await queue.saveUsers();
    await this.preapprove(party);
  }

  async preapprove(party: Party): Promise<void> {
    if (this.preapproval(party) !== null) return;
    const { clock, settings } = this.#ledger;
    const provider = this.#ledger.party("wallet-provider");
    const createArguments = {
      receiver: party,
      provider,
      instruments: settings.instruments.map(({ id }) => id),
      expiresAt: new Date(clock.now() + preapprovalMs).toISOString(),
    };
    await this.#ledger.act([party, provider], {
      CreateCommand: { templateId: preapprovalTemplate, createArguments },
    });
  }

  async withdrawPreapproval(party: Party): Promise<void> {
    const found = this.preapproval(party);
    if (found === null) return;
    const { contractId, templateId } = found;
    const choice = "TransferPreapproval_Cancel";
    await this.#ledger.exercise([party], templateId, contractId, choice, { by: party });
  }

  /**
   * Revokes the authority that the member gave the operator. From then on the member's wallet accepts no proposals, so
   * that the venue's next invitation does not enroll the member again.
   */
  async revokeAuthority(party: Party): Promise<void> {
    const { active, users, queue } = this.#ledger;
    users.decline(party, true);
    await queue.saveUsers();
    const found = active
      .of(party, devnetTemplates.memberAuth)
      .filter(({ payload }) => payload["member"] === party);
    for (const { contractId, templateId } of found)
      await this.#ledger.exercise([party], templateId, contractId, "MemberAuth_Revoke", {});
  }

  /** Lets the member's wallet accept proposals again, pending ones first. */
  async giveAuthority(party: Party): Promise<void> {
    const { active, users, queue } = this.#ledger;
    users.decline(party, false);
    await queue.saveUsers();
    for (const contract of active.of(party, devnetTemplates.memberAuthProposal))
      this.#consider(contract);
  }

  /** Returns the valid preapproval of `party` for incoming transfers, or null. */
  preapproval(party: Party): Contract | null {
    const { active, clock } = this.#ledger;
    const found = active
      .of(party, preapprovalTemplate)
      .filter(({ payload }) => payload["receiver"] === party);
    const now = clock.now();
    return found.find(({ payload }) => Date.parse(String(payload["expiresAt"])) > now) ?? null;
  }

  /** Mints a holding for `party`, which increases the supply. */
  async tap(party: Party, instrumentId: string, units: bigint): Promise<string> {
    const admin = this.#admin(instrumentId);
    const { contractId } = this.#rules(admin);
    const argument = { owner: party, id: instrumentId, amount: amountText(units) };
    const row = await this.#ledger.exercise(
      [admin, party],
      rulesTemplate,
      contractId,
      "TokenRules_Mint",
      argument,
    );
    return row.update_id;
  }

  /** Pays `units` from `from` to `to` directly on the ledger, without the venue. */
  async spend(given: {
    readonly from: Party;
    readonly to: Party;
    readonly instrumentId: string;
    readonly units: bigint;
    readonly reference: string;
  }): Promise<string> {
    const { from, to, instrumentId, units, reference } = given;
    const admin = this.#admin(instrumentId);
    const rules = this.#rules(admin);
    const preapproval = this.preapproval(to);
    const context: JsonObject =
      preapproval === null
        ? {}
        : { [preapprovalKey]: { tag: "AV_ContractId", value: preapproval.contractId } };
    const now = this.#ledger.clock.now();
    const choiceArgument = {
      expectedAdmin: admin,
      transfer: {
        sender: from,
        receiver: to,
        amount: amountText(units),
        instrumentId: { admin, id: instrumentId },
        requestedAt: new Date(now).toISOString(),
        executeBefore: new Date(now + 3_600_000).toISOString(),
        inputHoldingCids: this.#inputs(from, instrumentId, units),
        meta: { values: { "splice.lfdecentralizedtrust.org/reason": reference } },
      },
      extraArgs: { context: { values: context }, meta: { values: {} } },
    };
    const row = await this.#ledger.exercise(
      [from],
      tokenInterfaces.transferFactory,
      rules.contractId,
      "TransferFactory_Transfer",
      choiceArgument,
      preapproval === null ? [rules] : [rules, preapproval],
    );
    return row.update_id;
  }

  #admin(instrumentId: string): Party {
    const admin = this.#ledger.admin(instrumentId);
    if (admin !== null) return admin;
    throw new LedgerRefusal("NOT_FOUND", `no instrument ${instrumentId}`);
  }

  #rules(admin: Party): Contract {
    const rules = this.#ledger.rulesOf(admin);
    if (rules !== undefined) return rules;
    throw new LedgerRefusal("NOT_FOUND", `${admin} issues no instruments`);
  }

  /**
   * Chooses the holdings to spend: small ones first, which merges them, or large ones first if too many small ones
   * would be needed.
   */
  #inputs(owner: Party, instrumentId: string, units: bigint): ContractId[] {
    const now = this.#ledger.clock.now();
    const coins = this.#ledger.active
      .of(owner, holdingTemplate)
      .filter(
        ({ payload }) => payload["owner"] === owner && !isLocked(new Fields(payload, ""), now),
      )
      .flatMap((contract) => {
        const amount = holdingAmount(contract);
        if (amount?.instrument.id !== instrumentId) return [];
        return [{ contractId: contract.contractId, units: amount.units }];
      })
      .sort((a, b) => (a.units < b.units ? -1 : 1));
    for (const order of [coins, [...coins].reverse()]) {
      const chosen: ContractId[] = [];
      let sum = 0n;
      for (const coin of order.slice(0, inputsMax)) {
        if (sum >= units) break;
        chosen.push(coin.contractId);
        sum += coin.units;
      }
      if (sum >= units) return chosen;
    }
    throw new LedgerRefusal("INVALID_ARGUMENT", `${owner} does not have enough ${instrumentId}`);
  }

  /** Accepts a proposal to a hosted wallet after a delay. */
  #consider({ templateId, contractId, payload }: Contract): void {
    if (templateId !== devnetTemplates.memberAuthProposal) return;
    const member = String(payload["member"]);
    const { users, settings, active } = this.#ledger;
    const accepts = () => {
      const owner = users.party(member);
      return owner?.hasWallet === true && owner.declines !== true;
    };
    if (!accepts()) return;
    setTimeout(() => {
      // Check again after the delay: the proposal may have been withdrawn, and the member may have left the venue.
      if (active.find(contractId) === undefined || !accepts()) return;
      const choice = "MemberAuthProposal_Accept";
      this.#ledger.exercise([member], templateId, contractId, choice, {}).catch(this.#onFault);
    }, settings.acceptDelayMs);
  }
}
