// `rialto completion`: prints a script with which a shell completes commands and options. The script is made from the
// declared commands, so it knows all of them, and it starts no program while somebody types.

import { Argument, type Command } from "commander";
import { say, show, speaksJson } from "./terminal/output.ts";

/** A command and what may follow it. */
interface Place {
  /** The words up to it, `rialto keys`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
}

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof shells;

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(Object.keys(shells)))
    .description("print a script that completes commands in your shell")
    .addHelpText(
      "after",
      '\nExamples:\n  $ rialto completion bash\n\nIn ~/.bashrc: eval "$(rialto completion bash)"; in ~/.zshrc the same with zsh.' +
        "\nFor fish: rialto completion fish > ~/.config/fish/completions/rialto.fish",
    )
    .action((shell: Shell) => {
      const script = shells[shell](placesOf(program, program.name()));
      if (speaksJson()) show({ shell, script });
      else say(script);
    });
}

function placesOf(command: Command, path: string): Place[] {
  const commands = command.commands.map((one) => ({
    name: one.name(),
    summary: one.description(),
  }));
  const flags = command.options.map(({ long, description }) => ({
    flag: long ?? "",
    summary: description,
  }));
  const shared = [
    { flag: "--json", summary: "print the result as one JSON document" },
    { flag: "--help", summary: "show usage and examples" },
  ].filter(({ flag }) => flags.every((one) => one.flag !== flag));
  const own = { path, commands, options: [...flags, ...shared] };
  return [own, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))];
}

/** The patterns of a `case` by which a script follows the words of a command line. */
function steps(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}

function wordsOf({ commands, options }: Place): string {
  return [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(" ");
}

function cases(places: readonly Place[], line: (words: string) => string): string {
  return places.map((place) => `    "${place.path}") ${line(wordsOf(place))} ;;`).join("\n");
}

function bashScript(places: readonly Place[]): string {
  return `_rialto() {
  local at=rialto word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${steps(places)}) at="$at $word" ;; esac
  done
  case "$at" in
${cases(places, (words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rialto rialto`;
}

function zshScript(places: readonly Place[]): string {
  return `#compdef rialto
_rialto() {
  local at=rialto word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in ${steps(places)}) at="$at $word" ;; esac
  done
  case "$at" in
${cases(places, (words) => `compadd -- ${words}`)}
  esac
}
compdef _rialto rialto`;
}

/** A text in single quotes for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function fishScript(places: readonly Place[]): string {
  const known = places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(" ");
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c rialto -n ${quoted(`__rialto_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, summary }) => `${at} -f -a ${name} -d ${quoted(summary)}`),
      ...options.map(({ flag, summary }) => `${at} -l ${flag.slice(2)} -d ${quoted(summary)}`),
    ];
  });
  return `function __rialto_at
  set -l at rialto
  for word in (commandline -opc)[2..-1]
    contains -- "$at $word" ${known}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}`;
}
