// `rialto completion`: prints a script with which a shell completes commands, options and their values. The script is
// made from the declared commands, so it knows all of them, and it starts no program while somebody types.

import { Argument, type Command, type Option } from "commander";
import { riskTermRows } from "../../core/perpetuals/risk-terms.ts";
import { type Offer, type Slot, scripts, type Word } from "./completion-scripts.ts";
import { oneOf } from "./terminal/choices.ts";
import { say, show, speaksJson } from "./terminal/output.ts";

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .addArgument(oneOf(new Argument("<shell>", "bash, zsh or fish"), Object.keys(scripts)))
    .description("print a script that completes commands in your shell")
    .addHelpText(
      "after",
      "\nIt offers the markets that a new venue has, and your own profiles and files." +
        '\n\nExamples:\n  $ rialto completion bash\n\nIn ~/.bashrc: eval "$(rialto completion bash)"; in ~/.zshrc the same with zsh.' +
        "\nFor fish: rialto completion fish > ~/.config/fish/completions/rialto.fish",
    )
    .action((shell: keyof typeof scripts) => {
      const script = scripts[shell](slotsOf(program, program.name()));
      if (speaksJson()) show({ shell, script });
      else say(script);
    });
}

const wordsOf = (names: readonly string[]): Offer => names.map((text) => ({ text, summary: "" }));

/** The markets and assets that a new venue has; a shell cannot ask a venue for the others while somebody types. */
const spotMarkets = ["CC-USDC", "CBTC-USDC", "CETH-USDC"];
const perpetuals = ["BTC-PERP", "ETH-PERP", "CC-PERP"];
const assets = ["USDC", "CC", "CBTC", "CETH"];

/** What belongs where help has one of these names, such as `<market>`. */
const offersByName: Readonly<Record<string, Offer>> = {
  market: wordsOf([...spotMarkets, ...perpetuals]),
  symbol: wordsOf([...spotMarkets, ...perpetuals]),
  pair: wordsOf(spotMarkets),
  perpetual: wordsOf(perpetuals),
  asset: wordsOf(assets),
  term: wordsOf(riskTermRows.map(({ name }) => name)),
  profile: "profiles",
  file: "files",
  path: "files",
  "file or url": "files",
};

/** What a shell can offer for a value: nothing if only its writer can know it. */
function offerOf(choices: readonly string[] | undefined, name: string): Offer {
  return choices === undefined ? (offersByName[name] ?? []) : wordsOf(choices);
}

/** All slots of a command, and of the commands below it. `path` has the words up to it, such as `rialto keys`. */
function slotsOf(command: Command, path: string): Slot[] {
  const options = optionsOf(command);
  const values = command.options
    .filter(({ required, optional }) => required || optional)
    .map(({ long, flags, argChoices }) => {
      const [, name = ""] = /<([^>.]+)/.exec(flags) ?? [];
      return { at: `${path} ${long}`, offer: offerOf(argChoices, name) };
    });
  const below = command.commands.map((one): Word => {
    return { text: one.name(), summary: one.description() };
  });
  const first =
    below.length === 0 ? argumentsOf(command, path) : [{ at: `${path} 0`, offer: below }];
  return [
    { at: `${path} -`, offer: options },
    ...values,
    ...first,
    ...command.commands.flatMap((one) => slotsOf(one, `${path} ${one.name()}`)),
  ];
}

/** Where an argument may be left out and is not known, options are offered instead. */
function argumentsOf({ registeredArguments }: Command, path: string): Slot[] {
  return registeredArguments.flatMap((argument, position) => {
    const offer = offerOf(argument.argChoices, argument.name());
    const isShown = argument.required || offer.length > 0;
    return isShown ? [{ at: `${path} ${position}`, offer }] : [];
  });
}

function optionsOf({ options }: Command): Word[] {
  const own = options.map(({ long, description }: Option): Word => {
    return { text: long ?? "", summary: description };
  });
  const shared = [
    { text: "--json", summary: "print the result as one JSON document" },
    { text: "--help", summary: "show usage and examples" },
  ];
  return [...own, ...shared.filter(({ text }) => own.every((one) => one.text !== text))];
}
