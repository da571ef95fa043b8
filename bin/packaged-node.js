// Finds a Node that runs TypeScript: this one if it is new enough, otherwise the one that the package brings.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OLDEST_MAJOR = 24;

export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  const require = createRequire(import.meta.url);
  const name = process.platform === 'darwin' ? `node-bin-darwin-${process.arch}` : `node-${process.platform}-${process.arch}`;
  try {
    const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    if (existsSync(path)) return path;
  } catch {
    // Falls through to the message: the package is not installed for this platform.
  }
  process.stderr.write(
    `sluice needs Node ${OLDEST_MAJOR} or newer, or an install by npm 11 that brings one (this is Node ${process.versions.node}).\n`,
  );
  process.exit(1);
}
