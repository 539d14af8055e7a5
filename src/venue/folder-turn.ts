// A command's turn on a data folder: it is there once nothing else is at work in the folder, or not needed
// because a venue runs that answers by itself.

import { setTimeout as sleep } from "node:timers/promises";
import { controlSocketPath, isAnswered } from "../adapters/runtime/control-socket.ts";
import { FolderLock, FolderTaken } from "../adapters/runtime/folder-lock.ts";
import { makeDataFolder } from "./config/data-folder.ts";

/** A venue answers commands some seconds after its start, and gives the folder back some after its stop. */
const turnMsMax = 30_000;
/** Another command is through in moments. */
const startMsMax = 10_000;
const lookMs = 50;

/**
 * The folder for one command, waiting while a venue starts or stops there or another command is at work; null
 * where a venue answers its control socket. Throws FolderTaken where that takes too long.
 */
export async function commandTurn(dataDir: string): Promise<FolderLock | null> {
  await makeDataFolder(dataDir);
  const path = controlSocketPath(dataDir);
  for (const untilMs = performance.now() + turnMsMax; ; await sleep(lookMs)) {
    if (await isAnswered(path)) return null;
    const taken = await takenOrFault(dataDir, "command");
    if (taken instanceof FolderLock) return taken;
    if (performance.now() > untilMs) throw taken;
  }
}

/** The folder for a venue, waiting for commands only. Throws FolderTaken where a venue has it. */
export async function venueTurn(dataDir: string): Promise<FolderLock> {
  await makeDataFolder(dataDir);
  for (const untilMs = performance.now() + startMsMax; ; await sleep(lookMs)) {
    const taken = await takenOrFault(dataDir, "venue");
    if (taken instanceof FolderLock) return taken;
    if (taken.holder.use === "venue" || performance.now() > untilMs) throw taken;
  }
}

async function takenOrFault(
  dataDir: string,
  use: "venue" | "command",
): Promise<FolderLock | FolderTaken> {
  try {
    return await FolderLock.take(dataDir, use);
  } catch (error) {
    if (error instanceof FolderTaken) return error;
    throw error;
  }
}
