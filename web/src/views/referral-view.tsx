// The user's referral code, the people who joined with it, and the commission earned.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { refreshAccount } from "../member/account.ts";
import { requestOwn } from "../member/session.ts";
import { ActionAnswer, ActionForm, useFormAction } from "./form/action-form.tsx";

type Dashboard = Readonly<Record<string, string | number | boolean | null>>;

export function ReferralView(): VNode {
  const dashboard = useSignal<Dashboard>({});
  const action = useFormAction();
  const load = async (): Promise<string> => {
    dashboard.value = await requestOwn<Dashboard>("GET", "/v1/referral/dashboard");
    return "";
  };
  useEffect(() => action.run(load), []);
  const claim = async (): Promise<string> => {
    await requestOwn("POST", "/v1/referral/claim", { body: {} });
    refreshAccount();
    await load();
    return "Commission paid to your perp wallet.";
  };
  const figures = Object.entries(dashboard.value).filter(([, value]) => typeof value !== "object");
  return (
    <div class="page">
      <h1>Referral</h1>
      <p class="soft">
        Earn a share of fees from people who join with your code. They pay standard fees.
      </p>
      <dl class="estimate wide">
        {figures.map(([name, value]) => (
          <>
            <dt>{name.replace(/_/g, " ")}</dt>
            <dd>{String(value)}</dd>
          </>
        ))}
      </dl>
      {action.isFault.value && <ActionAnswer action={action} />}
      <ActionForm submit="Claim commission" act={claim} />
    </div>
  );
}
