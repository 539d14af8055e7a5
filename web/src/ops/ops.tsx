// The operations page: what an operator must know in an incident. It reads only /metrics and public routes.

import { render, type VNode } from "preact";
import { keepTheme, theme, turnTheme } from "../theme.ts";
import {
  acknowledgementFinding,
  clockFinding,
  type Finding,
  safetyFinding,
  threadFinding,
} from "./findings.ts";
import { machineFinding } from "./machine-finding.ts";
import { OpsCharts } from "./ops-charts.tsx";
import { OpsMarkets } from "./ops-markets.tsx";
import { OpsTables } from "./ops-tables.tsx";
import { keepSampling, samples, scrapeFault, solvency, version } from "./samples.ts";

const states = ["starting", "running", "draining", "stopped"];

function FindingCard({ title, isGood, message, figures }: Finding): VNode {
  return (
    <section class={`finding ${isGood ? "good" : "bad"}`} aria-label={title}>
      <h2>
        {title} <small>{isGood ? "OK" : "check"}</small>
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

function Findings(): VNode {
  const newest = samples.value.at(-1);
  if (newest === undefined) return <p class="empty">Loading…</p>;
  return (
    <div class="findings">
      <FindingCard {...safetyFinding(newest, solvency.value)} />
      <FindingCard {...acknowledgementFinding(samples.value)} />
      <FindingCard {...threadFinding(newest)} />
      <FindingCard {...clockFinding(newest)} />
      <FindingCard {...machineFinding(samples.value, version.value, newest.atMs)} />
    </div>
  );
}

function Ops(): VNode {
  const newest = samples.value.at(-1);
  const state = states[newest?.metrics.one("rialto_run_state") ?? -1] ?? "unknown";
  return (
    <>
      <header class="frame">
        <a class="brand" href="/">
          Rialto
        </a>
        <span class="soft place">Operations</span>
        <output class="connection">
          {scrapeFault.value === "" ? `Venue ${state}` : "Not responding"}
        </output>
        <a href="/ops/traffic">Traffic</a>
        <a href="/docs/guides/operate">Incident guide</a>
        <button type="button" class="quiet icon" aria-label="Switch theme" onClick={turnTheme}>
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </header>
      <main class="ops">
        <h1 class="unseen">Operations</h1>
        {scrapeFault.value !== "" && (
          <p role="alert">
            The venue does not respond ({scrapeFault.value}). This page shows the last known
            figures.
          </p>
        )}
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
const container = document.getElementById("ops");
if (container !== null) render(<Ops />, container);
