import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

type Known = { path: string; words: string[] };

/** A script of the shell's own: completing starts no process. */
export function completionScript(program: Command, shell: Shell): string {
  const known = wordsOf(program, '');
  return { bash, zsh, fish }[shell](known);
}

function wordsOf(command: Command, path: string): Known[] {
  const inner = command.commands.filter((each) => each.name() !== 'help');
  const options = command.options.filter((each) => !each.hidden).flatMap((each) => (each.long ? [each.long] : []));
  const words = [...inner.map((each) => each.name()), ...options, '--help'];
  return [{ path, words }, ...inner.flatMap((each) => wordsOf(each, path === '' ? each.name() : `${path} ${each.name()}`))];
}

const cases = (known: readonly Known[]): string =>
  known.map(({ path, words }) => `    '${path}') words='${words.join(' ')}';;`).join('\n');

/** The commands among the words before the cursor, at most two. */
const bash = (known: readonly Known[]): string => `_sluice() {
  local path='' word words='' depth=0
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break;; esac
    [ "$depth" -ge 2 ] && break
    path="\${path:+$path }$word"; depth=$((depth + 1))
  done
  case "$path" in
${cases(known)}
    *) words='';;
  esac
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sluice sluice
`;

const zsh = (known: readonly Known[]): string => `#compdef sluice
_sluice() {
  local path_='' word words_='' depth=0
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) break;; esac
    [ "$depth" -ge 2 ] && break
    path_="\${path_:+$path_ }$word"; depth=$((depth + 1))
  done
  case "$path_" in
${cases(known).replaceAll('words=', 'words_=')}
  esac
  compadd -- \${=words_} || _files
}
compdef _sluice sluice
`;

const fish = (known: readonly Known[]): string => {
  const lines = known.flatMap(({ path, words }) => {
    const names = path === '' ? [] : path.split(' ');
    return words.map((word) => {
      const option = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c sluice -n '__sluice_at "${names.join(' ')}"' ${option}`;
    });
  });
  return `function __sluice_at
  set -l words (commandline -opc)
  set -l names (string match -v -- '-*' $words[2..-1])
  test (string join ' ' $names[1..2]) = "$argv[1]"
end
${lines.join('\n')}
`;
};
