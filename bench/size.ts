// What an installation without development packages takes on the disk, and its largest packages.
// npm run bench -- size
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LIMIT_MIB = 420;
const MIB = 2 ** 20;
const LARGEST = 10;
const BLOCK = 512;

export async function run(): Promise<void> {
  const { stdout } = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: ROOT, encoding: 'utf8' });
  const folders = [...new Set(stdout.split('\n').filter((path) => path.includes('node_modules')))];
  const sizes = folders.map((folder) => ({ name: relative(join(ROOT, 'node_modules'), folder), bytes: sizeOf(folder) }));
  sizes.sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of sizes.slice(0, LARGEST)) process.stdout.write(`${mib(bytes).padStart(8)} MiB  ${name}\n`);
  process.stdout.write(`${mib(total).padStart(8)} MiB  ${sizes.length} packages\n`);
  process.stdout.write(
    `${JSON.stringify({ bench: 'size', ratio: total / MIB / LIMIT_MIB, limit: 1, mebibytes: Math.round(total / MIB) })}\n`,
  );
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(1);

/** Room on the disk of a package, without the packages in it, which are listed themselves. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? sizeOf(path) : lstatSync(path).blocks * BLOCK;
  }
  return bytes;
}
