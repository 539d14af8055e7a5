// One problem on the operations page: the mark of its severity, its sentence, and what to do, with commands to copy and
// links to the guides.

import type { VNode } from "preact";
import type { Problem } from "../../../src/ports/venue-problems.ts";
import { CopyButton } from "../views/form/copy-button.tsx";
import { sentence, todo } from "./findings.ts";
import { commandsOf } from "./problem-commands.ts";

/** How a finding's severity is called; `rialto doctor` has the same words. */
export const verdictNames = { fault: "Fault", warning: "Warning", ok: "OK" } as const;

/** `isToDo`: whether what to do is said here; commands that name the problem's market are shown in any case. */
export function ProblemItem({ one, isToDo }: { one: Problem; isToDo?: boolean }): VNode {
  // In the head of the page, an item has only its sentence.
  if (isToDo === undefined)
    return (
      <li class={one.severity}>
        <Mark one={one} />
      </li>
    );
  return (
    <li class={one.severity}>
      <Mark one={one} />
      {isToDo ? <ToDo one={one} /> : <Commands of={commandsOf(one)} />}
    </li>
  );
}

function Mark({ one }: { one: Problem }): VNode {
  return (
    <>
      <b class={`mark ${one.severity}`}>{verdictNames[one.severity]}</b> {sentence(one)}
    </>
  );
}

function Commands({ of }: { of: readonly string[] }): VNode {
  return (
    <>
      {of.map((command) => (
        <span key={command} class="command">
          <code>{command}</code> <CopyButton text={command} what={command} />
        </span>
      ))}
    </>
  );
}

/** Where the text names a guide, a link opens it beside this page, which shows what changes. */
export function ToDo({ one }: { one: Problem }): VNode {
  const isReachable = one.kind !== "venue_silent";
  const parts = todo(one).split(/(docs\/guides\/[\w-]+\.md(?:#[\w-]+)?)/);
  return (
    <>
      <span class="todo">
        {parts.map((part, at) =>
          at % 2 === 1 && isReachable ? (
            <a key={part} href={`/${part.replace(".md", "")}`} target="_blank" rel="noopener">
              the guide
            </a>
          ) : (
            part
          ),
        )}
      </span>
      <Commands of={commandsOf(one)} />
    </>
  );
}
