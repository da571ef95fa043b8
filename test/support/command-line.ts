import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export type Ended = { code: number | null; stdout: string; stderr: string };
export type CommandLine = (args: readonly string[], input?: string) => Promise<Ended>;

export const environmentIn = (folder: string, env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...(process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {}),
  ...env,
});

/** The command in a process of its own, with its profiles in the folder. */
export function commandLine(folder: string, env: Record<string, string> = {}): CommandLine {
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [CLI, ...args], { env: environmentIn(folder, env), cwd: folder });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
      // A command that does not read its input may have ended by then.
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
}
