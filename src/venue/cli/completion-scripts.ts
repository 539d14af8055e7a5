// The completion scripts of bash, zsh and fish. Each has the same table of slots and a short program that finds the
// slot of the word being typed:
//
//   rialto order --tif ▏   slot `rialto order --tif`, the value of an option
//   rialto order buy ▏     slot `rialto order 1`, the second argument
//   rialto order --p▏      slot `rialto order -`, the options; also where no argument is missing

export interface Word {
  readonly text: string;
  readonly summary: string;
}

/** What is offered: words, or what the shell itself finds. */
export type Offer = readonly Word[] | "files" | "profiles";

export interface Slot {
  readonly at: string;
  readonly offer: Offer;
}

/** Returns a shell's script for these slots. */
export const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The paths of commands, below the program: a script follows the words of a command line along them. */
function pathsOf(slots: readonly Slot[]): string[] {
  return slots
    .filter(({ at }) => at.endsWith(" -"))
    .map(({ at }) => at.slice(0, -2))
    .slice(1);
}

/** The options that take a value. */
function takersOf(slots: readonly Slot[]): string[] {
  return slots.map(({ at }) => at).filter((at) => / --\S+$/.test(at));
}

const alternatives = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join("|");

/** The table of slots for bash and zsh: a function that sets `offer` and fails for an unknown slot. */
function caseTable(slots: readonly Slot[]): string {
  const lines = slots.map(({ at, offer }) => {
    const words = typeof offer === "string" ? `@${offer}` : offer.map(({ text }) => text).join(" ");
    return `    "${at}") offer="${words}" ;;`;
  });
  return `_rialto_slot() {
  case "$1" in
${lines.join("\n")}
    *) return 1 ;;
  esac
}`;
}

/** Statements for bash and zsh that follow the words before the current one. */
function walk(slots: readonly Slot[]): string {
  return `    if [[ $word == = ]]; then continue; fi
    if [[ -n $taker ]]; then taker=; continue; fi
    case "$at $word" in
      ${alternatives(pathsOf(slots))}) at="$at $word" ;;
      ${alternatives(takersOf(slots))}) taker="$word" ;;
      *) [[ $word == -* ]] || given=$((given + 1)) ;;
    esac`;
}

/** Statements for bash and zsh that set `offer` for the current word. */
const choose = `  if [[ -n $taker ]]; then _rialto_slot "$at $taker"
  elif [[ $current == -* ]]; then _rialto_slot "$at -"
  else _rialto_slot "$at $given" || _rialto_slot "$at -"
  fi`;

const profileFolder = `\${RIALTO_CONFIG_DIR:-\${XDG_CONFIG_HOME:-$HOME/.config}/rialto}`;

function bashScript(slots: readonly Slot[]): string {
  return `${caseTable(slots)}
_rialto() {
  local at=rialto word taker= given=0 offer= file current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walk(slots)}
  done
  [[ $current == = ]] && current=
${choose}
  COMPREPLY=()
  case "$offer" in
    @files) local IFS=$'\\n'; compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
    @profiles)
      offer=
      for file in "${profileFolder}"/*.secret; do
        [[ -e $file ]] && file="\${file##*/}" && offer="$offer \${file%.secret}"
      done ;;
  esac
  COMPREPLY=($(compgen -W "$offer" -- "$current"))
}
complete -F _rialto rialto`;
}

function zshScript(slots: readonly Slot[]): string {
  return `#compdef rialto
${caseTable(slots)}
_rialto() {
  local at=rialto word taker= given=0 offer= current="$words[CURRENT]"
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walk(slots)}
  done
  if [[ $current == --*=* ]]; then taker="\${current%%=*}"; compset -P '*='; fi
${choose}
  case "$offer" in
    @files) _files ;;
    @profiles) compadd -- "${profileFolder}"/*.secret(N:t:r) ;;
    *) compadd -- \${=offer} ;;
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _rialto rialto`;
}

/** A text in single quotes for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function fishScript(slots: readonly Slot[]): string {
  const list = (texts: readonly string[]) => texts.map(quoted).join(" ");
  const lines = slots.map(({ at, offer }) => {
    const words = () => (offer as readonly Word[]).map(lineOf).map(quoted).join(" ");
    const body =
      typeof offer === "string" ? `__rialto_${offer} $argv[2]` : `__rialto_words ${words()}`;
    return `    case ${quoted(at)}\n      ${body}`;
  });
  return `function __rialto_words
  test (count $argv) -gt 0; and printf '%s\\n' $argv
  return 0
end
function __rialto_files
  __fish_complete_path $argv[1]
end
function __rialto_profiles
  set -l folder $RIALTO_CONFIG_DIR
  test -n "$folder"; or set folder (test -n "$XDG_CONFIG_HOME"; and echo $XDG_CONFIG_HOME; or echo $HOME/.config)/rialto
  for file in $folder/*.secret
    string replace -r '.*/(.*)\\.secret$' '$1' -- $file
  end
end
function __rialto_slot
  switch "$argv[1]"
${lines.join("\n")}
    case '*'
      return 1
  end
end
function __rialto_offer
  set -l at rialto
  set -l taker
  set -l given 0
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    if test -n "$taker"
      set taker
    else if contains -- "$at $word" ${list(pathsOf(slots))}
      set at "$at $word"
    else if contains -- "$at $word" ${list(takersOf(slots))}
      set taker $word
    else if not string match -q -- '-*' $word
      set given (math $given + 1)
    end
  end
  set -l current (commandline -ct)
  set -l own (string match -r -- '^(--[^=]+)=(.*)$' $current)
  if test -n "$own"
    __rialto_slot "$at $own[2]" $own[3] | string replace -r -- '^' "$own[2]="
  else if test -n "$taker"
    __rialto_slot "$at $taker" $current
  else if string match -q -- '-*' $current
    __rialto_slot "$at -" $current
  else
    __rialto_slot "$at $given" $current; or __rialto_slot "$at -" $current
  end
end
complete -c rialto -f -a '(__rialto_offer)'`;
}

/** A word as fish reads it, with its description. */
function lineOf({ text, summary }: Word): string {
  return summary === "" ? text : `${text}\t${summary}`;
}
