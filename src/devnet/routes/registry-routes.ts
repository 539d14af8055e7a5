// Registry of the development ledger's instruments according to the token standard: the instruments, and the choice
// contexts that their admin adds. It is public and read-only.

import type { Party } from "../../ports/ledger/ledger.ts";
import type { Contract } from "../contract-template.ts";
import type { DevnetLedger } from "../devnet-ledger.ts";
import { Fields } from "../fields.ts";
import type { HostedWallets } from "../hosted-wallets.ts";
import { LedgerRefusal } from "../ledger-refusal.ts";
import { allocationTemplate } from "../token/allocations.ts";
import { instructionTemplate, preapprovalKey } from "../token/transfers.ts";
import { type JsonCall, type JsonRoute, route } from "./json-server.ts";

const supportedApis = {
  "splice-api-token-metadata-v1": 1,
  "splice-api-token-transfer-instruction-v1": 1,
  "splice-api-token-allocation-v1": 1,
  "splice-api-token-allocation-instruction-v1": 1,
};

export function registryRoutes(ledger: DevnetLedger, wallets: HostedWallets): JsonRoute[] {
  const instruments = () =>
    ledger.settings.instruments.map(({ id, decimals, admin }) => ({
      id,
      name: id,
      symbol: id,
      decimals,
      admin: ledger.party(admin),
      supportedApis,
    }));
  return [
    route("GET /registry/metadata/v1/info", () => ({
      adminId: ledger.party("faucet"),
      supportedApis,
    })),
    route("GET /registry/metadata/v1/instruments", () => ({
      instruments: instruments(),
      nextPageToken: null,
    })),
    route("GET /registry/metadata/v1/instruments/{id}", ({ names }) => {
      const found = instruments().find(({ id }) => id === names["id"]);
      if (found === undefined) throw new LedgerRefusal("NOT_FOUND", "no such instrument");
      return found;
    }),
    route("POST /registry/transfer-instruction/v1/transfer-factory", (call) =>
      transferFactory(ledger, wallets, call),
    ),
    route("POST /registry/allocation-instruction/v1/allocation-factory", (call) => {
      const admin = choiceArguments(call).party("expectedAdmin");
      const rules = rulesOf(ledger, admin);
      return { factoryId: rules.contractId, choiceContext: context(ledger, {}, [rules]) };
    }),
    ...["accept", "reject", "withdraw"].map((choice) =>
      route(`POST /registry/transfer-instruction/v1/{id}/choice-contexts/${choice}`, (call) =>
        lockedContext(ledger, call),
      ),
    ),
    ...["execute-transfer", "withdraw", "cancel"].map((choice) =>
      route(`POST /registry/allocations/v1/{id}/choice-contexts/${choice}`, (call) =>
        lockedContext(ledger, call),
      ),
    ),
  ];
}

function choiceArguments({ body }: JsonCall): Fields {
  return new Fields(body, "").object("choiceArguments");
}

function rulesOf(ledger: DevnetLedger, admin: Party): Contract {
  const rules = ledger.rulesOf(admin);
  if (rules === undefined)
    throw new LedgerRefusal("NOT_FOUND", `${admin} issues no instruments on this ledger`);
  return rules;
}

function context(ledger: DevnetLedger, values: object, shown: readonly Contract[]): object {
  const disclosedContracts = shown.map((contract) => ledger.disclosure.disclose(contract));
  return { choiceContextData: { values }, disclosedContracts };
}

function transferFactory(ledger: DevnetLedger, wallets: HostedWallets, call: JsonCall): object {
  const given = choiceArguments(call);
  const rules = rulesOf(ledger, given.party("expectedAdmin"));
  const transfer = given.object("transfer");
  const receiver = transfer.party("receiver");
  const factoryId = rules.contractId;
  if (transfer.party("sender") === receiver)
    return { factoryId, transferKind: "self", choiceContext: context(ledger, {}, [rules]) };
  const preapproval = wallets.preapproval(receiver);
  if (preapproval === null)
    return { factoryId, transferKind: "offer", choiceContext: context(ledger, {}, [rules]) };
  const values = { [preapprovalKey]: { tag: "AV_ContractId", value: preapproval.contractId } };
  const choiceContext = context(ledger, values, [rules, preapproval]);
  return { factoryId, transferKind: "direct", choiceContext };
}

/** Returns the locked holding of an offer or allocation, which executor and receiver cannot see themselves. */
function lockedContext(ledger: DevnetLedger, { names }: JsonCall): object {
  const found = ledger.active.find(names["id"] ?? "");
  const isKnown =
    found?.templateId === allocationTemplate || found?.templateId === instructionTemplate;
  if (found === undefined || !isKnown)
    throw new LedgerRefusal("NOT_FOUND", "no such offer or allocation");
  const locked = ledger.active.find(String(found.payload["lockedCid"]));
  return context(ledger, {}, locked === undefined ? [] : [locked]);
}
