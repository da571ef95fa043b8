// Builds the package: the types from openapi.json and the events of the platform, then dist/. `npm ci` runs it.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

if (hasGenerator()) {
  const { status, error } = spawnSync(process.execPath, ['../bin/node.js', 'build.ts'], { cwd: here, stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
} else
  process.stdout.write(
    'sluice-sdk is not built: its development packages are not installed (npm ci without --omit=dev installs them)\n',
  );

function hasGenerator() {
  try {
    createRequire(import.meta.url).resolve('openapi-typescript');
    return true;
  } catch {
    return false;
  }
}
