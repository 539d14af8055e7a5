// Reads the authority that members currently give the venue, and the ledger's time.

import type { LedgerNetwork, MemberOperation, Party } from "../../../ports/ledger/ledger.ts";

/** The next operation of each party in `parties` that has given the venue authority. Other parties are left out. */
export async function operationsOf(
  network: LedgerNetwork,
  parties: readonly Party[],
): Promise<MemberOperation[]> {
  const at = await network.ledgerEnd();
  const found = await Promise.all(
    parties.map(async (member) => {
      const contracts = await network.contracts(member, network.templates.memberAuth, at);
      const own = contracts.find(({ payload }) => payload["member"] === member);
      if (own === undefined) return [];
      return [{ member, authCid: own.contractId, opNo: Number(own.payload["nextOpNo"]) }];
    }),
  );
  return found.flat();
}

/**
 * The ledger's time in ms UTC, from a lookup of a command that was never submitted; NaN if unknown. `name` becomes the
 * id of that command and must be new.
 */
export async function ledgerMs(network: LedgerNetwork, name: string): Promise<number> {
  const dedupOffset = await network.ledgerEnd();
  const change = { commandId: name, submissionId: name, actAs: [network.operator], dedupOffset };
  const found = await network.lookup(change);
  return found.kind === "absent" ? Date.parse(found.recordTime ?? "") : Number.NaN;
}
