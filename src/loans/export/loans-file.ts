import { Readable } from 'node:stream';
import { dictionary, findField } from '../dictionary/dictionary.ts';
import { isNumeric } from '../dictionary/field.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { jsonList, sqlName } from '../engine/sql.ts';
import { orderBy } from '../../platform/pages.ts';
import type { LoanType } from '../types.ts';
import { type LoanSelection, relationOf, sortKeys } from './list-loans.ts';
import { csvLine } from './spreadsheet-text.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * All loans of a selection as CSV: the number of the row, then the fields. Text that a spreadsheet would run as a formula gets a leading
 * apostrophe. The memory of the stream does not grow with the number of loans, but for a sort.
 */
export function writeLoansFile(engine: Engine, selection: LoanSelection): Readable {
  return Readable.from(csvText(engine, selection), { objectMode: false });
}

async function* csvText(engine: Engine, selection: LoanSelection): AsyncGenerator<string> {
  const { loanType, loansPath, sort, conditions = [] } = selection;
  const present = await columnsOf(engine, loansPath);
  const fields = selection.fields ?? dictionary(loanType).map(({ field }) => field);
  const names = fields.filter((name) => present.has(name));
  const cells = ['CAST(row_number AS VARCHAR)', ...names.map((name) => textOf(loanType, name))];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const order = orderBy([...sortKeys(loanType, sort), { by: 'row_number', as: 'bigint' }]);
  // Without the mark a spreadsheet reads the file in the code page of the machine.
  yield `${BYTE_ORDER_MARK}${csvLine(['row_number', ...names])}`;
  const query = `SELECT ${jsonList(cells)} AS cells FROM ${relationOf(selection)} ${where} ORDER BY ${order}`;
  for await (const rows of engine.stream<{ cells: string }>(query))
    yield rows.map((row) => csvLine(JSON.parse(row.cells) as (string | null)[])).join('');
}

/** SQL of a value as text; of a number without the zeros that the column adds. */
export function textOf(loanType: LoanType, name: string): string {
  const field = findField(loanType, name);
  const text = `CAST(${sqlName(name)} AS VARCHAR)`;
  return field && isNumeric(field) ? `rtrim(rtrim(CAST(CAST(${sqlName(name)} AS DECIMAL(18,6)) AS VARCHAR), '0'), '.')` : text;
}
