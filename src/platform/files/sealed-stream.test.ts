import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { createOpener, createSealer, newDataKey, SealBroken } from './sealed-stream.ts';

const through = (bytes: Buffer, stream: Transform, chunk = 65_536): Promise<Buffer> => {
  const parts = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) => bytes.subarray(at * chunk, (at + 1) * chunk));
  const source = Readable.from(parts);
  source.pipe(stream);
  return buffer(stream);
};

const MIB = 1024 * 1024;

test('what was sealed opens to the same bytes, whatever its length and however it is cut', async () => {
  const key = newDataKey();
  for (const size of [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 17]) {
    const plain = randomBytes(size);
    const sealed = await through(plain, createSealer(key, 'a tape'));
    if (size >= 16) assert.ok(!sealed.includes(plain.subarray(0, 16)), `${size} bytes stay plain`);
    for (const chunk of [size > 100_000 ? 99_991 : 7, 4 * MIB])
      assert.ok((await through(sealed, createOpener(key, 'a tape'), chunk)).equals(plain), `${size} bytes in ${chunk}`);
  }
});

test('nothing opens with another key, for another record, cut off, changed or with its frames moved', async () => {
  const key = newDataKey();
  const plain = randomBytes(2 * MIB + 100);
  const sealed = await through(plain, createSealer(key, 'a tape'));
  const frame = MIB + 16;
  const header = sealed.length - 2 * frame - 116;
  const changed = Buffer.from(sealed);
  changed[header + 5] = (changed[header + 5] ?? 0) ^ 1;
  const moved = Buffer.concat([
    sealed.subarray(0, header),
    sealed.subarray(header + frame, header + 2 * frame),
    sealed.subarray(header, header + frame),
    sealed.subarray(header + 2 * frame),
  ]);
  const cases: [string, Buffer, Transform][] = [
    ['another key', sealed, createOpener(newDataKey(), 'a tape')],
    ['another record', sealed, createOpener(key, 'another tape')],
    ['cut at the end of a frame', sealed.subarray(0, header + 2 * frame), createOpener(key, 'a tape')],
    ['cut within a frame', sealed.subarray(0, header + 10), createOpener(key, 'a tape')],
    ['cut within the header', sealed.subarray(0, 10), createOpener(key, 'a tape')],
    ['changed', changed, createOpener(key, 'a tape')],
    ['moved', moved, createOpener(key, 'a tape')],
    ['plain', plain, createOpener(key, 'a tape')],
  ];
  for (const [name, bytes, opener] of cases) await assert.rejects(through(bytes, opener), SealBroken, name);
});

test('two objects under one data key have nothing in common', async () => {
  const key = newDataKey();
  const plain = Buffer.alloc(1_000, 'x');
  const [first, second] = [await through(plain, createSealer(key, 'a')), await through(plain, createSealer(key, 'a'))];
  assert.ok(!first.subarray(48, 80).equals(second.subarray(48, 80)));
});
