// Tests the settings: valid values, defaults and every kind of invalid value.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";
import { checkFixFiles } from "./fix-files.ts";

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test("an empty environment gives the documented defaults", () => {
  const config = readConfig({});
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.port, 8080);
  assert.match(config.dataDir, /^\/.*\/data$/);
  assert.equal(config.databaseUrl, null);
  assert.equal(config.devTools, true);
  assert.equal(config.matchers, 1);
  assert.equal(config.fronts, 1);
  assert.deepEqual(config.trustedProxies, []);
  assert.equal(config.gatewayTimeoutMs, 30_000);
});

test("development tools are off with an external database or in production, unless they are switched on", () => {
  assert.equal(readConfig({ DATABASE_URL: "postgres://a@b/c" }).devTools, false);
  assert.equal(readConfig({ NODE_ENV: "production" }).devTools, false);
  assert.equal(readConfig({ NODE_ENV: "production", DEV_TOOLS: "1" }).devTools, true);
  assert.equal(readConfig({ DEV_TOOLS: "0" }).devTools, false);
});

test("an empty variable counts as unset", () => {
  assert.equal(readConfig({ PORT: "", DATABASE_URL: "" }).port, 8080);
});

test("OPS-1 the message about an invalid setting has its name, its value and what was expected", () => {
  assert.deepEqual(faultsOf({ PORT: "eighty" }), [
    'PORT="eighty": expected an integer from 0 to 65535',
  ]);
  assert.deepEqual(faultsOf({ PORT: "65536" }), [
    'PORT="65536": expected an integer from 0 to 65535',
  ]);
});

test("OPS-1 each setting refuses invalid values", () => {
  const wrong: Record<string, string[]> = {
    PORT: ["-1", "1e3", " 80", "0x50"],
    MATCHERS: ["0", "17"],
    FRONT_THREADS: ["0"],
    DEV_TOOLS: ["yes", "true", "2"],
    TRUSTED_PROXIES: ["localhost", "10.0.0.0/33", "10.0.0.1;10.0.0.2", "10.0.0.999", "::1/129"],
    CORS_ORIGINS: [
      "desk.example",
      "https://desk.example/",
      "https://Desk.example",
      "*.example",
      "null",
    ],
    MASTER_KEY: ["abc", "g".repeat(64)],
    DATABASE_URL: [
      "mysql://x",
      "localhost:5432",
      "postgres://a:b c@[x/d",
      "postgres://a@b/c?sslmode=no-verify",
      "postgres://a@b/c?sslmode=require",
      "postgres://a@b/c?sslmode=verify-full&ssl=no-verify",
      "postgres://a@b/c?sslmode=verify-full&uselibpqcompat=true",
    ],
    LOG_LEVEL: ["loud"],
    GATEWAY_TIMEOUT_MS: ["100"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const faults = faultsOf({ [name]: value });
      assert.equal(faults.length, 1, `${name}=${value}`);
      assert.match(faults[0] ?? "", new RegExp(`^${name}=`));
    }
  }
});

test("OPS-47 a database is reached by checked TLS, or without TLS", () => {
  const modes = ["", "?sslmode=verify-full&sslrootcert=/tls/ca.pem", "?sslmode=disable"];
  const faults = modes.flatMap((mode) => faultsOf({ DATABASE_URL: `postgres://a@b/c${mode}` }));
  assert.deepEqual(faults, []);
});

test("OPS-1 ROLE=auto names what is missing beside it", () => {
  const none = faultsOf({ ROLE: "auto" });
  assert.equal(
    none[0],
    'ROLE="auto": expected DATABASE_URL and MASTER_KEY with it, the same for all venues',
  );
  assert.match(none[1] ?? "", /LEDGER_URL, or LEDGER_PROFILE=none, with it/);
  const some = { ROLE: "auto", DATABASE_URL: "postgres://a@b/c", LEDGER_PROFILE: "none" };
  assert.deepEqual(faultsOf(some), [
    'ROLE="auto": expected MASTER_KEY with it, the same for all venues',
  ]);
  assert.deepEqual(faultsOf({ ...some, MASTER_KEY: "11".repeat(32) }), []);
});

test("all invalid settings are reported at once", () => {
  assert.equal(faultsOf({ PORT: "x", MATCHERS: "y", LOG_LEVEL: "z" }).length, 3);
});

test("a fault never repeats a secret", () => {
  for (const name of ["MASTER_KEY", "DATABASE_URL"]) {
    const [fault = ""] = faultsOf({ [name]: "hunter2hunter2" });
    assert.doesNotMatch(fault, /hunter2/);
    assert.match(fault, /14 characters/);
  }
});

test("a list of networks is split at commas", () => {
  const { trustedProxies } = readConfig({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,::1/128" });
  assert.deepEqual(trustedProxies, ["127.0.0.1", "10.0.0.0/8", "::1/128"]);
});

test("HTP-6 a list of origins is split at commas", () => {
  assert.deepEqual(readConfig({}).corsOrigins, []);
  const { corsOrigins } = readConfig({ CORS_ORIGINS: "https://desk.example, http://[::1]:5173,*" });
  assert.deepEqual(corsOrigins, ["https://desk.example", "http://[::1]:5173", "*"]);
});

test("OPS-1 a ledger of the operator's own needs its parties and a source of tokens, and a missing one is named", () => {
  const faults = faultsOf({ LEDGER_URL: "https://participant.example" });
  assert.deepEqual(
    faults.map((fault) => fault.split("=")[0]),
    ["LEDGER_OPERATOR_PARTY", "LEDGER_CUSTODY_PARTY", "LEDGER_TOKEN"],
  );
  assert.deepEqual(faultsOf({ LEDGER_PROFILE: "canton-v1" }).length, 1);
  assert.deepEqual(faultsOf({ LEDGER_COMMIT_FROM_MS: "5", LEDGER_COMMIT_TO_MS: "1" }).length, 1);
  const [told = ""] = faultsOf({ LEDGER_URL: "ftp://x", LEDGER_TOKEN: "hidden" });
  assert.ok(!told.includes("hidden"));
});

test("the ledger is embedded by default, absent in production, and a participant if a URL is set", () => {
  assert.equal(readConfig({}).ledger.profile, "devnet");
  assert.equal(readConfig({ NODE_ENV: "production" }).ledger.profile, "none");
  const hex = "ab".repeat(32);
  const { ledger } = readConfig({
    LEDGER_URL: "https://participant.example/",
    LEDGER_OPERATOR_PARTY: `operator::1220${hex}`,
    LEDGER_CUSTODY_PARTY: `custody::1220${hex}`,
    LEDGER_TOKEN: "token",
    LEDGER_REGISTRIES: `usd::1220${hex}=https://registry.example/`,
  });
  assert.equal(ledger.profile, "canton-v1");
  assert.equal(ledger.url, "https://participant.example");
  assert.equal(ledger.registries.get(`usd::1220${hex}`), "https://registry.example");
});

test("FIX-1 a certificate that cannot be read or used stops the start, with the name of its setting", () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-fix-files-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const faultsOfFiles = (certFile: string, keyFile: string) => {
    try {
      checkFixFiles({ port: 9000, marketDataPort: null, tls: { certFile, keyFile } });
      return "";
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message;
    }
  };
  try {
    const self = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const names = ["-subj", "/CN=localhost", "-days", "1", "-keyout", key, "-out", cert];
    execFileSync("openssl", ["req", ...self, ...names], { stdio: "ignore" });
    assert.equal(faultsOfFiles(cert, key), "");
    assert.match(faultsOfFiles(join(folder, "none"), key), /FIX_TLS_CERT=.*none cannot be read/);
    assert.match(faultsOfFiles(cert, join(folder, "none")), /FIX_TLS_KEY=.*none cannot be read/);
    assert.match(faultsOfFiles(key, cert), /FIX_TLS_CERT and FIX_TLS_KEY must be/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("FIX-1 a FIX listener needs a whole TLS setting, unless only this machine or a proxy reaches it", () => {
  const faults = (more: Record<string, string>) =>
    faultsOf({ FIX_PORT: "9878", ...more }).map((text) => text.split("=")[0]);
  const open = { HOST: "0.0.0.0" };
  const [cert, key] = [{ FIX_TLS_CERT: "/cert.pem" }, { FIX_TLS_KEY: "/key.pem" }];
  for (const allowed of [{}, { FIX_PLAIN: "1", ...open }, { ...cert, ...key, ...open }])
    assert.deepEqual(faults(allowed), []);
  assert.deepEqual(faults(open), ["FIX_PORT"]);
  assert.deepEqual(faults({ PORT: "9878" }), ["FIX_PORT"]);
  for (const half of [cert, key]) assert.deepEqual(faults(half), ["FIX_TLS_CERT"]);
  const data = { FIX_MARKET_DATA_PORT: "9879" };
  assert.deepEqual(faults({ ...data, ...open }), ["FIX_PORT", "FIX_MARKET_DATA_PORT"]);
  assert.deepEqual(faults({ FIX_MARKET_DATA_PORT: "9878" }), ["FIX_MARKET_DATA_PORT"]);
  for (const name of ["FIX_PORT", "FIX_MARKET_DATA_PORT"])
    for (const port of ["x", "65536", "-1"]) assert.deepEqual(faults({ [name]: port }), [name]);
});
