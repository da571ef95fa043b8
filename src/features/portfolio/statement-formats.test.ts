import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { readXlsx } from 'hucre/xlsx';
import { renderPages, textOfPages, withoutRenderer, wordsOfPages } from '../../../test/support/pdf.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { asId } from '../../platform/ids.ts';
import { type BookedPayment, buildStatement, type Holding, type SettledTrade, type Statement } from './statement.ts';
import { exportPdf } from './statement-pdf.ts';
import { CSV_COLUMNS, exportCsv, exportWorkbook } from './statement-tables.ts';

const AT = new Date('2027-01-20T15:00:00Z');
type Names = { organization?: string; deal?: string };

/** A statement of so many positions, each with a trade, a payment and a correction of both, of which every fifth has no mark. */
function statementOf(
  count: number,
  { organization = 'Harbor Capital', deal = 'Harbor Auto 2026-1' }: Names = {},
  final = true,
): Statement {
  const places = Array.from({ length: count }, (_, index) => index);
  const tranche = (index: number) => asId('trn', `trn_${index}`);
  const holdings = places.map(
    (index): Holding => ({
      position_id: asId('pos', `pos_${index}`),
      deal_id: asId('deal', `deal_${index}`),
      deal: `${deal} ${index}`,
      tranche_id: tranche(index),
      tranche: 'A-1',
      class: 'A',
      face: `${(index + 1) * 12_345}.67`,
      factor: '0.97395833',
      price: index % 5 === 4 ? null : '99.53125',
      mark_as_of: index % 5 === 4 ? null : '2027-01-29',
    }),
  );
  const trades = places.flatMap((index) =>
    [false, true].map(
      (corrects): SettledTrade => ({
        trade_id: asId('trd', `trd_${index}`),
        tranche_id: tranche(index),
        side: 'BUY',
        face: `${(index + 1) * 12_345}.67`,
        factor: corrects ? '0.97395833' : '1.00000000',
        factor_before: corrects ? '1.00000000' : null,
        corrects_period: corrects ? 1 : null,
        price: '100.5',
        principal_amount: corrects ? '-6.12' : `${index + 1}00.10`,
        accrued_interest: corrects ? '-3.11' : '-194.79',
        net_amount: corrects ? '-9.23' : `${index}4205.31`,
        trade_date: '2027-01-14',
        settlement_date: '2027-01-15',
        booked_at: AT,
      }),
    ),
  );
  const payments = places.flatMap((index) =>
    [false, true].map(
      (restates): BookedPayment => ({
        payment_id: asId('pay', `pay_${index}${restates ? '_again' : ''}`),
        tranche_id: tranche(index),
        period: 1,
        payment_date: '2027-01-15',
        record_date: '2027-01-14',
        face: '96000.00',
        interest: restates ? '-100.25' : '400.13',
        principal: restates ? '0.00' : '2500.01',
        writedown: restates ? '0.00' : '12.02',
        accreted: index === 0 ? '7.77' : '0.00',
        factor_before: '1.00000000',
        factor_after: '0.97395833',
        restates: restates ? asId('pay', `pay_${index}`) : null,
        created_at: AT,
      }),
    ),
  );
  const head = { month: '2027-01', zone: 'America/New_York', organization_id: asId('org', 'org_1'), organization, final };
  return buildStatement({ ...head, until: new Date('2027-02-01T05:00:00Z') }, null, { holdings, trades, payments });
}

const bytesOf = async ({ stream }: FileReply): Promise<Buffer> =>
  typeof stream === 'string' || Buffer.isBuffer(stream) ? Buffer.from(stream) : buffer(stream);
const grouped = (value: number): string => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
type Line = Record<string, unknown>;
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** The text of a document in one line: names are broken into lines where their columns end. */
const flat = (pages: readonly string[]): string => pages.join(' ').replace(/\s+/g, ' ');

/** Every line of the statement, as the tables have it. */
function linesOf({ positions, totals }: Statement): Record<string, Line[]> {
  return {
    POSITION: positions.map(({ trades: _trades, payments: _payments, ...row }) => row),
    TRADE: positions.flatMap((each) => each.trades),
    PAYMENT: positions.flatMap((each) => each.payments),
    TOTAL: [totals],
  };
}

test('CSV has every figure of the statement under its name', async () => {
  const statement = statementOf(7);
  const [header = '', ...lines] = (await bytesOf(exportCsv(statement))).toString().trimEnd().split('\r\n');
  assert.equal(header, CSV_COLUMNS.join(','));
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [CSV_COLUMNS[index], cell])));
  for (const [name, expected] of Object.entries(linesOf(statement))) {
    const found = rows.filter((row) => row.line === name);
    assert.equal(found.length, expected.length, name);
    for (const [index, row] of expected.entries())
      for (const [column, value] of Object.entries(row)) assert.equal(found[index]?.[column], textOf(value), `${name} ${column}`);
  }
});

test('the workbook has every figure of the statement under its name', async () => {
  const statement = statementOf(7);
  const { sheets } = await readXlsx(await bytesOf(exportWorkbook(statement)));
  const table = (name: string): Line[] => {
    const [head = [], ...rows] = sheets.find((each) => each.name === name)?.rows ?? [];
    return rows.map((row) => Object.fromEntries(head.map((column, index) => [textOf(column), row[index] ?? null])));
  };
  const { POSITION = [], TRADE = [], PAYMENT = [], TOTAL = [] } = linesOf(statement);
  for (const [name, expected] of [
    ['positions', POSITION],
    ['trades', TRADE],
    ['payments', PAYMENT],
  ] as const) {
    const found = table(name);
    assert.equal(found.length, expected.length, name);
    for (const [index, row] of expected.entries())
      for (const [column, value] of Object.entries(row)) assert.equal(found[index]?.[column], value, `${name} ${column}`);
  }
  const figures = new Map(table('statement').map((row) => [row.figure, row.value]));
  for (const [name, value] of Object.entries(TOTAL[0] ?? {})) assert.equal(figures.get(name), value, name);
  for (const name of ['month', 'zone', 'organization', 'final', 'until'] as const)
    assert.equal(textOf(figures.get(name)), String(statement[name]), name);
  assert.deepEqual(table('balances'), statement.balances);
});

test('the document has every amount of the statement, in the order of its tables', async () => {
  const statement = statementOf(3);
  const text = flat(textOfPages(await bytesOf(await exportPdf(statement))));
  assert.match(text, /^Portfolio statement, January 2027 Harbor Capital /);
  assert.match(text, /1 January 2027 to 31 January 2027 · business zone America\/New_York/);
  const row = (...values: (string | number)[]) =>
    values.map((value) => (typeof value === 'number' ? grouped(value) : value)).join(' ');
  for (const { deal, tranche, trades, payments, ...each } of statement.positions) {
    const figures = [
      each.opening_face,
      each.opening_balance,
      each.bought_balance,
      each.interest,
      each.principal,
      each.writedown,
      each.accreted,
      each.other_change,
      each.closing_face,
    ];
    const marked = [each.closing_balance, '99.53125', each.market_value ?? '—'];
    assert.ok(text.includes(row(`${deal}, class ${tranche}`, ...figures, '0.97395833', ...marked)), deal);
    for (const trade of trades) {
      assert.ok(text.includes(row(trade.accrued_interest, trade.net_amount)), trade.trade_id);
      const factor = trade.corrects_period === undefined ? '1.00000000' : '0.97395833';
      assert.ok(text.includes(row(trade.face, factor, trade.balance, '100.5', trade.principal_amount)), trade.trade_id);
    }
    assert.ok(text.includes(`${trades[1]?.trade_id}, corrected by the report of period 1`));
    for (const { face, interest, principal, writedown, accreted, payment_id } of payments)
      assert.ok(text.includes(row(face, interest, principal, writedown, accreted, '1.00000000', '0.97395833')), payment_id);
    assert.ok(text.includes(`${payments[1]?.payment_id}, corrects ${payments[0]?.payment_id}`));
  }
  const { totals } = statement;
  const total = row(
    'Total',
    totals.opening_face,
    totals.opening_balance,
    totals.bought_balance,
    totals.interest,
    totals.principal,
  );
  assert.ok(text.includes(total));
  assert.ok(text.includes(row('Closing balance', totals.closing_balance)));
});

test('the bars of the document have their balances to three digits, of the unit that these have', async () => {
  const balances = [0, 999.4, 999.6, 12_345, 999_499, 999_999.99, 1_234_567, 999_999_999].map((balance, index) => ({
    month: `2026-0${index + 1}`,
    balance,
  }));
  const text = flat(textOfPages(await bytesOf(await exportPdf({ ...statementOf(1), balances }))));
  for (const label of ['0', '999', '1k', '12.3k', '999k', '1m', '1.23m', '1bn'])
    assert.match(text, new RegExp(`(^| )${label.replace('.', '\\.')}( |$)`), label);
});

test('a long document repeats the head of its tables and numbers its pages', async () => {
  const pages = textOfPages(await bytesOf(await exportPdf(statementOf(150))));
  assert.ok(pages.length > 10, `${pages.length} pages`);
  const headOf = (table: string) =>
    ({ positions: 'Opening\nface', trades: 'Net\namount', payments: 'Record\ndate' })[table] ?? '';
  for (const [index, page] of pages.entries()) {
    assert.ok(
      page.endsWith(`page ${index + 1} of ${pages.length}\nHarbor Capital · Portfolio statement, January 2027 · final`),
      page.slice(-200),
    );
    const isOnlyNotes = page.startsWith('Notes\n');
    assert.ok(
      isOnlyNotes || ['positions', 'trades', 'payments'].some((table) => page.includes(headOf(table))),
      `page ${index + 1}`,
    );
  }
  const text = flat(pages);
  for (let place = 0; place < 150; place += 1) assert.ok(text.includes(`Harbor Auto 2026-1 ${place}, class A-1`), String(place));
});

test('a statement gives the same document each time; one that is not final says so on every page', async () => {
  const [one, other] = [await bytesOf(await exportPdf(statementOf(3))), await bytesOf(await exportPdf(statementOf(3)))];
  assert.ok(one.equals(other));
  const open = await exportPdf(statementOf(60, {}, false));
  assert.equal(open.fileName, 'statement-2027-01-not-final.pdf');
  const pages = textOfPages(await bytesOf(open));
  assert.match(pages[0] ?? '', /Not final: bookings up to 2027-02-01 05:00:00 UTC\./);
  for (const page of pages) assert.match(page, / · not final$/);
});

test('names are set as they are where the fonts have their letters; others are written by number, and it is said', async () => {
  const named = async (organization: string, deal = 'D') =>
    flat(textOfPages(await bytesOf(await exportPdf(statementOf(1, { organization, deal })))));
  const european = await named('Müller & Søn Größe AG', 'Čeština Žluťoučký Łódź Ελλάς Москва İstanbul “1”');
  assert.ok(european.includes('Müller & Søn Größe AG'));
  assert.ok(european.includes('Čeština Žluťoučký Łódź Ελλάς Москва İstanbul “1” 0, class A-1'));
  assert.ok(!european.includes('U+'));
  const others = await named('漢 Capital', 'שלום \u202eabc 🦀');
  assert.ok(others.includes('[U+6F22] Capital'));
  for (const number of ['[U+05E9]', '[U+202E]', '[U+1F980]']) assert.ok(others.includes(number), number);
  assert.match(others, /A character that the fonts of this document lack is written by its Unicode number/);
  assert.ok((await named('Mu\u0308ller')).includes('Müller'));
});

test('a row stays on one page, whatever letters its names are of; a name that is shortened ends in … and it is said', async () => {
  const long = { organization: '組'.repeat(200), deal: '漢'.repeat(190) };
  const pages = textOfPages(await bytesOf(await exportPdf(statementOf(3, long))));
  // A row that went on over a page would leave one without the head of its table.
  for (const page of pages) assert.match(page.slice(0, 50), /^(Portfolio|Position|Booked|Notes)/);
  const text = flat(pages);
  assert.ok(text.includes('[U+6F22]…, class A-1 0.00 0.00 12,024.17 299.88'));
  assert.match(text, /A name that ends in … is longer/);
  assert.ok(!flat(textOfPages(await bytesOf(await exportPdf(statementOf(1, { deal: 'W'.repeat(198) }))))).includes('…'));
});

test('amounts of any size stay in their columns', { skip: withoutRenderer }, async () => {
  const { positions, ...rest } = statementOf(3);
  const most = 90_071_992_547_409.91;
  const large = positions.map((each) => ({
    ...each,
    opening_face: most,
    opening_balance: most,
    interest: -most,
    closing_balance: most,
  }));
  const pages = wordsOfPages(await bytesOf(await exportPdf({ ...rest, positions: large })));
  assert.equal(pages.flat().filter((each) => each.word === '90,071,992,547,409.91').length, 9);
  for (const words of pages)
    for (const [index, one] of words.entries())
      for (const other of words.slice(index + 1)) {
        const apart =
          one.right <= other.left || other.right <= one.left || one.bottom <= other.top + 1 || other.bottom <= one.top + 1;
        assert.ok(apart, `${one.word} and ${other.word} overlap`);
      }
});

test('pages have ink inside their margins alone, however long a name is', { skip: withoutRenderer }, async () => {
  const statement = statementOf(40, { organization: 'A name that is as long as names are let to be '.repeat(5) });
  const pages = renderPages(await bytesOf(await exportPdf(statement)));
  assert.ok(pages.length > 1);
  for (const { width, height, grey } of pages) {
    const margin = Math.floor((width * 38) / 841.89);
    let inside = 0;
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        if ((grey[y * width + x] ?? 255) > 200) continue;
        assert.ok(x >= margin && x < width - margin, `ink at ${x}, ${y} of ${width} × ${height}`);
        inside += 1;
      }
    assert.ok(inside > 200, `${inside} points of ink`);
  }
});
