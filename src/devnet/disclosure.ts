// Makes and checks blobs that disclose a contract to a party that cannot see it. A blob is the contract with a MAC that
// only this ledger can create, so an altered or foreign blob is refused.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { DisclosedContract } from "../adapters/ledger/api-shapes.ts";
import type { ContractId } from "../ports/ledger/ledger.ts";
import type { Contract } from "./contract-template.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

export class Disclosure {
  readonly #secret: string;
  readonly #synchronizerId: string;

  constructor(secret: string, synchronizerId: string) {
    this.#secret = secret;
    this.#synchronizerId = synchronizerId;
  }

  blobOf({ contractId, templateId }: Contract): string {
    const seal = this.#seal(contractId, templateId);
    return Buffer.from(JSON.stringify({ contractId, templateId, seal })).toString("base64");
  }

  disclose(contract: Contract): DisclosedContract {
    const { contractId, templateId } = contract;
    const createdEventBlob = this.blobOf(contract);
    return { templateId, contractId, createdEventBlob, synchronizerId: this.#synchronizerId };
  }

  /** Returns the ids of the disclosed contracts; refuses a blob that this ledger did not create. */
  idsOf(disclosed: readonly DisclosedContract[]): Set<ContractId> {
    return new Set(disclosed.map(({ createdEventBlob }) => this.#idOf(createdEventBlob)));
  }

  #idOf(blob: string): ContractId {
    try {
      const read = JSON.parse(Buffer.from(blob, "base64").toString("utf8")) as {
        contractId: string;
        templateId: string;
        seal: string;
      };
      const expected = Buffer.from(this.#seal(read.contractId, read.templateId));
      const given = Buffer.from(String(read.seal));
      if (given.length === expected.length && timingSafeEqual(given, expected))
        return read.contractId;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new LedgerRefusal(
      "INVALID_DISCLOSED_CONTRACT",
      "createdEventBlob was not created by this ledger",
    );
  }

  #seal(contractId: string, templateId: string): string {
    return createHmac("sha256", this.#secret).update(`${contractId} ${templateId}`).digest("hex");
  }
}

/** Returns a new contract id in the network's format, with random bytes in place of the hash. */
export function newContractId(): ContractId {
  return `00${randomBytes(32).toString("hex")}ca11${randomBytes(20).toString("hex")}`;
}
