// Commands to clearing for the wallet mirror and for coin releases.

import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { MarketKind, type MarketTable } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { ClearingClient } from "../../../ports/clearing-client.ts";
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
  return {
    committedSeq,
    async credit(account, asset, amount) {
      const kind = CommandKind.credit;
      const credit = { account, wallet: Wallet.spot, asset, amount, isFromFaucet: false };
      const reply = await clearing.send({ kind, ...credit });
      return reply.reason === RejectReason.none;
    },
    wasCredited,
    async settleCoins(account, asset, amount) {
      const kind = CommandKind.settleCoins;
      const reply = await clearing.send({ kind, account, asset, amount });
      return reply.reason === RejectReason.none;
    },
    releasesDone,
    async setMemberFlags(account, { isEnrolled, isFrozen }) {
      const enrolled = isEnrolled ? AccountFlag.enrolled : 0;
      const frozen = isFrozen ? AccountFlag.frozenBySettlement : 0;
      const reply = await clearing.send({
        kind: CommandKind.setAccountFlags,
        account,
        flags: enrolled | frozen,
        // Every other flag belongs to the operator.
        mask: AccountFlag.enrolled | AccountFlag.frozenBySettlement,
      });
      if (reply.reason !== RejectReason.none)
        throw new Error(`clearing refused the flags of account ${account}: ${reply.reason}`);
    },
    async cancelSpotOrders(account) {
      for (const market of table.markets) {
        if (market.kind !== MarketKind.spot) continue;
        await clearing.send({ kind: CommandKind.cancelAllOrders, account, market: market.id });
      }
    },
  };
}
