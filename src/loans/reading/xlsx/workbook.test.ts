import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tapeLimits } from '../raw-table.ts';
import { fileOf } from '../testing/read-for-test.ts';
import { type Part, rowsXml, type WorkbookSpec, workbookOf, zipOf } from '../testing/workbook-for-test.ts';
import { DATE, GENERAL, PERCENT, TIME } from './number-format.ts';
import { openWorkbook, type Workbook } from './workbook.ts';
import { ZipArchive } from './zip.ts';

const TAPE = { name: 'Tape', rows: rowsXml([['loan', 'balance']]) };

async function opened(bytes: Buffer): Promise<Workbook> {
  await using zip = await ZipArchive.open(await fileOf(bytes), tapeLimits('xlsx'));
  return await openWorkbook(zip);
}

const open = (spec: Partial<WorkbookSpec> = {}) => opened(workbookOf({ sheets: [TAPE], ...spec }));

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...list: [id: string, type: string, target: string, more?: string][]) =>
  `<Relationships>${list.map(([id, type, target, more = '']) => `<Relationship Id="${id}" Type="${RELATION}/${type}" Target="${target}"${more}/>`).join('')}</Relationships>`;
const workbookPart = (sheets: string, before = ''): Part => ({
  name: 'xl/workbook.xml',
  data: `<workbook>${before}<sheets>${sheets}</sheets></workbook>`,
});
const relationsPart = (...list: Parameters<typeof relations>): Part => ({
  name: 'xl/_rels/workbook.xml.rels',
  data: relations(...list),
});

test('the sheets of a workbook have their names, places and parts', async () => {
  const { sheets, dateSystem, sharedStrings } = await open({
    sheets: [TAPE, { ...TAPE, name: 'A &amp; B', state: 'hidden' }, { ...TAPE, name: 'Ü', state: 'veryHidden' }],
    strings: ['<t>x</t>'],
  });
  assert.deepEqual(sheets, [
    { name: 'Tape', index: 0, hidden: false, part: 'xl/worksheets/sheet1.xml' },
    { name: 'A & B', index: 1, hidden: true, part: 'xl/worksheets/sheet2.xml' },
    { name: 'Ü', index: 2, hidden: true, part: 'xl/worksheets/sheet3.xml' },
  ]);
  assert.deepEqual([dateSystem, sharedStrings], [1900, 'xl/sharedStrings.xml']);
});

test('dates count from 1904 only where the workbook says so', async () => {
  for (const [value, system] of [
    ['1', 1904],
    ['true', 1904],
    ['TRUE', 1904],
    ['on', 1904],
    ['0', 1900],
    ['false', 1900],
    ['10', 1900],
    ['', 1900],
  ] as const) {
    const sheets = '<sheet name="Tape" sheetId="1" id="rId1"/>';
    const book = await open({ parts: [workbookPart(sheets, `<workbookPr date1904="${value}"/>`)] });
    assert.equal(book.dateSystem, system, value);
  }
});

test('sheets of charts, of other files and of missing parts are counted and not read', async () => {
  const sheets = ['rId9', 'rId8', 'rId7', 'rId1', 'rId0'].map((id) => `<sheet name="${id}" id="${id}"/>`).join('');
  const book = await open({
    parts: [
      workbookPart(sheets),
      relationsPart(
        ['rId9', 'chartsheet', 'worksheets/sheet1.xml'],
        ['rId8', 'worksheet', 'worksheets/nowhere.xml'],
        ['rId7', 'worksheet', 'worksheets/sheet1.xml', ' TargetMode="External"'],
        ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ),
    ],
  });
  assert.deepEqual(
    book.sheets.map(({ name, index }) => [name, index]),
    [['rId1', 3]],
  );
});

test('a target may be absolute, relative or go up and down', async () => {
  for (const target of [
    '/xl/worksheets/sheet1.xml',
    './worksheets/sheet1.xml',
    '../xl/worksheets/../worksheets/sheet1.xml',
    'worksheets//sheet1.xml',
    '../../../xl/worksheets/sheet1.xml',
  ]) {
    const book = await open({ parts: [relationsPart(['rId1', 'worksheet', target])] });
    assert.equal(book.sheets[0].part, 'xl/worksheets/sheet1.xml', target);
    assert.deepEqual([book.sharedStrings, book.numberKinds], [null, []]);
  }
});

test('the part of the workbook is the one that the archive names, else the usual one', async () => {
  const elsewhere = (target: string): Part[] => [
    { name: '_rels/.rels', data: relations(['rId1', 'officeDocument', target]) },
    { name: 'book/main.xml', data: '<workbook><sheets><sheet name="Other" id="r"/></sheets></workbook>' },
    { name: 'book/_rels/main.xml.rels', data: relations(['r', 'worksheet', '../xl/worksheets/sheet1.xml']) },
  ];
  assert.equal((await open({ parts: elsewhere('book/main.xml') })).sheets[0].name, 'Other');
  assert.equal((await open({ parts: elsewhere('book/nowhere.xml') })).sheets[0].name, 'Tape');
  assert.equal((await open({ parts: [{ name: '_rels/.rels', data: '<Relationships/>' }] })).sheets[0].name, 'Tape');
});

test('an archive that is another document, and a workbook without a sheet, are refused by what they are', async () => {
  const types = { name: '[Content_Types].xml', data: '<Types/>' };
  const cases: [Buffer | Partial<WorkbookSpec>, RegExp][] = [
    [zipOf([types, { name: 'word/document.xml', data: '<x/>' }]), /Office document, not a workbook/],
    [zipOf([{ name: 'a.csv', data: 'x' }]), /a zip archive, not a workbook/],
    [zipOf([{ name: 'mimetype', data: 'x' }, types]), /OpenDocument/],
    [{ parts: [{ name: 'xl/VBAPROJECT.BIN', data: 'x' }] }, /macros/],
    [{ parts: [{ name: 'xl/workbook.bin', data: 'x' }] }, /xlsb/],
    [{ parts: [workbookPart('')] }, /has no worksheet/],
    [{ parts: [relationsPart()] }, /has no worksheet/],
  ];
  for (const [input, message] of cases) await assert.rejects(Buffer.isBuffer(input) ? opened(input) : open(input), message);
});

test('a workbook without a list of types is read by its usual parts', async () => {
  const parts: Part[] = [
    workbookPart('<sheet name="Tape" id="rId1"/>'),
    relationsPart(['rId1', 'worksheet', 'worksheets/sheet1.xml']),
    { name: 'xl/worksheets/sheet1.xml', data: '<worksheet/>' },
  ];
  assert.equal((await opened(zipOf(parts))).sheets[0].name, 'Tape');
});

test('the kind of a style is that of its own code, else of the built-in one', async () => {
  const style = (ids: (number | string)[]) => `<cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}<xf/></cellXfs>`;
  const codes = '<numFmts><numFmt numFmtId="164" formatCode="yyyy"/><numFmt numFmtId="9" formatCode="0"/></numFmts>';
  const before = '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>';
  const after = '<cellStyles/><dxfs><dxf><xf numFmtId="14"/></dxf></dxfs>';
  const styles = {
    name: 'xl/styles.xml',
    data: `<styleSheet>${codes}${before}${style([0, 164, 9, 10, 14, 20, 165, 'x'])}${after}</styleSheet>`,
  };
  const { numberKinds } = await open({ parts: [styles] });
  assert.deepEqual(numberKinds, [GENERAL, DATE, GENERAL, PERCENT, DATE, TIME, GENERAL, GENERAL, GENERAL]);
});

test('a workbook without styles has plain numbers', async () => {
  const book = await open({
    parts: [relationsPart(['rId1', 'worksheet', 'worksheets/sheet1.xml'], ['rId2', 'styles', 'nowhere.xml'])],
  });
  assert.deepEqual(book.numberKinds, []);
});

test('a directory of more than 4 MiB is refused', async () => {
  const name = 'xl/workbook.xml';
  const data = `<workbook><!--${'x'.repeat(4 * 1024 * 1024)}--></workbook>`;
  await assert.rejects(open({ parts: [{ name, data }] }), /at most 4194304 are read/);
});

test('a small file takes no time, whatever its parts repeat', async () => {
  const began = process.cpuUsage();
  const styles = (code: string) => ({
    name: 'xl/styles.xml',
    data: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
  });
  for (const code of ['[', 'y[h', '0'].map((each) => each.repeat(300_000)))
    assert.deepEqual((await open({ parts: [styles(code)] })).numberKinds, [GENERAL]);
  const units = Array.from(
    { length: 16_000 },
    (_, index) => `<numFmt numFmtId="${index + 200}" formatCode="0&quot; u${index}&quot;"/>`,
  );
  const styled = Array.from({ length: 400_000 }, (_, index) => `<xf numFmtId="${200 + (index % 16_000)}"/>`);
  const data = `<styleSheet>${units.join('')}<cellXfs>${styled.join('')}</cellXfs></styleSheet>`;
  const { unitStyles, unitFormats } = await open({ parts: [{ name: 'xl/styles.xml', data }] });
  assert.deepEqual([unitStyles.length, unitStyles.at(-1), unitFormats[15_999]], [400_000, 16_000, '0" u15999"']);
  const named = `<workbook ${'a'.repeat(300_000)}>`;
  await assert.rejects(open({ parts: [{ name: 'xl/workbook.xml', data: named }] }), /no worksheet/);
  for (const repeated of ['<a', '<a b="', '<!--', '<![CDATA[', '<?'])
    await assert.rejects(
      open({ parts: [{ name: 'xl/workbook.xml', data: repeated.repeat(300_000) }] }),
      /"xl\/workbook\.xml" has a tag without an end/,
      repeated,
    );
  // Where the end of each was looked for from everywhere, the least of them took minutes.
  const { user } = process.cpuUsage(began);
  assert.ok(user < 20_000_000, `${user} µs`);
});
