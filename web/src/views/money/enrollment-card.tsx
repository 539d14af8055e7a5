// Trading from one's own party on the ledger: what it means, how far it is, and the step that begins it.

import type { VNode } from "preact";
import { refreshAccount } from "../../member/account.ts";
import { enroll, enrollment, readEnrollment } from "../../member/enrollment.ts";
import { session } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { useReloaded } from "../form/reloaded.ts";

const refreshMs = 2_000;

const words = {
  none: "Your spot wallet is kept by the venue.",
  pending:
    "Your party is asked to let the venue settle for it. On a development venue that takes seconds.",
  active:
    "Your spot wallet is your own party on the ledger: what it holds there is what you trade with.",
  revoked: "Your party no longer lets the venue settle for it, so spot orders are refused.",
} as const;

export function EnrollmentCard(): VNode {
  const fault = useReloaded(readEnrollment, refreshMs);
  const begin = async (): Promise<string> => {
    await enroll();
    refreshAccount();
    return "";
  };
  const { value } = enrollment;
  return (
    <section class="notice" aria-label="Your party on the ledger">
      <p>
        <code>{value?.party_id ?? session.value?.partyId}</code>
      </p>
      <p>{value === null ? "Asking…" : words[value.status]}</p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {value?.status === "none" && (
        <ActionForm submit="Trade from my own party" act={begin}>
          <p class="soft">
            The spot wallet has to be empty. It stays so for good: deposits and withdrawals of spot
            coins are then payments on the ledger that you make yourself.
          </p>
        </ActionForm>
      )}
    </section>
  );
}
