#!/usr/bin/env node
// Runs its arguments with a Node that understands TypeScript: forwards signals and the exit code.
import { spawn } from 'node:child_process';
import { exitCodeOf } from './exit-code.js';
import { findNode } from './packaged-node.js';

const child = spawn(findNode(), process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = exitCodeOf(code, signal);
});
