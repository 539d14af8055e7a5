// Runs a gateway: opens it, waits until it answers, prints its address, and closes it on the first signal.

import { controlSocketPath, openControlSocket } from "../../adapters/runtime/control-socket.ts";
import { type Config, readConfig } from "../config/config.ts";
import { GatewayProcess } from "../gateway/gateway-process.ts";
import { runningSince } from "../program-version.ts";
import { closeOnSignals, startFault, untilPing } from "./start.ts";
import { ExitCode, logOf, say, show, speaksJson } from "./terminal/output.ts";
import { addressOf } from "./venue-address.ts";

export async function runGateway(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const log = logOf(config, "gateway");
  let opened: GatewayProcess | null = null;
  const onLocked = () => {
    openControl(config, () => opened).catch((err) => log.error({ err }, "no status can be shown"));
    if (!speaksJson()) say(`Waiting for the leader of the venue called ${config.venueName}.`);
  };
  const opening = GatewayProcess.open(config, log, { onLocked }).catch((error) => {
    throw startFault(error, config) ?? error;
  });
  const signals = closeOnSignals(async () => {
    // A gateway that waits for a leader holds nothing that must be finished.
    if (opened !== null) await opened.close();
  });
  const gateway = await opening;
  opened = gateway;
  gateway.whenFaulted((fault) => {
    log.error({ err: fault }, "a thread ended: stopping the gateway");
    void gateway.abort().finally(() => process.exit(ExitCode.failed));
  });
  gateway.whenOutdated(() => {
    log.warn(
      {},
      "the leader has new markets: this gateway ends, and knows them when it is started again",
    );
    void gateway.close().finally(() => process.exit(ExitCode.deposed));
  });
  const address = addressOf(config.host, gateway.port);
  await untilPing(address);
  if (signals.isClosing()) return;
  if (speaksJson()) show({ address, journal_seq: gateway.committedSeq });
  else say(`The gateway is open at ${address}, at event ${gateway.committedSeq}`);
}

/** Opens the control socket: a gateway tells its status and refuses everything else. */
async function openControl(config: Config, opened: () => GatewayProcess | null): Promise<void> {
  await openControlSocket(controlSocketPath(config.dataDir), async (call) => {
    if (call === "ping") return {};
    if (call === "status") return statusOf(config, opened());
    throw new Error("this is a gateway: run the command where the leader runs");
  });
}

function statusOf({ host, venueName }: Config, gateway: GatewayProcess | null): object {
  return {
    is_running: true,
    ...runningSince(),
    role: "gateway",
    venue: venueName,
    state: gateway === null ? "waits for the leader" : "serves",
    ...(gateway !== null && {
      address: addressOf(host, gateway.port),
      committed_seq: gateway.committedSeq,
    }),
    pid: process.pid,
  };
}
