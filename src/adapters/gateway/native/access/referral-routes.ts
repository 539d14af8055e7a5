// Referrals and points: what a user's code earned, and the payout of commission to the perp wallet.

import { emptyBody } from "../../../../../schemas/http/native.ts";
import { accountSlot } from "../../../../core/accounts.ts";
import { amountAt, wordAt } from "../../../../core/assert.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { referralCode } from "../../../../core/ids/referral-code.ts";
import { volumePerPoint } from "../../../../core/limits.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refusalOf, submitCommand } from "../native-context.ts";

function rewardAsset({ table, model }: RouteContext) {
  return table.asset(model.state.rewards.asset);
}

/** The routes of referral and points. */
export const referralRoutes = routeGroup((context) => context)([
  sessionRoute("GET /v1/referral/dashboard", {
    summary: "The user's referral code and its earnings.",
    answer: (context, _, __, { account }) => {
      const { rewards } = context.model.state;
      const slot = accountSlot(account);
      const volume = amountAt(rewards.volume, slot);
      const { decimals } = rewardAsset(context);
      // Rounded down: a point is earned only when its whole volume has been traded.
      const points = Number(volume / (volumePerPoint * 10n ** BigInt(decimals)));
      const figures = {
        code: referralCode(account),
        referred_users: wordAt(rewards.referred, slot),
        volume: formatScaled(volume, decimals),
        commission_accrued: formatScaled(amountAt(rewards.accrued, slot), decimals),
        commission_claimed: formatScaled(amountAt(rewards.claimed, slot), decimals),
        points,
      };
      return JSON.stringify(figures);
    },
  }),
  sessionRoute("POST /v1/referral/claim", {
    summary: "Pays accrued commission to the perp wallet.",
    body: emptyBody,
    answer: async (context, _, __, { account }) => {
      const answer = await submitCommand(context.bridge, {
        kind: CommandKind.claimReward,
        account,
      });
      const { code, decimals } = rewardAsset(context);
      const claimed = formatScaled(answer?.subject ?? 0, decimals);
      return refusalOf(answer) ?? JSON.stringify({ claimed, asset: code });
    },
  }),
]);
