// Commands to clearing for the wallet mirror and for coin releases.

import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { MarketKind, type MarketTable } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import {
  ClearingBusy,
  type ClearingClient,
  type UnstampedCommand,
} from "../../../ports/clearing-client.ts";
import type { CoinRelease } from "../../../ports/ledger/settled-coins.ts";
import type { CreditRow } from "../../../ports/ledger/settlement-store.ts";
import type { HoldingReleaseService } from "./coin-releases.ts";
import type { MirrorService } from "./mirror-balance.ts";

export interface MirrorServiceParts {
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly committedSeq: () => number;
  /** Whether the journal after its `seqBefore` contains the credit. */
  readonly wasCredited: (credit: CreditRow) => Promise<boolean>;
  /** The ids of those `releases` that the journal contains. */
  readonly releasesDone: (releases: readonly CoinRelease[]) => Promise<ReadonlySet<number>>;
}

export function createMirrorService(
  parts: MirrorServiceParts,
): MirrorService & HoldingReleaseService {
  const { clearing, table, committedSeq, wasCredited, releasesDone } = parts;
  /** Sends a command and returns why clearing refused it. Throws if clearing read it too late to decide about it. */
  const decided = async (command: UnstampedCommand): Promise<RejectReason> => {
    const { reason } = await clearing.send(command);
    if (reason === RejectReason.deadlinePassed) throw new ClearingBusy();
    return reason;
  };
  return {
    committedSeq,
    async credit(account, asset, amount) {
      const kind = CommandKind.credit;
      const credit = { account, wallet: Wallet.spot, asset, amount, isFromFaucet: false };
      return (await decided({ kind, ...credit })) === RejectReason.none;
    },
    wasCredited,
    async settleCoins(account, asset, amount) {
      const kind = CommandKind.settleCoins;
      return (await decided({ kind, account, asset, amount })) === RejectReason.none;
    },
    releasesDone,
    async setMemberFlags(account, { isEnrolled, isFrozen }) {
      const enrolled = isEnrolled ? AccountFlag.enrolled : 0;
      const frozen = isFrozen ? AccountFlag.frozenBySettlement : 0;
      const reason = await decided({
        kind: CommandKind.setAccountFlags,
        account,
        flags: enrolled | frozen,
        // Every other flag belongs to the operator.
        mask: AccountFlag.enrolled | AccountFlag.frozenBySettlement,
      });
      if (reason !== RejectReason.none)
        throw new Error(`clearing refused the flags of account ${account}: ${reason}`);
    },
    async cancelSpotOrders(account) {
      for (const market of table.markets) {
        if (market.kind !== MarketKind.spot) continue;
        await decided({ kind: CommandKind.cancelAllOrders, account, market: market.id });
      }
    },
  };
}
