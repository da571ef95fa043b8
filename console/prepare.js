// Builds the console to dist/. `npm ci` runs it; without the development packages there is nothing to build with, and nothing is done.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const vite = viteOf();
if (vite) {
  const { status, error } = spawnSync(process.execPath, ['../bin/node.js', vite, 'build', '--logLevel', 'warn'], {
    cwd: here,
    stdio: 'inherit',
  });
  if (error) throw error;
  process.exitCode = status ?? 1;
}

function viteOf() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  } catch {
    return null;
  }
}
