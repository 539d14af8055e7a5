// Reads the development ledger for a trader, who then need not trust the venue: the trader's holdings, the transaction
// that settled the swap with both payments, and the root of an epoch.

import type { LedgerApiClient } from "../../adapters/ledger/ledger-api-client.ts";
import { networkProfiles, venueTemplates } from "../../adapters/ledger/network-profile.ts";
import { activeEvents, freeCoinsIn } from "../../adapters/ledger/party-coins.ts";
import { RegistryClient } from "../../adapters/ledger/registry-client.ts";
import { swapContractsOf } from "../../adapters/ledger/swap-contracts.ts";
import {
  allocationView,
  archivedIn,
  changesOf,
  createdOf,
  holdingsOf,
  holdingView,
} from "../../adapters/ledger/update-parsing.ts";
import { formatLedgerAmount } from "../../core/money/ledger-amount.ts";
import {
  type DevnetConnection,
  devnetConnectionIn,
  grantAt,
  instrumentsAt,
  ledgerApiAt,
} from "../../devnet/devnet-connection.ts";
import type { KnownNetwork } from "../../services/swaps/known-network.ts";

const profile = networkProfiles.devnet;
const templates = venueTemplates(profile);
/** Maximum number of contracts read per party. */
const contractsMax = 1_000;

/** A payment of the swap on the ledger. */
export interface LedgerLeg {
  readonly leg_id: string;
  readonly sender: string;
  readonly receiver: string;
  readonly asset: string;
  readonly admin: string;
  readonly amount: string;
}

export interface LedgerTransaction {
  readonly update_id: string;
  readonly offset: number;
  readonly record_time: string;
  readonly legs: readonly LedgerLeg[];
  /** Holdings of the trader that the transaction created. */
  readonly received: readonly { readonly asset: string; readonly amount: string }[];
}

export class LedgerReading {
  readonly #api: LedgerApiClient;
  readonly #party: string;
  readonly #operator: string;
  readonly #devnet: DevnetConnection;

  private constructor(api: LedgerApiClient, party: string, devnet: DevnetConnection) {
    this.#api = api;
    this.#party = party;
    this.#operator = devnet.operator;
    this.#devnet = devnet;
  }

  /** Opens the ledger in `folder` as `party`; throws if no ledger runs there. */
  static async open(folder: string, party: string): Promise<LedgerReading> {
    const devnet = devnetConnectionIn(folder);
    const userId = `trader-${party.slice(-16)}`;
    // Grant the right to read as the operator too, who owns the epoch commitments.
    for (const each of [party, devnet.operator])
      await grantAt(devnet, userId, { CanReadAs: { value: { party: each } } });
    const api = ledgerApiAt(devnet.address, devnet.tokens, userId);
    return new LedgerReading(api, party, devnet);
  }

  /** Returns the free balance of the trader, in units of 10^−10. */
  async free(asset: string): Promise<bigint> {
    const events = await activeEvents(this.#api, holdingView(this.#party), contractsMax);
    return freeCoinsIn(events, this.#party, Date.now())
      .filter(({ instrument }) => instrument.id === asset)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Returns operator, issuers and contracts, from ledger and registry. */
  async network(): Promise<KnownNetwork> {
    const { address } = this.#devnet;
    const places = { byAdmin: new Map<string, string>(), fallback: address };
    const registry = new RegistryClient(places, profile.requestTimeoutMs);
    const issuers = [...(await instrumentsAt(address.url))].map(
      ([asset, { admin }]) => [asset, admin] as const,
    );
    const factories = [...new Set(issuers.map(([, admin]) => admin))].map(async (expectedAdmin) => {
      const { factoryId } = await registry.allocationFactory(expectedAdmin, { expectedAdmin });
      return [expectedAdmin, factoryId] as const;
    });
    return {
      operator: this.#operator,
      issuers: Object.fromEntries(issuers),
      factories: Object.fromEntries(await Promise.all(factories)),
    };
  }

  /** Returns the transaction with the payments of the allocations it consumed; null if it does not exist. */
  async transaction(updateId: string): Promise<LedgerTransaction | null> {
    const found = await this.#api.updateById(updateId, changesOf([this.#party]));
    if (found === null) return null;
    const { offset, recordTime } = found;
    const ended = new Set(archivedIn(found));
    const view = allocationView(this.#party);
    const before = await this.#api.activeContracts(offset - 1, view, contractsMax);
    const legs = before
      .flatMap(({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [])
      .filter(({ contractId }) => ended.has(contractId))
      .flatMap((event) => swapContractsOf(event, templates))
      .flatMap((contract) => contract.legs);
    const coins = createdOf(found).flatMap(holdingsOf);
    return {
      ...{ update_id: updateId, offset, record_time: recordTime },
      legs: legs.map(({ legId, sender, receiver, instrument, amount }) => ({
        ...{ leg_id: legId, sender, receiver, asset: instrument.id, admin: instrument.admin },
        amount: formatLedgerAmount(amount),
      })),
      received: coins
        .filter(({ owner }) => owner === this.#party)
        .map(({ instrument, amount }) => ({
          asset: instrument.id,
          amount: formatLedgerAmount(amount),
        })),
    };
  }

  /** Returns the root in the commitment that the operator created in that update; null if the update created none. */
  async rootOf(updateId: string): Promise<string | null> {
    const found = await this.#api.updateById(updateId, changesOf([this.#operator]));
    const events = found === null ? [] : createdOf(found);
    const tail = templates.epochCommitment.slice(templates.epochCommitment.indexOf(":"));
    const made = events.find(({ templateId }) => templateId.endsWith(tail));
    const { root } = (made?.createArgument ?? {}) as { readonly root?: unknown };
    return typeof root === "string" ? root : null;
  }
}
