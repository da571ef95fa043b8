// One million loans as a careless originator exports them: node bin/node.js bench/gen-messy.ts ROWS PATH
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { drawTerms, type LoanTerms, REPORTING_DATE } from '../src/loans/generate/loan-terms.ts';
import { AUTO } from '../src/loans/generate/profiles-consumer.ts';
import { Random } from '../src/loans/generate/random.ts';

/** The 30 columns of the messy tape: 27 that an Auto tape knows, 3 that it keeps unmapped. */
const MESSY_COLUMNS = [
  'Loan Number',
  'Customer ID',
  'Originator',
  'As Of Date',
  'Contract Date',
  'First Payment Date',
  'Maturity Date',
  'Amount Financed',
  'Current Principal Balance',
  'Original Term (Months)',
  'Remaining Term (Months)',
  'APR',
  'Rate Type',
  'Monthly Payment',
  'FICO Score',
  'State',
  'New/Used',
  'Make',
  'Model',
  'Model Year',
  'Collateral Value',
  'LTV',
  'PTI',
  'Days Past Due',
  'Paid Thru Date',
  'Co-Borrower',
  'Modified',
  'Dealer Reference',
  'Branch',
  'Remarks',
] as const;

const PIECE_CHARS = 1024 * 1024;

/** Writes a messy Auto tape: several date, money and percent styles in one column, blanks, markers, quotes, both cases. */
export async function writeMessyTape(path: string, rows: number, seed = 1): Promise<void> {
  const random = new Random(seed);
  const out = createWriteStream(path, { highWaterMark: 4 * PIECE_CHARS });
  let piece = `${MESSY_COLUMNS.join(',')}\n`;
  for (let number = 1; number <= rows; number += 1) {
    piece += `${messyRow(drawTerms(random, number, AUTO.terms), random)}\n`;
    if (piece.length < PIECE_CHARS) continue;
    if (!out.write(piece)) await once(out, 'drain');
    piece = '';
  }
  out.end(piece);
  await once(out, 'finish');
}

const MAKES = ['Toyota', 'HONDA', 'Ford ', 'Chevrolet', 'nissan', 'Hyundai'];
const MODELS = ['Camry', 'CR-V', 'F-150', '"Z71", Silverado', 'Rogue', 'Tucson'];
const DEALERS = ['Acme Auto', 'Smith, Jones & Co', 'Blue "River" Motors', 'Northline LLC', 'Álvarez Autos'];

function messyRow(loan: LoanTerms, random: Random): string {
  const value = loan.originalCents / (0.7 + random.next() * 0.55);
  const remarks = random.chance(0.02) ? quoted('late, see file\nsecond line') : '';
  return (
    `AL${String(loan.number).padStart(9, '0')},C${random.integer(1, 700_000)},${quoted(random.pick(DEALERS))},${REPORTING_DATE},` +
    `${date(loan.originationDate, random)},${date(loan.firstPaymentDate, random)},${date(loan.maturityDate, random)},` +
    `${money(loan.originalCents, random, 0.02)},${money(loan.currentCents, random, 0.04)},${loan.termMonths},${loan.remainingMonths},` +
    `${percent(loan.ratePercent, random)},${random.pick(['F', 'Fixed', 'fixed', '1'])},${money(loan.paymentCents, random, 0.03)},` +
    `${random.chance(0.03) ? '' : loan.score},${random.chance(0.1) ? loan.state.toLowerCase() : loan.state},${random.pick(['New', 'USED', 'U', '2'])},` +
    `${random.pick(MAKES)},${quoted(random.pick(MODELS))},${Number(loan.originationDate.slice(0, 4)) - random.integer(0, 6)},` +
    `${money(Math.round(value), random, 0.03)},${percent(Number(((loan.originalCents / value) * 100).toFixed(2)), random)},` +
    `${percent(random.integer(300, 1_700) / 100, random)},${loan.daysPastDue},${date(REPORTING_DATE, random)},` +
    `${random.pick(['Y', 'N', 'true', 'false', '1', '0'])},${random.pick(['Y', 'N'])},D-${random.integer(1_000, 9_999)},${random.pick(['North', 'South', 'Online'])},${remarks}`
  );
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function date(iso: string, random: Random): string {
  const style = random.next();
  if (style < 0.7) return iso;
  const [year, month, day] = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8)];
  if (style < 0.9) return `${month}/${day}/${year}`;
  if (style < 0.98) return `${day}-${MONTHS[Number(month) - 1]}-${year}`;
  return style < 0.99 ? '' : 'N/A';
}

function money(cents: number, random: Random, missing: number): string {
  const style = random.next();
  const plain = (cents / 100).toFixed(2);
  if (style < missing) return style < missing / 2 ? '' : '-';
  if (style < 0.6) return plain;
  if (style < 0.87) return `"$${plain.replace(/\B(?=(\d{3})+\.)/g, ',')}"`;
  if (style < 0.95) return ` ${plain} `;
  return style < 0.99 ? `USD ${plain}` : `(${plain})`;
}

function percent(value: number, random: Random): string {
  const style = random.next();
  if (style < 0.5) return `${value}%`;
  if (style < 0.97) return String(value);
  return style < 0.985 ? '' : 'N/A';
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

if (import.meta.main) {
  const [rows = '1000000', path = 'messy.csv'] = process.argv.slice(2);
  await writeMessyTape(path, Number(rows));
}
