// The user's referral code and link, the people who joined with it, and the commission earned.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped } from "../decimal-text.ts";
import { refreshAccount } from "../member/account.ts";
import { requestOwn } from "../member/session.ts";
import { invitationLink } from "../route.ts";
import { ActionForm } from "./form/action-form.tsx";
import { CopyButton } from "./form/copy-button.tsx";
import { useReloaded } from "./form/reloaded.ts";

/** A trade of somebody who joined is seen within these milliseconds. */
const refreshMs = 3_000;

interface Dashboard {
  readonly code: string;
  readonly referred_users: number;
  readonly volume: string;
  readonly commission_accrued: string;
  readonly commission_claimed: string;
  readonly points: number;
}

function Figures({ dashboard }: { dashboard: Dashboard }): VNode {
  const { referred_users: users, volume, points } = dashboard;
  const rows = [
    ["People who joined", String(users)],
    ["Volume, yours and theirs", `${grouped(volume)} USDC`],
    ["Points, one for each 100 USDC", grouped(String(points))],
    ["Commission earned so far", `${grouped(dashboard.commission_accrued)} USDC`],
    ["Commission paid out", `${grouped(dashboard.commission_claimed)} USDC`],
  ] as const;
  return (
    <dl class="estimate wide">
      {rows.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function ReferralView(): VNode {
  const dashboard = useSignal<Dashboard | null>(null);
  const load = async (): Promise<void> => {
    dashboard.value = await requestOwn<Dashboard>("GET", "/v1/referral/dashboard");
  };
  const fault = useReloaded(load, refreshMs);
  const claim = async (): Promise<string> => {
    const { claimed } = await requestOwn<{ claimed: string }>("POST", "/v1/referral/claim", {
      body: {},
    });
    refreshAccount();
    await load();
    return `${grouped(claimed)} USDC paid to your perp wallet.`;
  };
  const { value } = dashboard;
  const link = value === null ? "" : invitationLink(value.code);
  return (
    <div class="page">
      <h1>Referral</h1>
      <p class="soft">
        Earn 10 % of the fees in USDC of people who join with your link. They pay standard fees.
      </p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {value !== null && (
        <>
          <section class="notice" aria-label="Your link">
            <dl class="copied">
              <dt>
                Your link <CopyButton text={link} what="link" />
              </dt>
              <dd>
                <code>{link}</code>
              </dd>
              <dt>
                Your code <CopyButton text={value.code} what="code" />
              </dt>
              <dd>
                <code>{value.code}</code>
              </dd>
            </dl>
          </section>
          <h2>Earnings</h2>
          <Figures dashboard={value} />
          <ActionForm submit="Claim commission" isDisabled={!isClaimable(value)} act={claim}>
            {!isClaimable(value) && <p class="soft">There is no commission to claim yet.</p>}
          </ActionForm>
        </>
      )}
    </div>
  );
}

/** Both totals count over the account's lifetime; the difference can be claimed. */
function isClaimable({
  commission_accrued: accrued,
  commission_claimed: paid,
}: Dashboard): boolean {
  return accrued !== paid;
}
