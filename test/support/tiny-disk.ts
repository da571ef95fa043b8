import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of one megabyte; null where none can be mounted. */
export function mountTiny(): { path: string; fill(): void; free(): void; unmount(): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'sluice-tiny-'));
  const filler = join(path, 'filler');
  const unmount = (): void => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', path]).status !== 0) {
    unmount();
    return null;
  }
  return {
    path,
    fill: () => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
    unmount,
  };
}
