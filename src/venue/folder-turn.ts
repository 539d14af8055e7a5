// Waits for exclusive use of a data folder. A command does not need it if a running venue answers its calls.

import { setTimeout as sleep } from "node:timers/promises";
import { controlSocketPath, isAnswered } from "../adapters/runtime/control-socket.ts";
import { FolderLock, FolderTaken } from "../adapters/runtime/folder-lock.ts";
import { makeDataFolder } from "./config/data-folder.ts";

/**
 * How long a command waits for the folder: a venue needs seconds to answer commands after its start and to release
 * the folder when it stops.
 */
const turnMsMax = 30_000;
/** How long a starting venue waits for a command that holds the folder: commands finish quickly. */
const startMsMax = 10_000;
const lookMs = 50;

/**
 * Locks the folder for one command. Waits while a venue starts or stops there or another command runs. Returns
 * null if a venue answers on its control socket. Throws FolderTaken if the wait is too long.
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

/** Locks the folder for a venue. Waits for commands only; throws FolderTaken if a venue holds it. */
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
