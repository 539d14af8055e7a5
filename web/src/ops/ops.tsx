// The operations page: what an operator must know in an incident. It reads only /metrics and public routes.

import { computed, effect } from "@preact/signals";
import { render, type VNode } from "preact";
import { type Problem, problem, worstOf } from "../../../src/ports/venue-problems.ts";
import { keepTheme, theme, turnTheme } from "../theme.ts";
import {
  acknowledgementFinding,
  clockFinding,
  type Finding,
  safetyFinding,
  sentence,
  threadFinding,
  windowSeconds,
  worstCardFirst,
  worstFirst,
} from "./findings.ts";
import { ledgerFinding, marketFinding, riskFinding } from "./incident-findings.ts";
import { machineFinding } from "./machine-finding.ts";
import { OpsCharts } from "./ops-charts.tsx";
import { OpsMarkets } from "./ops-markets.tsx";
import { OpsTables } from "./ops-tables.tsx";
import { ProblemItem, ToDo, verdictNames } from "./problem-item.tsx";
import { keepSampling, samples, scrapeFault, solvency, version } from "./samples.ts";

const states = ["starting", "running", "draining", "stopped"];

function verdictOf({ problems, elsewhere = [] }: Finding): keyof typeof verdictNames {
  return worstOf([...problems, ...elsewhere]) ?? "ok";
}

function FindingCard(finding: Finding): VNode {
  const { title, problems: own, message, figures } = finding;
  const isKnown = scrapeFault.value === "";
  const verdict = verdictOf(finding);
  // Each part has its own tone: a card that moves to another place while it changes keeps no colour of before.
  const tone = isKnown ? "" : "soft";
  return (
    <section class={`finding ${isKnown ? verdict : "past"}`} aria-label={title}>
      <h2>
        {title}{" "}
        <small class={isKnown ? verdict : "soft"}>
          {isKnown ? verdictNames[verdict] : "not known"}
        </small>
      </h2>
      {own.length > 0 && (
        <ul class={tone}>
          {worstFirst(own).map((one, at, all) => (
            // Several problems of a kind have one thing to do, after the last.
            <ProblemItem key={one.text} one={one} isToDo={all[at + 1]?.kind !== one.kind} />
          ))}
        </ul>
      )}
      {message !== "" && <p class={tone}>{message}</p>}
      <dl class={`estimate ${tone}`}>
        {figures.map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** What the newest figures mean: the worst first, otherwise in the order in which an operator asks. */
const findings = computed<readonly Finding[]>(() => {
  const newest = samples.value.at(-1);
  if (newest === undefined) return [];
  return worstCardFirst([
    safetyFinding(newest, solvency.value),
    acknowledgementFinding(samples.value),
    marketFinding(newest),
    riskFinding(newest),
    ledgerFinding(newest),
    threadFinding(newest),
    clockFinding(newest),
    machineFinding(samples.value, version.value, newest.atMs),
  ]);
});

/** Everything that is wrong, each once, the worst first. */
const problems = computed<readonly Problem[]>(() => {
  const all = findings.value.flatMap((one) => one.problems);
  return worstFirst([...new Map(all.map((one) => [one.text, one])).values()]);
});

/** The state of the venue in a few words: of the header and of the page's title. */
const verdict = computed(() => {
  if (scrapeFault.value !== "") return "Not responding";
  const counted = (["fault", "warning"] as const).flatMap((wanted) => {
    const { length: count } = problems.value.filter(({ severity }) => severity === wanted);
    return count === 0 ? [] : [`${count} ${wanted}${count === 1 ? "" : "s"}`];
  });
  if (counted.length > 0) return counted.join(", ");
  return `Venue ${states[samples.value.at(-1)?.metrics.one("rialto_run_state") ?? -1] ?? "unknown"}`;
});

function Findings(): VNode {
  if (findings.value.length === 0) return <p class="empty">Loading…</p>;
  return (
    <div class="findings">
      {findings.value.map((finding) => (
        <FindingCard key={finding.title} {...finding} />
      ))}
    </div>
  );
}

/** Problems that the head of the page names; the cards have all of them. */
const headlinesMax = 3;

/** Names what is wrong before everything else. */
function Problems(): VNode | null {
  if (scrapeFault.value !== "") return <AwayNotice />;
  if (problems.value.length === 0) return null;
  const [first, rest] = [problems.value.slice(0, headlinesMax), problems.value.slice(headlinesMax)];
  const list = (all: readonly Problem[]) => (
    <ul>
      {all.map((one) => (
        <ProblemItem key={one.text} one={one} />
      ))}
    </ul>
  );
  return (
    <section class={`problems ${worstOf(problems.value)}`} aria-label="Problems">
      {list(first)}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {list(rest)}
        </details>
      )}
    </section>
  );
}

/** Says that the venue does not answer, what to do, and of when the figures are. */
function AwayNotice(): VNode {
  const seen = samples.value.at(-1)?.atMs;
  const from = seen === undefined ? "" : ` of ${new Date(seen).toLocaleTimeString("en-GB")}`;
  const silent = problem("venue_silent");
  return (
    <div class="problems fault" role="alert">
      {sentence(silent).slice(0, -1)} ({scrapeFault.value}). This page shows the last known figures
      {from}.
      <ToDo one={silent} />
    </div>
  );
}

/** Where the links at the head of a narrow page lead. */
const sections = [
  ["markets", "Markets"],
  ["charts", "Charts"],
  ["tables", "Tables"],
] as const;

function Ops(): VNode {
  const isWell = scrapeFault.value === "" && problems.value.length === 0;
  const isWarning = scrapeFault.value === "" && worstOf(problems.value) === "warning";
  const worst = isWarning ? "warned" : "loss";
  return (
    <>
      <header class="frame">
        <a class="brand" href="/">
          Rialto
        </a>
        <span class="soft place">Operations</span>
        <output class={`connection ${isWell ? "" : worst}`}>{verdict.value}</output>
        <a href="/ops/traffic">Traffic</a>
        <a href="/docs/guides/operate" target="_blank" rel="noopener">
          Incident guide
        </a>
        <button type="button" class="quiet icon" aria-label="Switch theme" onClick={turnTheme}>
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </header>
      <main class={`ops ${scrapeFault.value === "" ? "" : "silent"}`}>
        <h1 class="unseen">Operations</h1>
        <nav class="jumps" aria-label="Sections of this page">
          {sections.map(([id, name]) => (
            <a key={id} href={`#${id}`}>
              {name}
            </a>
          ))}
        </nav>
        <Problems />
        <Findings />
        <p class="soft hints">
          Charts cover the last ten minutes of this process. Rates and quantiles are of{" "}
          {windowSeconds} seconds. For more history, scrape <a href="/metrics">the metrics</a>; a{" "}
          <a href="/docs/guides/operate#files" target="_blank" rel="noopener">
            Grafana dashboard
          </a>{" "}
          is included.
        </p>
        <OpsMarkets />
        <OpsCharts />
        <OpsTables />
      </main>
    </>
  );
}

keepTheme();
keepSampling();
effect(() => {
  const isWell = scrapeFault.value === "" && problems.value.length === 0;
  document.title = `${isWell ? "" : `${verdict.value} · `}Operations · Rialto`;
});
const container = document.getElementById("ops");
if (container !== null) render(<Ops />, container);
