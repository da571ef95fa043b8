import { dateParts } from '../../finance/dates.ts';
import { downloadType } from '../../platform/files/content-types.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { type Column, type FigureLine, openPdf, PdfDocument } from './pdf-document.ts';
import type { Statement, StatementPayment, StatementPosition, StatementTrade } from './statement.ts';
import { fileName } from './statement-tables.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const NONE = '—';

/** A statement as a document to file. Its bytes follow from the statement alone. */
export async function exportPdf(statement: Statement): Promise<FileReply> {
  const title = `Portfolio statement, ${monthName(statement.month)}`;
  const pdf = await openPdf({ title, author: statement.organization, at: new Date(statement.until) });
  drawHead(pdf, statement);
  drawSummary(pdf, statement);
  drawPositions(pdf, statement);
  drawTrades(pdf, statement);
  drawPayments(pdf, statement);
  drawNotes(pdf, statement);
  const status = statement.final ? 'final' : 'not final';
  const foot = `${pdf.name(statement.organization)} · ${title} · ${status}`;
  return { stream: await pdf.bytes(foot), contentType: downloadType('pdf'), fileName: `${fileName(statement)}.pdf` };
}

function drawHead(pdf: PdfDocument, { month, organization, organization_id, from, to, zone, final, until }: Statement): void {
  pdf.text(`Portfolio statement, ${monthName(month)}`, { size: 18, face: 'bold' });
  pdf.text(pdf.name(organization), { size: 12, face: 'bold' });
  pdf.y += 2;
  pdf.text(`${organization_id} · ${dayName(from)} to ${dayName(to)} · business zone ${zone} · amounts in US dollars`, {
    quiet: true,
  });
  pdf.text(
    final
      ? 'Final: bookings after the end of the month are in later statements.'
      : `Not final: bookings up to ${until.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}. The statement changes until it is final.`,
    { face: final ? 'regular' : 'bold', quiet: final },
  );
}

function drawSummary(pdf: PdfDocument, { totals, balances }: Statement): void {
  pdf.y += 14;
  const top = pdf.y;
  const changed: FigureLine[] = [
    { name: 'Opening balance', value: money(totals.opening_balance) },
    { name: 'Bought', value: money(totals.bought_balance) },
    ...(totals.accreted === 0 ? [] : [{ name: 'Interest added to the balance', value: money(totals.accreted) }]),
    { name: 'Principal paid', value: money(-totals.principal) },
    { name: 'Written off', value: money(-totals.writedown) },
    { name: 'Other changes (note 1)', value: money(totals.other_change) },
    { name: 'Closing balance', value: money(totals.closing_balance), strong: true },
  ];
  const left = pdf.figures(changed, { width: 210 });
  pdf.y = top;
  const held: FigureLine[] = [
    { name: 'Interest received', value: money(totals.interest) },
    { name: 'Principal received', value: money(totals.principal) },
    { name: 'Cash paid for trades', value: money(totals.net_amount) },
    { name: 'Opening face', value: money(totals.opening_face) },
    { name: 'Face bought', value: money(totals.bought_face) },
    { name: 'Closing face', value: money(totals.closing_face) },
    {
      name: totals.without_mark > 0 ? 'Market value (note 2)' : 'Market value',
      value: moneyOrNone(totals.market_value),
      strong: true,
    },
  ];
  const right = pdf.figures(held, { x: 240, width: 210 });
  const chart = { x: 480, width: PdfDocument.width - 480 };
  pdf.y = top;
  pdf.text('Closing balance by month', { ...chart, quiet: true, size: 8 });
  pdf.bars(
    balances.map(({ month, balance }) => ({ name: shortMonth(month), value: balance, label: short(balance) })),
    { ...chart, y: top + 12, height: 98 },
  );
  pdf.y = Math.max(left, right, top + 112);
}

function drawPositions(pdf: PdfDocument, { positions, totals }: Statement): void {
  pdf.heading('Positions');
  const sum = (title: string, name: Sum, width = 50): Column<StatementPosition> => ({
    title,
    kind: 'figure',
    width,
    cell: (row) => money(row[name]),
    total: money(totals[name]),
  });
  const columns: Column<StatementPosition>[] = [
    { title: 'Position', kind: 'text', width: 0, cell: (row) => positionName(pdf, row), total: 'Total' },
    sum('Opening\nface', 'opening_face', 52),
    sum('Opening\nbalance', 'opening_balance', 52),
    sum('Bought', 'bought_balance'),
    sum('Interest', 'interest', 42),
    sum('Principal', 'principal', 46),
    sum('Written\noff', 'writedown', 42),
    ...(positions.some((each) => each.accreted !== 0) ? [sum('Added\ninterest', 'accreted', 42)] : []),
    sum('Other\n(note 1)', 'other_change', 36),
    sum('Closing\nface', 'closing_face', 52),
    { title: 'Factor', kind: 'figure', width: 42, cell: (row) => factor(row.closing_factor) },
    sum('Closing\nbalance', 'closing_balance', 52),
    { title: 'Price', kind: 'figure', width: 40, cell: (row) => (row.price === null ? NONE : String(row.price)) },
    {
      title: 'Market\nvalue',
      kind: 'figure',
      width: 52,
      cell: (row) => moneyOrNone(row.market_value),
      total: moneyOrNone(totals.market_value),
    },
  ];
  pdf.table(filled(columns), positions, { empty: 'No positions.' });
}

function drawTrades(pdf: PdfDocument, { positions, totals }: Statement): void {
  pdf.heading('Trades settled and corrected in the month');
  const rows = positions.flatMap((position) => position.trades.map((trade) => ({ ...trade, position })));
  type Row = StatementTrade & { position: StatementPosition };
  const columns: Column<Row>[] = [
    { title: 'Booked', kind: 'text', width: 46, cell: (row) => row.booked_on, total: 'Total' },
    { title: 'Trade', kind: 'text', width: 0, cell: (row) => `${positionName(pdf, row.position)} · ${tradeName(row)}` },
    { title: 'Trade date', kind: 'text', width: 46, cell: (row) => row.trade_date },
    { title: 'Settlement', kind: 'text', width: 46, cell: (row) => row.settlement_date },
    { title: 'Face', kind: 'figure', width: 58, cell: (row) => money(row.face), total: money(totals.bought_face) },
    { title: 'Factor', kind: 'figure', width: 42, cell: (row) => factor(row.factor) },
    { title: 'Balance', kind: 'figure', width: 58, cell: (row) => money(row.balance), total: money(totals.bought_balance) },
    { title: 'Price', kind: 'figure', width: 42, cell: (row) => String(row.price) },
    { title: 'Principal\namount', kind: 'figure', width: 56, cell: (row) => money(row.principal_amount) },
    { title: 'Accrued\ninterest', kind: 'figure', width: 46, cell: (row) => money(row.accrued_interest) },
    { title: 'Net\namount', kind: 'figure', width: 56, cell: (row) => money(row.net_amount), total: money(totals.net_amount) },
  ];
  pdf.table(filled(columns), rows, { empty: 'No trades settled in the month, and none was corrected.' });
}

const tradeName = ({ trade_id, corrects_period }: StatementTrade): string =>
  corrects_period === undefined ? trade_id : `${trade_id}, corrected by the report of period ${corrects_period}`;

function drawPayments(pdf: PdfDocument, { positions, totals }: Statement): void {
  pdf.heading('Payments booked in the month');
  const rows = positions.flatMap((position) => position.payments.map((payment) => ({ ...payment, position })));
  type Row = StatementPayment & { position: StatementPosition };
  const columns: Column<Row>[] = [
    { title: 'Booked', kind: 'text', width: 46, cell: (row) => row.booked_on, total: 'Total' },
    {
      title: 'Payment',
      kind: 'text',
      width: 0,
      cell: ({ position, payment_id, restates }) =>
        `${positionName(pdf, position)} · ${payment_id}${restates === null ? '' : `, corrects ${restates}`}`,
    },
    { title: 'Payment\ndate', kind: 'text', width: 46, cell: (row) => row.payment_date },
    { title: 'Record\ndate', kind: 'text', width: 46, cell: (row) => row.record_date },
    { title: 'Period', kind: 'figure', width: 28, cell: (row) => String(row.period) },
    { title: 'Face', kind: 'figure', width: 58, cell: (row) => money(row.face) },
    { title: 'Interest', kind: 'figure', width: 50, cell: (row) => money(row.interest), total: money(totals.interest) },
    { title: 'Principal', kind: 'figure', width: 54, cell: (row) => money(row.principal), total: money(totals.principal) },
    { title: 'Written\noff', kind: 'figure', width: 50, cell: (row) => money(row.writedown), total: money(totals.writedown) },
    ...(rows.some((each) => each.accreted !== 0)
      ? [
          {
            title: 'Added\ninterest',
            kind: 'figure',
            width: 50,
            cell: (row: Row) => money(row.accreted),
            total: money(totals.accreted),
          } as const,
        ]
      : []),
    { title: 'Factor\nbefore', kind: 'figure', width: 42, cell: (row) => factor(row.factor_before) },
    { title: 'Factor\nafter', kind: 'figure', width: 42, cell: (row) => factor(row.factor_after) },
  ];
  pdf.table(filled(columns), rows, { empty: 'No payments were booked in the month.' });
}

function drawNotes(pdf: PdfDocument, { totals, zone }: Statement): void {
  const unmarked = totals.without_mark;
  const notes = [
    'Note 1: Balances are face × factor, to the cent; other changes are cents by which factors of 8 decimals round, and payments on face that was yours and went to the holder of record before you.',
    unmarked > 0 &&
      `Note 2: ${unmarked} ${unmarked === 1 ? 'position has' : 'positions have'} no mark that was published by the end of the statement, and no market value. Closing balance without a mark: ${money(totals.balance_without_mark)}.`,
    `Trades count on the day of their settlement in ${zone}, payments on that of their booking. Prices are clean, per 100 of balance; market values are without accrued interest.`,
  ];
  pdf.heading('Notes');
  for (const note of notes) if (note) pdf.text(note, { quiet: true, size: 8 });
  if (pdf.hasReplaced)
    pdf.text(
      'A character that the fonts of this document lack is written by its Unicode number, as in [U+6F22]; the statement as JSON, CSV and XLSX has it as it is.',
      { quiet: true, size: 8 },
    );
  if (pdf.hasShortened)
    pdf.text('A name that ends in … is longer; the statement as JSON, CSV and XLSX has all of it.', { quiet: true, size: 8 });
}

type Sum = Exclude<keyof Statement['totals'] & keyof StatementPosition, 'market_value'>;

/** The column without a width gets what the others leave. */
function filled<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  const used = columns.reduce((total, each) => total + each.width, 0) + (columns.length - 1) * 6;
  return columns.map((each) => (each.width === 0 ? { ...each, width: PdfDocument.width - used } : each));
}

const positionName = (pdf: PdfDocument, { deal, tranche }: StatementPosition): string =>
  `${pdf.name(deal)}, class ${pdf.name(tranche)}`;
/** `-1,234.50`: amounts have at most 2 decimals and are printed as they are; there is no minus zero on paper. */
const money = (value: number): string => {
  const [whole = '', cents = ''] = Math.abs(value).toFixed(2).split('.');
  return `${value < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
};
const moneyOrNone = (value: number | null): string => (value === null ? NONE : money(value));
const factor = (value: number): string => value.toFixed(8);

const monthName = (month: string): string => {
  const { year, month: number } = dateParts(`${month}-01`);
  return `${MONTHS[number - 1]} ${year}`;
};
const dayName = (date: string): string => {
  const { year, month, day } = dateParts(date);
  return `${day} ${MONTHS[month - 1]} ${year}`;
};
const shortMonth = (month: string): string => {
  const { year, month: number } = dateParts(`${month}-01`);
  return `${MONTHS[number - 1]?.slice(0, 3)} ${String(year).slice(2)}`;
};

/** A label over a bar: `1.25m`. The figures are in the tables. */
function short(value: number): string {
  const units = [
    [1e9, 'bn'],
    [1e6, 'm'],
    [1e3, 'k'],
  ] as const;
  // 999,999 is rounded to a million, which is of the next unit.
  const rounded = Number(value.toPrecision(3));
  const unit = units.find(([size]) => rounded >= size);
  if (!unit) return String(Math.round(rounded));
  const [size, name] = unit;
  return `${Number((rounded / size).toPrecision(3))}${name}`;
}
