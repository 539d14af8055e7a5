// Referral and points: what a user's code brought in, and the commission paid out to the perp wallet.

import { emptyBody } from "../../../../../schemas/http/native.ts";
import { accountSlot } from "../../../../core/accounts.ts";
import { amountAt, wordAt } from "../../../../core/assert.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { referralCode } from "../../../../core/ids/referral-code.ts";
import { volumePerPoint } from "../../../../core/limits.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { HttpCall } from "../../server/http-call.ts";
import {
  answerWith,
  askClearing,
  type NativeContext,
  type Outcome,
  refusalOf,
} from "../native-context.ts";
import { type NativeRoute, sessionRoute } from "../native-route.ts";
import { bodyReader } from "../read-body.ts";

const readNothing = bodyReader(emptyBody);

class ReferralRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  dashboard(call: HttpCall, { account }: SessionState): void {
    const { rewards } = this.#context.model.state;
    const slot = accountSlot(account);
    const volume = amountAt(rewards.volume, slot);
    const { decimals } = this.#asset();
    // Rounded down: a point is earned when its volume is whole.
    const points = Number(volume / (volumePerPoint * 10n ** BigInt(decimals)));
    const figures = {
      code: referralCode(account),
      referred_users: wordAt(rewards.referred, slot),
      volume: formatScaled(volume, decimals),
      commission_accrued: formatScaled(amountAt(rewards.accrued, slot), decimals),
      commission_claimed: formatScaled(amountAt(rewards.claimed, slot), decimals),
      points,
    };
    call.json(JSON.stringify(figures));
  }

  claim(call: HttpCall, { account }: SessionState): void {
    if (readNothing(call) !== null) answerWith(this.#context, call, this.#claim(account));
  }

  async #claim(account: number): Promise<Outcome> {
    const answer = await askClearing(this.#context.bridge, {
      kind: CommandKind.claimReward,
      account,
    });
    const { code, decimals } = this.#asset();
    const claimed = formatScaled(answer?.subject ?? 0, decimals);
    return refusalOf(answer) ?? JSON.stringify({ claimed, asset: code });
  }

  #asset() {
    const { table, model } = this.#context;
    return table.asset(model.state.rewards.asset);
  }
}

/** The routes of referral and points. */
export function referralRoutes(context: NativeContext): NativeRoute[] {
  const routes = new ReferralRoutes(context);
  return [
    sessionRoute("GET /v1/referral/dashboard", (call, _, session) =>
      routes.dashboard(call, session),
    ),
    sessionRoute("POST /v1/referral/claim", (call, _, session) => routes.claim(call, session)),
  ];
}
