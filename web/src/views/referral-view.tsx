// The user's code, who came by it, and the commission it earned.

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
    return "Paid to your perp wallet.";
  };
  const figures = Object.entries(dashboard.value).filter(([, value]) => typeof value !== "object");
  return (
    <div class="page">
      <h1>Referral</h1>
      <p class="soft">
        Whoever logs in for the first time with your code trades as always; a part of the fees they
        pay is yours.
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
      <ActionForm submit="Claim" act={claim} />
    </div>
  );
}
