import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGzip, gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { probeTape } from './probe.ts';
import { gzipBytes } from './tape-bytes.ts';
import { fileOf, read, tableOf } from './testing/read-for-test.ts';
import { tapeLimits } from './raw-table.ts';

const MIB = 1024 * 1024;
const HEADER = 'loan_id,state,balance\n';

test('a packed CSV file is the same tape as the file itself, in any encoding and in several members', async () => {
  const text = `${HEADER}${Array.from({ length: 60_000 }, (_, i) => `L${i},"Zürich, ${i}",${i * 7}`).join('\n')}\n`;
  const plain = await tableOf(text);
  const half = Math.floor(text.length / 2);
  for (const packed of [
    gzipSync(text),
    gzipSync(text, { level: 0 }),
    Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]),
    gzipSync(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])),
  ]) {
    const seen = await tableOf(packed);
    assert.deepEqual([seen.rows, seen.lines, seen.names], [plain.rows, plain.lines, plain.names]);
  }
  const probe = await probeTape(await fileOf(gzipSync(text)));
  assert.deepEqual(probe.ok && [probe.columns.length, probe.firstRows[0]], [3, ['L0', 'Zürich, 0', '0']]);
});

/** Lines of zeros without end, packed: a thousand times smaller than they are. */
async function bomb(mib: number): Promise<Buffer> {
  const line = Buffer.from(`${'0'.repeat(MIB - 1)}\n`);
  const lines = function* () {
    yield Buffer.from(HEADER);
    for (let count = 0; count < mib; count += 1) yield line;
  };
  return Buffer.concat(await Array.fromAsync(Readable.from(lines()).pipe(createGzip())));
}

test('an archive that expands without end is refused in a sentence, by a probe too, in little memory', async () => {
  const packed = await bomb(300);
  assert.ok(packed.length < MIB);
  const before = process.memoryUsage.rss();
  const outcome = await read(packed);
  assert.deepEqual(outcome.ok ? null : outcome.problem.code, 'UNREADABLE_FILE');
  assert.match(outcome.ok ? '' : outcome.problem.message, /expands to more than 150 times its size.*Split the tape/);
  const probe = await probeTape(await fileOf(packed));
  assert.match(probe.ok ? '' : probe.problem.message, /expands to more than 150 times/);
  assert.ok(process.memoryUsage.rss() - before < 150 * MIB);
});

test('an archive may expand to the limit and no further', async () => {
  const text = `${HEADER}${'A1,NY,100\n'.repeat(1_000)}`;
  const path = await fileOf(gzipSync(text));
  const sizeOf = async (maxExpandedBytes: number) => {
    let size = 0;
    for await (const chunk of gzipBytes(path, { ...tapeLimits('csv'), maxExpandedBytes }).chunks()) size += chunk.length;
    return size;
  };
  assert.equal(await sizeOf(text.length), text.length);
  await assert.rejects(sizeOf(text.length - 1), /expands to more than \d+ bytes/);
});

test('an archive that is damaged anywhere is refused, never half read', async () => {
  const packed = gzipSync(`${HEADER}${Array.from({ length: 500 }, (_, i) => `L${i},NY,${i * 3}`).join('\n')}\n`);
  for (let at = 20; at < packed.length; at += 97) {
    const cut = await read(packed.subarray(0, at));
    assert.equal(cut.ok ? 'READ' : cut.problem.code, 'UNREADABLE_FILE', `cut at ${at}`);
    const changed = Buffer.from(packed);
    changed[at] ^= 0x55;
    const outcome = await read(changed);
    assert.equal(outcome.ok ? 'READ' : outcome.problem.code, 'UNREADABLE_FILE', `changed at ${at}`);
  }
});
