import { closeSync, openSync, readSync, statSync } from 'node:fs';

const MOST_BYTES = 64 * 1024;

/** The present length of the log; 0 when there is none. */
export function logSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Why the server ended, from the log after `from`: its last fatal error with its hint, or else its last line; '' when it logged nothing.
 */
export function lastFailure(path: string, from: number): string {
  const lines = read(path, from).trimEnd().split('\n');
  const at = lines.findLastIndex((line) => /\b(FATAL|PANIC):/.test(line));
  if (at < 0) return lines.at(-1) ?? '';
  const hint = lines.slice(at + 1, at + 4).find((line) => /\bHINT:/.test(line));
  return [lines[at], hint].flatMap((line) => line?.match(/\b(?:FATAL|PANIC|HINT):.*/)?.[0].replace(/\s+/g, ' ') ?? []).join(' ');
}

function read(path: string, from: number): string {
  const size = logSize(path);
  const start = Math.max(from, size - MOST_BYTES);
  if (size <= start) return '';
  const bytes = Buffer.alloc(size - start);
  const file = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}
