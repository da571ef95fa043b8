import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PDF, zipOf } from '../../../test/support/documents.ts';
import { writeWorkbook } from '../../loans/export/workbook-writer.ts';
import { findTypeMismatch } from './sniff.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-sniff-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const mismatch = (extension: string, content: Buffer | string): Promise<string | null> => {
  const path = join(folder, `a.${extension}`);
  writeFileSync(path, content);
  return findTypeMismatch(path, extension);
};
const agrees = async (extension: string, content: Buffer | string, why = extension): Promise<void> =>
  assert.equal(await mismatch(extension, content), null, why);
const differs = async (extension: string, content: Buffer | string, why = extension): Promise<void> =>
  assert.notEqual(await mismatch(extension, content), null, why);

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const WORD = ['[Content_Types].xml', 'word/document.xml'];
const EXCEL = ['[Content_Types].xml', 'xl/workbook.xml'];

test('each kind of document begins as its own kind does, and is taken under no other extension', async () => {
  const contents: Record<string, Buffer> = {
    pdf: PDF,
    png: PNG,
    jpg: Buffer.concat([JPEG, Buffer.from([0xe0, 0, 0x10])]),
    docx: zipOf(WORD),
    xlsx: Buffer.concat(await Array.fromAsync(writeWorkbook({ sheetName: 'S', header: ['a'], rows: [[1]] }))),
    csv: Buffer.from('id,name\r\n1,x\r\n'),
  };
  for (const [extension, content] of Object.entries(contents)) {
    await agrees(extension, content);
    for (const other of Object.keys(contents).filter((each) => each !== extension))
      await differs(other, content, `${extension} as ${other}`);
  }
  await agrees('jpeg', JPEG);
});

test('an empty file and one that ends inside its signature are of no kind', async () => {
  for (const extension of ['pdf', 'png', 'jpg', 'jpeg', 'docx', 'xlsx', 'csv']) await differs(extension, '');
  await differs('pdf', '%PDF');
  await differs('png', PNG.subarray(0, 7));
  await differs('jpeg', JPEG.subarray(0, 2));
  await differs('docx', zipOf(WORD).subarray(0, 40));
});

test('an office document is an archive with the parts of its kind, and without macros', async () => {
  await agrees('xlsx', zipOf(EXCEL));
  await differs('docx', zipOf(['word/document.xml']), 'without its list of types');
  await differs('docx', zipOf(['[Content_Types].xml']), 'without its document');
  await differs('docx', zipOf(EXCEL));
  await differs('docx', Buffer.concat([Buffer.from('MZ'), zipOf(WORD)]), 'a program before the archive');
  for (const macros of ['word/vbaProject.bin', 'vbaProject.bin', 'word/VBAPROJECT.BIN']) {
    assert.equal(await mismatch('docx', zipOf([...WORD, macros])), 'it holds macros', macros);
  }
  assert.equal(await mismatch('xlsx', zipOf([...EXCEL, 'xl/vbaProject.bin'])), 'it holds macros');
  await agrees('docx', zipOf([...WORD, 'word/notvbaProject.bin']), 'a part of another name');
});

test('a table is text of any encoding: UTF-8 with or without its mark, UTF-16, a Windows code page', async () => {
  const text = 'id,name\r\n1,Zoë — “x”\r\n';
  await agrees('csv', text);
  await agrees('csv', `\ufeff${text}`);
  await agrees('csv', Buffer.from('id,name\r\n1,Zo\u00eb\t\u0080\r\n', 'latin1'));
  await agrees('csv', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
  const long = `id,name\r\n${'1,x\r\n'.repeat(30_000)}`;
  await agrees('csv', long);
  await agrees('csv', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(long, 'utf16le')]), 'cut within');
});

test('a table has no control characters but those that part lines and columns', async () => {
  for (const code of [0, 1, 7, 8, 14, 26, 28, 31]) await differs('csv', `a${String.fromCharCode(code)}b`, String(code));
  for (const code of [9, 10, 12, 13]) await agrees('csv', `a${String.fromCharCode(code)}b`, String(code));
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  await differs('csv', utf16('a\u0001b'));
});

test('a table does not begin as a page, a script or a program', async () => {
  for (const text of [
    '<!doctype html>',
    '<HTML>',
    ' \n<script>x',
    '\ufeff<svg ',
    '<?xml version="1.0"?>',
    '<body>',
    '<iframe src=x>',
  ])
    await differs('csv', text, text);
  for (const start of ['MZ', '%PDF-', 'PK\u0003\u0004', '\u007fELF']) await differs('csv', `${start} more`, start);
  for (const text of ['a<script>', '<5,6', 'M,Z', 'PK,1', '<unknown>']) await agrees('csv', text, text);
});
