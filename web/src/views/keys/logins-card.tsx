// The log-ins of the account, on this and on other devices. Each can be ended.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { endSession, type Login, readLogins } from "../../member/logins.ts";
import { logOut } from "../../member/session.ts";
import { dayAndMinute, dayAndTime } from "../../moment.ts";
import { ActionAnswer, useFormAction } from "../form/action-form.tsx";
import { useReloaded } from "../form/reloaded.ts";

const refreshMs = 5_000;

function LoginItem({ login, end }: { login: Login; end: () => void }): VNode {
  const { is_current: isCurrent, opened_at: openedAt, expires_at: expiresAt } = login;
  const { device, address, last_used_at: usedAt } = login;
  const verb = isCurrent ? "Log out" : "End";
  const name = device ?? "Unknown device";
  return (
    <li>
      <span>
        <b>{isCurrent ? `This browser: ${name}` : name}</b>
        <br />
        <span class="soft">
          {address !== null && <>from {address}, </>}
          {usedAt === null ? "not used lately" : `last used ${dayAndMinute(usedAt)}`}
        </span>
        <br />
        <span class="soft">
          since {dayAndTime(openedAt)}, until {dayAndTime(expiresAt)}
        </span>
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={`${verb}: log-in since ${dayAndTime(openedAt)}`}
        onClick={isCurrent ? () => void logOut() : end}
      >
        {verb}
      </button>
    </li>
  );
}

export function LoginsCard(): VNode {
  const logins = useSignal<readonly Login[]>([]);
  const action = useFormAction();
  const load = async (): Promise<void> => {
    logins.value = await readLogins();
  };
  const fault = useReloaded(load, refreshMs);
  const end = (ended: readonly Login[]): void =>
    action.run(async () => {
      await Promise.all(ended.map(({ id }) => endSession(id)));
      await load();
      return ended.length === 1 ? "Log-in ended." : `${ended.length} log-ins ended.`;
    });
  const others = logins.value.filter(({ is_current: isCurrent }) => !isCurrent);
  return (
    <section class="notice" aria-label="Log-ins">
      <h2>Log-ins</h2>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <ul class="logins">
        {logins.value.map((login) => (
          <LoginItem key={login.id} login={login} end={() => end([login])} />
        ))}
      </ul>
      {others.length > 1 && (
        <button type="button" onClick={() => end(others)}>
          End all others
        </button>
      )}
      <ActionAnswer action={action} />
    </section>
  );
}
