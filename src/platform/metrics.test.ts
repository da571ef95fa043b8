import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountTiny } from '../../test/support/tiny-disk.ts';
import { createMetrics } from './metrics.ts';

test('the room on the disks is in the metrics as it is when they are read', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system can be mounted here');
  t.after(() => disk.unmount());
  const { registry } = createMetrics({ objects: disk.path, data: `${disk.path}/absent` });
  const free = async () => (await registry.metrics()).match(/^sluice_disk_free_bytes.*$/gm);
  assert.deepEqual(await free(), ['sluice_disk_free_bytes{folder="objects"} 1048576']);
  disk.fill();
  assert.deepEqual(await free(), ['sluice_disk_free_bytes{folder="objects"} 0']);
});
