#!/usr/bin/env node
// The command beside a Node of the machine: starts src/cli.ts with one that understands TypeScript, forwards signals and the exit code.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitCodeOf } from './exit-code.js';
import { findNode } from './packaged-node.js';

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
// The console's scripts lose their types by a function of Node that calls itself experimental at its first use.
const child = spawn(findNode(), ['--disable-warning=ExperimentalWarning', cli, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm passes no signal on to what its shell runs, and a killed one cannot: then this process has another parent.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref();
}
child.on('exit', (code, signal) => {
  process.exitCode = exitCodeOf(code, signal);
});
