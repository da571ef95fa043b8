import { text } from 'node:stream/consumers';
import { CommandFailure, EXIT } from '../failure.ts';

const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\u007f', '\b'];

/** The key from standard input: typed without an echo on a terminal, else all of it. */
export async function readKey(fromInput: boolean): Promise<string> {
  const key = (process.stdin.isTTY && !fromInput ? await typed('API key: ') : await text(process.stdin)).trim();
  if (key === '') throw new CommandFailure('no key was given: type it, or send it with --key-stdin < FILE', EXIT.usage);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CommandFailure('this is not a key: expected one word of printable characters, such as eyJ…', EXIT.usage);
  return key;
}

function typed(prompt: string): Promise<string> {
  const { stdin } = process;
  // Before the prompt: what is typed at once shall not be seen either.
  stdin.setRawMode(true);
  process.stderr.write(prompt);
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let line = '';
    const end = (finish: () => void): void => {
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      process.stderr.write('\n');
      finish();
    };
    const take = (chunk: string): void => {
      for (const character of chunk) {
        if (character === INTERRUPT) return end(() => reject(new CommandFailure('interrupted', EXIT.interrupted)));
        if (['\r', '\n', END].includes(character)) return end(() => resolve(line));
        line = ERASE.includes(character) ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on('data', take);
  });
}
