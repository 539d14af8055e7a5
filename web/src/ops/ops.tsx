// The operations page: what an operator must know in an incident. It reads only /metrics and public routes.

import { computed, effect } from "@preact/signals";
import { render, type VNode } from "preact";
import { keepTheme, theme, turnTheme } from "../theme.ts";
import {
  acknowledgementFinding,
  clockFinding,
  type Finding,
  safetyFinding,
  threadFinding,
} from "./findings.ts";
import { ledgerFinding, marketFinding } from "./incident-findings.ts";
import { machineFinding } from "./machine-finding.ts";
import { OpsCharts } from "./ops-charts.tsx";
import { OpsMarkets } from "./ops-markets.tsx";
import { OpsTables } from "./ops-tables.tsx";
import { keepSampling, samples, scrapeFault, solvency, version } from "./samples.ts";

const states = ["starting", "running", "draining", "stopped"];

function FindingCard({ title, isGood, message, figures }: Finding): VNode {
  const isKnown = scrapeFault.value === "";
  const verdict = isGood ? "OK" : "Fault";
  return (
    <section
      class={`finding ${isGood ? "good" : "bad"} ${isKnown ? "" : "past"}`}
      aria-label={title}
    >
      <h2>
        {title} <small>{isKnown ? verdict : "not known"}</small>
      </h2>
      <p>{message}</p>
      <dl class="estimate">
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

/** What the newest figures mean: faults first, otherwise in the order in which an operator asks. */
const findings = computed<readonly Finding[]>(() => {
  const newest = samples.value.at(-1);
  if (newest === undefined) return [];
  const all = [
    safetyFinding(newest, solvency.value),
    acknowledgementFinding(samples.value),
    marketFinding(newest),
    ledgerFinding(newest),
    threadFinding(newest),
    clockFinding(newest),
    machineFinding(samples.value, version.value, newest.atMs),
  ];
  return all.sort((one, other) => Number(one.isGood) - Number(other.isGood));
});

/** Everything that is wrong, in a few words each. */
const problems = computed(() => findings.value.flatMap((one) => one.problems));

/** The state of the venue in two or three words: of the header and of the page's title. */
const verdict = computed(() => {
  if (scrapeFault.value !== "") return "Not responding";
  const { length: count } = problems.value;
  if (count > 0) return count === 1 ? "1 problem" : `${count} problems`;
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

/** Names what is wrong before everything else. */
function Problems(): VNode | null {
  if (scrapeFault.value !== "") {
    const seen = samples.value.at(-1)?.atMs;
    const from = seen === undefined ? "" : ` of ${new Date(seen).toLocaleTimeString("en-GB")}`;
    return (
      <p class="problems" role="alert">
        The venue does not respond ({scrapeFault.value}). This page shows the last known figures
        {from}.
      </p>
    );
  }
  if (problems.value.length === 0) return null;
  const [first = "", ...rest] = problems.value;
  return (
    <section class="problems" aria-label="Problems">
      <p>{`${[first.charAt(0).toUpperCase() + first.slice(1), ...rest].join("; ")}.`}</p>
    </section>
  );
}

function Ops(): VNode {
  const isWell = scrapeFault.value === "" && problems.value.length === 0;
  return (
    <>
      <header class="frame">
        <a class="brand" href="/">
          Rialto
        </a>
        <span class="soft place">Operations</span>
        <output class={`connection ${isWell ? "" : "loss"}`}>{verdict.value}</output>
        <a href="/ops/traffic">Traffic</a>
        <a href="/docs/guides/operate">Incident guide</a>
        <button type="button" class="quiet icon" aria-label="Switch theme" onClick={turnTheme}>
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </header>
      <main class="ops">
        <h1 class="unseen">Operations</h1>
        <Problems />
        <Findings />
        <p class="soft">
          Charts start when this page is opened and cover ten minutes. For more history, scrape{" "}
          <a href="/metrics">the metrics</a>; a{" "}
          <a href="/docs/guides/operate#files">Grafana dashboard</a> is included.
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
