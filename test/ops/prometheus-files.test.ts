// Proves that the alert rules and the dashboard which operators copy are valid: Prometheus can read every
// expression, and every metric exists. The known metrics are read from docs/reference/metrics.md, which
// test/reference/metrics.test.ts compares with /metrics.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse as parseYaml } from "yaml";
import { projectRoot } from "../support/tidy/tree.ts";

function read(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

const known = new Set(
  [...read("docs/reference/metrics.md").matchAll(/^\| `(rialto_\w+)` \| (\w+)/gm)].flatMap(
    ([, name = "", type = ""]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

/**
 * Returns what is wrong with an expression: positions where it cannot be read, and metrics that the venue does not
 * have.
 */
function faultsIn(expression: string): string[] {
  const faults: string[] = [];
  let selectors = 0;
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to, node }) => {
      if (type.isError) faults.push(`cannot be read at ${from}`);
      if (name !== "Identifier" || node.parent?.name !== "VectorSelector") return;
      selectors++;
      const metric = expression.slice(from, to);
      if (!known.has(metric)) faults.push(`no metric ${metric}`);
    },
  });
  if (selectors === 0) faults.push("names no metric");
  return faults;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description?: string };
}

/** Returns the labels that an annotation's text uses. The expression's result must have these labels. */
function labelsIn({ summary, description = "" }: Rule["annotations"]): string[] {
  return [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, name = ""]) => name);
}

test("OPS-21 the check finds an expression that Prometheus would refuse or that names no metric", () => {
  assert(known.size > 15);
  assert.deepEqual(faultsIn("rate(rialto_journal_commit_seconds_sum[1m]) > 0.05"), []);
  assert.deepEqual(faultsIn("rialto_committed_seq + rialto_no_such_thing"), [
    "no metric rialto_no_such_thing",
  ]);
  assert.deepEqual(faultsIn("1 > 2"), ["names no metric"]);
  for (const broken of [
    "rate(rialto_committed_seq[1m]",
    "rialto_committed_seq >",
    "sum by thread (rialto_committed_seq)",
    'rialto_committed_seq{thread="a}',
  ]) {
    assert.match(faultsIn(broken).join(), /cannot be read/, broken);
  }
});

test("OPS-21 every alert rule is complete, and Prometheus can read its expressions", () => {
  const { groups } = parseYaml(read("docs/ops/alerts.yml")) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  assert(rules.length > 10);
  assert.equal(
    new Set(rules.map(({ alert }) => alert)).size,
    rules.length,
    "alert names must be unique",
  );
  for (const rule of rules) {
    const { alert, expr, labels, annotations } = rule;
    assert.deepEqual(faultsIn(expr), [], alert);
    assert(["page", "ticket"].includes(labels.severity), alert);
    assert.notEqual(annotations.summary, "", alert);
    assert.match(rule.for ?? "0s", /^\d+[smh]$/, alert);
    const isSummed = /\b(sum|max|min|avg)\s*\(/.test(expr);
    assert(
      !(isSummed && labelsIn(annotations).length > 0),
      `${alert}: the expression's sum removes a label that the text uses`,
    );
  }
});

test("OPS-21 every panel of the dashboard has expressions that Prometheus can read", () => {
  const { panels } = JSON.parse(read("docs/ops/grafana.json")) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  assert(panels.length > 5);
  for (const { title, targets } of panels) {
    assert(targets.length > 0, title);
    for (const { expr } of targets) {
      // Grafana replaces the variable by an interval before it queries Prometheus.
      assert.deepEqual(faultsIn(expr.replaceAll("$__rate_interval", "1m")), [], title);
    }
  }
});

test("OPS-21 the dashboard and the alerts cover the leadership", () => {
  const figures = ["leader", "writer_epoch", "lease_age_seconds", "follower_distance"];
  for (const file of ["docs/ops/grafana.json", "docs/ops/alerts.yml"])
    for (const name of figures) assert.match(read(file), new RegExp(`\\brialto_${name}\\b`), file);
});

test("OPS-21 the dashboard shows every metric of the bus, and silence, gaps and resends raise alerts", () => {
  const figures = [...known].filter((name) => name.startsWith("rialto_bus_"));
  assert(figures.length >= 6);
  const dashboard = read("docs/ops/grafana.json");
  const missing = figures.filter((name) => !dashboard.includes(name));
  assert.deepEqual(missing, []);
  const rules = read("docs/ops/alerts.yml");
  for (const name of [
    "leader_away_seconds",
    "away_seconds",
    "gaps_total",
    "resends_total",
    "messages_refused_total",
  ])
    assert.match(rules, new RegExp(`\\brialto_bus_${name}\\b`));
});

test("OPS-21 the dashboard shows every metric of perpetuals, and a restricted market raises an alert", () => {
  const figures = [...known].filter((name) => name.startsWith("rialto_perpetual_"));
  assert(figures.length >= 7);
  const dashboard = read("docs/ops/grafana.json");
  const missing = figures.filter((name) => !new RegExp(`\\b${name}\\b`).test(dashboard));
  assert.deepEqual(missing, []);
  const rules = read("docs/ops/alerts.yml");
  assert.match(rules, /^ {8}expr: rialto_perpetual_index_stale > 0$/m);
  assert.match(rules, /^ {8}expr: rialto_perpetual_fund_paused > 0$/m);
});
