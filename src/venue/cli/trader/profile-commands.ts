// `rialto profile`: stores, lists, selects and removes the profiles with which the trading commands sign. A secret is
// read from a file, the environment or standard input, never from an argument, and is never printed.

import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Command, InvalidArgumentError } from "commander";
import { isProfileName, ProfileStore } from "../../../tools/trader/profiles.ts";
import { say, show, speaksJson } from "../terminal/output.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";

/** More than any secret has. */
const inputBytesMax = 16_384;

interface AddOptions {
  readonly venue?: string;
  readonly key: string;
  readonly secretFile?: string;
}

/** The profiles of this user. */
export function ownProfiles(): ProfileStore {
  const { RIALTO_CONFIG_DIR, XDG_CONFIG_HOME } = process.env;
  const base = XDG_CONFIG_HOME || join(homedir(), ".config");
  return new ProfileStore(RIALTO_CONFIG_DIR || join(base, "rialto"));
}

export function addProfileCommands(program: Command): void {
  const profile = program
    .command("profile")
    .description("the API keys with which the trading commands sign");
  profile
    .command("add")
    .argument("<name>", "name of the profile")
    .description(
      "store a key; the secret is read from --secret-file, RIALTO_SECRET or standard input",
    )
    .requiredOption("--key <key>", "the value of the API key (required)")
    .option("--venue <url>", "the venue's URL (default: the running venue's)")
    .option("--secret-file <path>", "a file with the secret, or with an Ed25519 private key in PEM")
    .addHelpText(
      "after",
      "\nIt is stored in ~/.config/rialto, in files that only you can read; RIALTO_CONFIG_DIR names another folder.\n" +
        "\nExamples:\n  $ rialto profile add desk --key AbC123 --secret-file secret.txt" +
        "\n  $ rialto profile add desk --key AbC123 --venue https://venue.example",
    )
    .action(add);
  profile
    .command("list")
    .description("list the profiles; secrets are not shown")
    .addHelpText("after", "\nExample:\n  $ rialto profile list")
    .action(async () => {
      const { current, profiles } = await ownProfiles().list();
      show(profiles.map((one) => ({ ...one, in_use: one.name === current })));
    });
  profile
    .command("use")
    .argument("<profile>", "name of the profile")
    .description("sign with this profile from now on")
    .addHelpText("after", "\nExample:\n  $ rialto profile use desk")
    .action(async (name: string) => {
      await ownProfiles().use(name);
      show({ profile: name, in_use: true });
    });
  profile
    .command("remove")
    .argument("<profile>", "name of the profile")
    .description("remove a profile and its secret from this machine; the key stays valid")
    .addHelpText("after", "\nExample:\n  $ rialto profile remove desk")
    .action(async (name: string) => {
      await ownProfiles().remove(name);
      show({ profile: name, removed: true });
    });
}

const keyForm = /^[\w-]{1,128}$/;

async function add(name: string, { key, venue, secretFile }: AddOptions): Promise<void> {
  if (!isProfileName(name))
    throw new InvalidArgumentError(
      "a profile's name has 1 to 32 letters, digits, hyphens or underscores",
    );
  if (!keyForm.test(key))
    throw new InvalidArgumentError(
      "--key: expected an API key, of letters, digits, hyphens and underscores",
    );
  const address = await venueAddress(venue, dataDirDefault);
  if (!URL.canParse(address) || !/^https?:/.test(address) || new URL(address).pathname !== "/")
    throw new InvalidArgumentError(
      "--venue: expected a URL without a path, such as https://venue.example",
    );
  const secret = await secretFrom(secretFile);
  await ownProfiles().add({ name, address: new URL(address).origin, key }, secret);
  show({ profile: name, address, key });
}

async function secretFrom(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    if ((await stat(file)).size > inputBytesMax) throw new Error(`${file} is not a secret`);
    return readFile(file, "utf8");
  }
  return process.env["RIALTO_SECRET"] || (process.stdin.isTTY ? typed() : piped());
}

/** Reads a line from the terminal without showing it. */
async function typed(): Promise<string> {
  if (!speaksJson()) say("Secret of the key (it is not shown):");
  const silent = { write: () => true, end: () => undefined } as unknown as NodeJS.WritableStream;
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await new Promise((resolve) =>
      lines.once("line", resolve).once("close", () => resolve("")),
    );
  } finally {
    lines.close();
  }
}

async function piped(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > inputBytesMax) throw new Error("standard input is not a secret");
  }
  return text;
}
