import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { fileOf } from './testing/read-for-test.ts';
import { fileBytes, readSample } from './tape-bytes.ts';
import { detectText, type TextSource, toUtf8, utf8Chunks } from './text-source.ts';

const MIB = 1024 * 1024;

async function detect(bytes: string | Uint8Array, sampleOnly = false): Promise<TextSource> {
  return await detectText(fileBytes(await fileOf(bytes)), sampleOnly);
}

/** The text of a file as its chunks give it. */
async function textOf(bytes: Uint8Array, source?: TextSource): Promise<string> {
  const path = await fileOf(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of utf8Chunks(fileBytes(path), source ?? (await detectText(fileBytes(path))))) {
    assert.ok(isUtf8(chunk), 'a chunk ends within a character');
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}

const plain = (encoding: TextSource['encoding'], markBytes = 0, brokenBytes = false): TextSource => ({
  encoding,
  markBytes,
  brokenBytes,
});

test('a byte order mark names the encoding and is no part of the text', async () => {
  const text = 'id,city\n1,Zürich\n';
  const wide = Buffer.from(text, 'utf16le');
  const cases: [TextSource, Buffer][] = [
    [plain('utf-8', 3), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])],
    [plain('utf-16le', 2), Buffer.concat([Buffer.from([0xff, 0xfe]), wide])],
    [plain('utf-16be', 2), Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(wide).swap16()])],
  ];
  for (const [source, bytes] of cases) {
    assert.deepEqual(await detect(bytes), source);
    assert.equal(await textOf(bytes), text);
    assert.equal(toUtf8(bytes, source).toString(), text);
  }
});

/** A header of kanji, a row of kanji and one of half-width katakana, as Japanese spreadsheets write them. */
const JAPANESE = Buffer.from('8c5f96f194d48d862c8e8e96bc0a312c8e5293630a322cb1b2b30a', 'hex');

test('text in Shift_JIS is read as such, and one in Windows-1252 never is', async () => {
  assert.deepEqual(await detect(JAPANESE), plain('shift_jis'));
  assert.equal(await textOf(JAPANESE), '契約番号,試名\n1,山田\n2,ｱｲｳ\n');
  const others = [
    'id,Z\xfc\x81rich\n',
    'id,name\n1,O\x92Neil\n2,\x93Bar\x94\n',
    '\xc4\xd6\xdc,\xc9\xc8\n',
    '\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\n',
  ];
  for (const text of others) assert.deepEqual(await detect(Buffer.from(text, 'latin1')), plain('windows-1252'), text);
});

test('text in UTF-32 is refused as what it is', async () => {
  const characters = Uint32Array.from('\ufeffid,city\n1,Bonn\n', (character) => character.codePointAt(0) ?? 0);
  const little = Buffer.from(characters.buffer);
  for (const bytes of [little, Buffer.from(little).swap32()]) await assert.rejects(detect(bytes), /text in UTF-32.*UTF-8/);
});

test('without a mark a zero in nearly every second byte is UTF-16, on whichever side', async () => {
  const wide = Buffer.from('id,amount\n1,5\n', 'utf16le');
  assert.deepEqual(await detect(wide), plain('utf-16le'));
  assert.deepEqual(await detect(Buffer.from(wide).swap16()), plain('utf-16be'));
  assert.deepEqual(await detect(Buffer.from('a\0b\0', 'latin1')), plain('utf-16le'));
  // zeros on both sides are no text
  await assert.rejects(detect(Buffer.alloc(100)), /binary data/);
  await assert.rejects(detect(Buffer.concat([wide, Buffer.alloc(4)])), /binary data/);
  await assert.rejects(detect(Buffer.concat([Buffer.from(wide).swap16(), Buffer.alloc(4)])), /binary data/);
  // two bytes are too few to tell
  await assert.rejects(detect(Buffer.from('a\0', 'latin1')), /binary data/);
});

test('bytes above ASCII are UTF-8 where they are well formed, else Windows-1252', async () => {
  assert.deepEqual(await detect('id,city\n1,Zürich\n'), plain('utf-8'));
  assert.deepEqual(await detect(Buffer.from('id,city\n1,Zürich\n', 'latin1')), plain('windows-1252'));
  assert.deepEqual(await detect('id,city\n'), plain('utf-8'));
});

test('a damaged UTF-8 text stays UTF-8 with four good characters for each broken byte', async () => {
  const withBroken = (good: number, bad: number) =>
    Buffer.concat([
      Buffer.from(`id,city\n1,${'ü,'.repeat(good)}`),
      Buffer.from([...Array<number>(bad)].flatMap(() => [0xe4, 0x2c])),
    ]);
  assert.deepEqual(await detect(withBroken(4, 1)), plain('utf-8', 0, true));
  assert.deepEqual(await detect(withBroken(3, 1)), plain('windows-1252'));
  assert.deepEqual(await detect(withBroken(8, 2)), plain('utf-8', 0, true));
  assert.deepEqual(await detect(withBroken(7, 2)), plain('windows-1252'));
  for (const good of ['漢漢漢漢', '🏦🏦🏦🏦', 'üa漢🏦é'])
    assert.deepEqual(
      await detect(Buffer.concat([Buffer.from(good), Buffer.from([0x2c, 0xe4, 0x2c])])),
      plain('utf-8', 0, true),
      good,
    );
});

test('a mark holds the text to UTF-8 however broken it is', async () => {
  const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('id,city\n1,Zürich\n', 'latin1')]);
  assert.deepEqual(await detect(bytes), plain('utf-8', 3, true));
  assert.equal(await textOf(bytes), 'id,city\n1,Z\ufffdrich\n');
});

test('overlong forms, surrogates and bytes beyond Unicode are broken, the longest characters are not', async () => {
  const broken = [[0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xff]];
  for (const bytes of broken) {
    const source = await detect(Buffer.concat([Buffer.from('id,city\n'), Buffer.from(bytes), Buffer.from('\n')]));
    assert.equal(source.encoding, 'windows-1252', bytes.join());
  }
  for (const text of ['\u0080', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}', 'ü漢🏦'])
    assert.deepEqual(await detect(`id\n${text}\n`), plain('utf-8'), text);
});

test('a character that the end of a file cuts is broken only where no more bytes could complete it', async () => {
  assert.deepEqual(await detect(Buffer.from([...Buffer.from('id\nü,'), 0xe2, 0x82])), plain('utf-8'));
  for (const cut of [[0xe2, 0x82], [0xc2], [0xf0, 0x9f, 0x8f]]) {
    const bytes = Buffer.from([...Buffer.from('id\nü,'), ...cut]);
    assert.deepEqual(await detect(bytes), plain('utf-8'));
    assert.equal(await textOf(bytes), 'id\nü,\ufffd');
  }
  assert.deepEqual(await detect(Buffer.from([...Buffer.from('id\nü,'), 0x82])), plain('windows-1252'));
});

test('every byte of Windows-1252 is the character that the WHATWG table has, or the replacement character', async () => {
  const bytes = Buffer.from([0x61, 0x2c, ...Array.from({ length: 128 }, (_, index) => 0x80 + index)]);
  const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
  const decoder = new TextDecoder('windows-1252');
  const expected = Array.from(bytes, (byte) => (unassigned.has(byte) ? '\ufffd' : decoder.decode(Buffer.from([byte])))).join('');
  assert.equal(toUtf8(bytes, plain('windows-1252')).toString(), expected);
  assert.equal(await textOf(bytes, plain('windows-1252')), expected);
});

for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const) {
  test(`a text in ${encoding} is the same whatever character lies where two chunks meet`, async () => {
    const units = encoding === 'windows-1252' ? ['a', 'é', '€'] : ['a', 'À', 'é', '漢', 'ꀀ', '🏦', '𐀀'];
    const cp1252 = (text: string) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1');
    const encoded = (text: string): Buffer => {
      if (encoding === 'utf-8') return Buffer.from(text);
      if (encoding === 'windows-1252') return cp1252(text);
      const wide = Buffer.from(text, 'utf16le');
      return encoding === 'utf-16le' ? wide : wide.swap16();
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 8 }),
        fc.array(fc.constantFrom(...units), { minLength: 6, maxLength: 10 }),
        async (short, around) => {
          // an odd number of bytes before them shifts the characters over the border of the first chunk
          const width = encoded('a').length;
          const text = 'a'.repeat(Math.floor((MIB - 8 * width) / width) + short) + around.join('') + 'z'.repeat(20);
          assert.equal((await textOf(encoded(text), plain(encoding))) === text, true);
        },
      ),
      { numRuns: 15 },
    );
  });
}

test('a broken UTF-8 text has one replacement for each broken byte, at a border of chunks too', async () => {
  const bytes = Buffer.concat([Buffer.from('ü'.repeat(MIB / 2 - 1)), Buffer.from([0x61, 0xe4]), Buffer.from('b,ü')]);
  assert.equal((await textOf(bytes)).slice(-6), 'üa\ufffdb,ü');
});

test('a sample that ends within a character is not taken for a broken text', async () => {
  const long = Buffer.concat([Buffer.from('a'.repeat(256 * 1024 - 1)), Buffer.from('ü and more')]);
  assert.deepEqual(await detect(long, true), plain('utf-8'));
  assert.deepEqual(await detect(long), plain('utf-8'));
});

test('a probe looks at the beginning only, a reading at the whole file', async () => {
  const late = Buffer.concat([Buffer.from('a,b\n'.repeat(100_000)), Buffer.from('Zürich', 'latin1')]);
  assert.deepEqual(await detect(late, true), plain('utf-8'));
  assert.deepEqual(await detect(late), plain('windows-1252'));
});

test('one control byte in fifty is binary data, and in a short text one in ten', async () => {
  const text = (controls: number, length: number) => '\x01'.repeat(controls) + 'a'.repeat(length - controls);
  const isText = async (bytes: string) =>
    await detect(bytes).then(
      () => true,
      () => false,
    );
  assert.equal(await isText(text(9, 451)), true);
  assert.equal(await isText(text(9, 450)), false);
  assert.equal(await isText(text(8, 81)), true);
  assert.equal(await isText(text(8, 80)), false);
  assert.equal(await isText('a\tb \r\n'.repeat(20)), true);
  assert.equal(await isText(' '.repeat(40) + 'a'), true);
  assert.equal(await isText('\x1f'.repeat(40) + 'a'), false);
});

test('a sample is the beginning of the file and no more', async () => {
  await using file = await open(await fileOf('x'.repeat(300_000)));
  assert.equal((await readSample(file)).length, 256 * 1024);
  await using small = await open(await fileOf('abc'));
  assert.equal((await readSample(small)).toString(), 'abc');
});

test('an aborted reading of chunks throws', async () => {
  const path = await fileOf('a,b\n');
  const chunks = utf8Chunks(fileBytes(path), plain('utf-8'), AbortSignal.abort());
  await assert.rejects(chunks.next(), { name: 'AbortError' });
});
