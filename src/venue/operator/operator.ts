// The operator's actions on a venue, called through the control socket of a running venue, or directly if no venue
// runs. Names and decimals become codes and integers here. Every change goes through clearing and is durable when
// answered.

import { networkOf, rangesHold } from "../../adapters/network/address-ranges.ts";
import {
  type AccountListing,
  readAccount,
} from "../../adapters/postgres/queries/access/accounts.ts";
import { PostgresKeyStore } from "../../adapters/postgres/queries/access/api-keys.ts";
import { PostgresCustodyAdmin } from "../../adapters/postgres/queries/custody/custody-admin.ts";
import { PostgresProviderRegistry } from "../../adapters/postgres/queries/swaps/provider-registry.ts";
import { PostgresSigningKeys } from "../../adapters/postgres/queries/swaps/signing-keys.ts";
import { isSoundPoint } from "../../adapters/runtime/curve-point.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import {
  AccountType,
  accountTypeNames,
  defaultKeyPermissions,
  isCustomerType,
  KeyType,
  rateTierNames,
  storedPermissions,
  Wallet,
  walletNames,
} from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { formatScaled, parseAmount } from "../../core/money/amounts.ts";
import type { KeyListing, KeyPage } from "../../ports/access/key-store.ts";
import type { UnstampedCommand } from "../../ports/clearing-client.ts";
import { mintKey } from "../../services/access/key-minting.ts";
import {
  everyPermissionName,
  permissionNames,
  permissionOf,
} from "../../services/access/key-restrictions.ts";
import { VenueSigner } from "../../services/access/venue-signer.ts";
import { AccessOperator, accountFlagNames } from "./access-operator.ts";
import { CustodyOperator } from "./custody-operator.ts";
import { ListingOperator } from "./listing-operator.ts";
import {
  type OperatorContext,
  OperatorRefusal,
  sendCommand,
  WrongValue,
} from "./operator-commands.ts";
import { ProviderOperator } from "./provider-operator.ts";
import { RiskOperator } from "./risk-operator.ts";
import { TermsOperator } from "./terms-operator.ts";
import { TruthOperator } from "./truth-operator.ts";

export interface FundRequest {
  readonly account: number;
  readonly wallet: string;
  readonly asset: string;
  readonly amount: string;
}

export interface CreateKeyRequest {
  readonly account: number;
  readonly tier?: string | undefined;
  readonly permissions?: string | undefined;
  readonly label?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly allowedRanges?: readonly string[] | undefined;
}

const openedTypeNames = accountTypeNames.filter((_, type) => isCustomerType(type));

export class Operator {
  readonly risk: RiskOperator;
  readonly providers: ProviderOperator;
  readonly access: AccessOperator;
  readonly terms: TermsOperator;
  readonly truth: TruthOperator;
  readonly custody: CustodyOperator;
  readonly listing: ListingOperator;
  readonly #context: OperatorContext;
  readonly #keys: PostgresKeyStore;

  constructor(context: OperatorContext) {
    const { sql, box, clock } = context;
    const nowMs = () => clock.nowMs();
    this.#context = context;
    this.#keys = new PostgresKeyStore(sql);
    this.risk = new RiskOperator(context);
    this.access = new AccessOperator(context);
    this.terms = new TermsOperator(context);
    this.truth = new TruthOperator(context);
    this.listing = new ListingOperator(context);
    const store = new PostgresSigningKeys(sql);
    this.providers = new ProviderOperator({
      office: new PostgresProviderRegistry(sql),
      signer: new VenueSigner({ store, box, entropy: systemEntropy, nowMs }),
      nowMs,
    });
    this.custody = new CustodyOperator({
      ...context,
      custody: new PostgresCustodyAdmin(sql),
      isCustomer: async (account) => {
        const row = await readAccount(sql, account);
        return row !== null && isCustomerType(row.type);
      },
    });
  }

  async createAccount(type: string): Promise<{ account: number; type: string }> {
    if (!openedTypeNames.includes(type)) {
      throw new WrongValue(
        `account type: expected one of ${openedTypeNames.join(", ")}, not ${type}`,
      );
    }
    const accountType = codeOf(accountTypeNames, type, "account type") as AccountType;
    const reply = await this.#send({ kind: CommandKind.openAccount, account: 0, accountType });
    return { account: reply.subject, type };
  }

  /** Settles the funding of all perpetual markets now; available only with DEV_TOOLS. */
  async settleFunding(): Promise<{ markets: number }> {
    const reply = await this.#send({ kind: CommandKind.settleFunding, account: 0 });
    return { markets: reply.subject };
  }

  /** Credits money that was never deposited; available only with DEV_TOOLS. */
  async fund(request: FundRequest): Promise<object> {
    const { table } = this.#context;
    const asset = table.findAsset(request.asset.toUpperCase());
    if (asset === undefined) throw new OperatorRefusal(`no asset ${request.asset}`);
    const amount = parseAmount(request.amount, asset.decimals);
    if (amount === null || amount <= 0n) {
      throw new WrongValue(
        `${request.amount} is not an amount of ${asset.code} (at most ${asset.decimals} decimal places)`,
      );
    }
    const wallet = codeOf(walletNames, request.wallet, "wallet") as Wallet;
    const { account } = request;
    if (wallet === Wallet.spot) await this.#refuseMirrored(account);
    const credit = { account, wallet, asset: asset.id, amount, isFromFaucet: true };
    await this.#send({ kind: CommandKind.credit, ...credit });
    return {
      account,
      wallet: request.wallet,
      asset: asset.code,
      credited: formatScaled(amount, asset.decimals),
    };
  }

  /**
   * Refuses a credit to a spot wallet that mirrors its party on the ledger: the venue would treat the operator's credit
   * as a credit from the ledger.
   */
  async #refuseMirrored(account: number): Promise<void> {
    const row = await readAccount(this.#context.sql, account);
    if (row?.type !== AccountType.wallet) return;
    throw new OperatorRefusal(
      `the spot wallet of account ${account} mirrors its party on the ledger: transfer the asset to the party instead`,
    );
  }

  async showAccount(account: number): Promise<object> {
    const { settle, sql } = this.#context;
    await settle();
    const row = await readAccount(sql, account);
    if (row === null) throw new OperatorRefusal(`no account ${account}`);
    return {
      account: row.account,
      type: accountTypeNames[row.type] ?? String(row.type),
      standing: accountFlagNames(row.flags),
      opened_at: row.openedUs === null ? null : isoOfUs(row.openedUs),
      open_orders: row.openOrders,
      balances: row.balances.map((balance) => this.#shownBalance(balance)),
    };
  }

  /** Creates a key. Only the answer to this call contains the secret. */
  async createKey(request: CreateKeyRequest): Promise<object> {
    const { box, clock } = this.#context;
    const minting = { store: this.#keys, box, entropy: systemEntropy, isSoundPoint };
    const tier = codeOf(rateTierNames, request.tier ?? "standard", "tier");
    const permissions = permissionsOf(request.permissions);
    this.#checkRanges(request.allowedRanges ?? []);
    const minted = await mintKey(minting, {
      account: request.account,
      label: request.label ?? null,
      publicKey: request.publicKey ?? null,
      allowedRanges: request.allowedRanges ?? [],
      createdMs: clock.nowMs(),
    });
    if (minted === null)
      throw new WrongValue("public-key: expected an Ed25519 public key in base64");
    const { keyId, keyType, key } = minted.row;
    const { account } = request;
    await this.#send({
      kind: CommandKind.registerKey,
      account,
      keyId,
      keyType,
      tier: tier as 0,
      permissions,
    });
    return {
      key_id: keyId,
      account,
      api_key: key,
      secret: minted.secret,
      type: keyType === KeyType.hmac ? "HMAC" : "ED25519",
      tier: rateTierNames[tier],
      permissions: permissionNames(permissions),
      allowed_ips: minted.row.allowedRanges,
    };
  }

  /** Returns a page of keys by id, including revoked ones; after the last page, an empty one. */
  async listKeys(page: KeyPage): Promise<object[]> {
    await this.#context.settle();
    return (await this.#keys.list(page)).map(shownKey);
  }

  /** Throws a WrongValue for a text that is no API key of the venue; `field` names where it was given. */
  async requireKey(apiKey: string, field: string): Promise<void> {
    await this.#context.settle();
    if (await this.#keys.has(apiKey)) return;
    throw new WrongValue(`${field}: expected an API key of this venue, not ${apiKey}`);
  }

  async setTier(keyId: number, tier: string): Promise<object> {
    return this.#changeKey(keyId, { tier: codeOf(rateTierNames, tier, "tier") });
  }

  /** Replaces the key's permissions by `permissions`, the complete new set, such as `READ,TRADE`. */
  async permit(keyId: number, permissions: string): Promise<object> {
    return this.#changeKey(keyId, { permissions: permissionsOf(permissions) });
  }

  /** Replaces the addresses from which the key may be used; an empty list allows all addresses. */
  async allowAddresses(keyId: number, ranges: readonly string[]): Promise<object> {
    this.#checkRanges(ranges);
    await this.#keyRow(keyId);
    await this.#keys.setAllowedRanges(keyId, ranges);
    // The event that this command causes makes every front reload the key's row at the same seq.
    return this.#changeKey(keyId, {});
  }

  async revokeKey(keyId: number): Promise<object> {
    return this.#changeKey(keyId, { isRevoked: true });
  }

  /** Refuses an invalid range before anything is stored, because a key with such a range would be unusable. */
  #checkRanges(ranges: readonly string[]): void {
    try {
      rangesHold(ranges);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new WrongValue(`${error.message} (such as 192.0.2.7, 10.0.0.0/8 or ::1)`);
    }
    for (const range of ranges) {
      const network = networkOf(range);
      if (network !== null) {
        throw new WrongValue(`${range} is an address in the network ${network}: name either`);
      }
    }
  }

  async #changeKey(
    keyId: number,
    change: { tier?: number; permissions?: number; isRevoked?: boolean },
  ): Promise<object> {
    const row = await this.#keyRow(keyId);
    await this.#send({
      kind: CommandKind.changeKey,
      account: row.account,
      keyId,
      tier: (change.tier ?? row.tier) as 0,
      permissions: change.permissions ?? row.permissions,
      // A value that is given replaces the stored one. Unless permissions or a revocation are given, `expects` has the
      // permissions that were read, and clearing refuses the change if they have changed since then.
      expects: change.permissions === undefined && change.isRevoked !== true ? row.permissions : 0,
      isRevoked: change.isRevoked ?? false,
    });
    return shownKey(await this.#settledKey(keyId));
  }

  async #keyRow(keyId: number): Promise<KeyListing> {
    const row = await this.#settledKey(keyId);
    if (row.revokedUs !== null) throw new OperatorRefusal(`key ${keyId} is revoked`);
    return row;
  }

  async #settledKey(keyId: number): Promise<KeyListing> {
    await this.#context.settle();
    const row = await this.#keys.find(keyId);
    if (row === null) throw new OperatorRefusal(`no key ${keyId}`);
    return row;
  }

  #shownBalance({ wallet, asset, total, reserved }: AccountListing["balances"][number]): object {
    const { code, decimals } = this.#context.table.asset(asset);
    return {
      wallet: walletNames[wallet],
      asset: code,
      total: formatScaled(total, decimals),
      locked: formatScaled(reserved, decimals),
      free: formatScaled(total - reserved, decimals),
    };
  }

  #send(command: UnstampedCommand): Promise<Reply> {
    return sendCommand(this.#context.clearing, command);
  }
}

function codeOf(names: readonly string[], name: string, what: string): number {
  const code = names.indexOf(name);
  if (code < 0) throw new WrongValue(`${what}: expected one of ${names.join(", ")}, not ${name}`);
  return code;
}

function permissionsOf(text: string | undefined): number {
  if (text === undefined) return defaultKeyPermissions;
  let permissions = 0;
  for (const part of text.split(",")) {
    const bit = permissionOf(part.trim());
    if (bit === 0)
      throw new WrongValue(`permissions: expected ${everyPermissionName}, not ${part}`);
    permissions |= bit;
  }
  return storedPermissions(permissions);
}

function isoOfUs(us: number): string {
  return new Date(us / 1000).toISOString();
}

function shownKey(row: KeyListing): object {
  return {
    key_id: row.keyId,
    account: row.account,
    api_key: row.key,
    type: row.keyType === KeyType.hmac ? "HMAC" : "ED25519",
    label: row.label,
    tier: rateTierNames[row.tier],
    permissions: permissionNames(row.permissions),
    allowed_ips: row.allowedRanges,
    created_at: isoOfUs(row.createdUs),
    last_used_at: row.usedMs === null ? null : isoOfUs(row.usedMs * 1000),
    revoked_at: row.revokedUs === null ? null : isoOfUs(row.revokedUs),
  };
}
