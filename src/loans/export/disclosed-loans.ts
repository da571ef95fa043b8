import { createHmac } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OBLIGOR_FIELD } from '../dictionary/disclosure.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { selectRows } from '../engine/select-page.ts';
import { copyToParquet, jsonList, parquet, sqlName, sqlText } from '../engine/sql.ts';
import { withHmac } from '../identity/hmac.ts';
import { mapPage, type Page, type PageRequest } from '../../platform/pages.ts';
import type { LoanType } from '../types.ts';
import { type LoanSort, sortKeys, withNumbers } from './list-loans.ts';
import { textOf } from './loans-file.ts';
import { csvLine } from './spreadsheet-text.ts';

/** The frozen loans of a pool in the fields that its owner discloses. */
export type DisclosedLoans = {
  loansPath: string;
  loanType: LoanType;
  /** The securitization deal: ids of its loans are its own. */
  dealId: string;
  /** Disclosed fields, those alone that a relation of these loans has as columns. */
  fields: readonly string[];
  /** The key of the owner's disclosed ids and tokens, hexadecimal. */
  key: string;
};

/** Hexadecimal digits of an id or a token: 96 bits. */
const DIGITS = 24;
/** The id of a loan, the first column of every list and file. */
const LOAN_ID = 'loan';

/** Stands for an obligor in all deals of one owner; the tape's own value is not shown. */
const TOKEN_PREFIX = 'obl_';

/** The token of an obligor. */
export function tokenOf(value: string, key: string): string {
  const digest = createHmac('sha256', Buffer.from(key, 'hex')).update(`obligor\u001f${value}`).digest('hex');
  return `${TOKEN_PREFIX}${digest.slice(0, DIGITS)}`;
}

/** The same as SQL. */
const obligorToken = (hmac: (text: string) => string): string =>
  `CASE WHEN ${OBLIGOR_FIELD} IS NOT NULL THEN '${TOKEN_PREFIX}' || left(${hmac(`'obligor' || chr(31) || ${OBLIGOR_FIELD}`)}, ${DIGITS}) END`;

/**
 * Runs `work` with a relation of the disclosed fields and an id of each loan. The id and the order of the ids tell nothing of the loan, of its row in
 * the tape or of the same loan in another deal. What is not disclosed is no column: no condition, sort or list can reach it.
 */
async function withDisclosed<Result>(
  engine: Engine,
  { loansPath, dealId, fields, key, isPage = false }: DisclosedLoans & { isPage?: boolean },
  work: (relation: string) => Promise<Result>,
): Promise<Result> {
  const present = await columnsOf(engine, loansPath);
  return withHmac(engine, Buffer.from(key, 'hex'), async ({ hmac, cutDigest, from }) => {
    const id = `'loan_' || left(${cutDigest(`concat_ws(chr(31), 'loan', ${sqlText(dealId)}, deal_number, row_number)`)}, ${DIGITS})`;
    const columns = fields.map((name) => {
      const isPlain = isPage && name === OBLIGOR_FIELD && present.has(name);
      return `${isPlain ? name : valueOf(name, present, hmac)} AS ${sqlName(name)}`;
    });
    return work(`(SELECT ${[`${id} AS ${LOAN_ID}`, ...columns].join(', ')} FROM ${parquet(loansPath)}, ${from})`);
  });
}

function valueOf(name: string, present: ReadonlySet<string>, hmac: (text: string) => string): string {
  // Files from before a field was added to the dictionary lack its column.
  if (!present.has(name)) return 'NULL';
  return name === OBLIGOR_FIELD ? obligorToken(hmac) : sqlName(name);
}

export type DisclosedQuery = PageRequest &
  DisclosedLoans & {
    /** Default: by id. */
    sort: LoanSort | null;
    /** SQL over the disclosed fields, or null for all loans. */
    condition: string | null;
    /** Fields that are shown, all disclosed ones by default. */
    shown: readonly string[] | null;
  };

/** A page of the disclosed loans: the id of each and its disclosed fields. */
export function listDisclosed(engine: Engine, query: DisclosedQuery): Promise<Page<Record<string, unknown>>> {
  // Tokens of the rows of a page alone, where neither their order nor a condition reads them.
  const isPage = query.sort?.field !== OBLIGOR_FIELD && !query.condition?.includes(OBLIGOR_FIELD);
  return withDisclosed(engine, { ...query, isPage }, async (relation) => {
    const { loanType, sort, condition, shown, fields } = query;
    const found = await selectRows<Record<string, unknown>>(
      engine,
      {
        columns: [LOAN_ID, ...(shown ?? fields)].map(sqlName).join(', '),
        source: relation,
        conditions: condition === null ? [] : [condition],
        order: [...sortKeys(loanType, sort), { by: LOAN_ID, as: 'text' }],
      },
      query,
    );
    const withToken = (row: Record<string, unknown>): Record<string, unknown> => {
      const value = row[OBLIGOR_FIELD];
      return isPage && typeof value === 'string' ? { ...row, [OBLIGOR_FIELD]: tokenOf(value, query.key) } : row;
    };
    return mapPage(mapPage(found, withNumbers(loanType)), withToken);
  });
}

const BYTE_ORDER_MARK = '\ufeff';

/** Writes all disclosed loans into a file, by their ids. Memory does not grow with their number. Returns how many there are. */
export function writeDisclosed(
  engine: Engine,
  loans: DisclosedLoans,
  { path, format }: { path: string; format: 'csv' | 'parquet' },
): Promise<number> {
  const { loanType, fields } = loans;
  return withDisclosed(engine, loans, async (relation) => {
    const ordered = `SELECT * FROM ${relation} ORDER BY ${LOAN_ID}`;
    if (format === 'parquet') {
      await engine.run(copyToParquet(ordered, path));
      return (await engine.first<{ loans: number }>(`SELECT count(*)::INTEGER AS loans FROM ${parquet(path)}`))?.loans ?? 0;
    }
    let count = 0;
    const cells = [LOAN_ID, ...fields.map((name) => textOf(loanType, name))];
    const text = async function* () {
      // Without the mark a spreadsheet reads the file in the code page of the machine.
      yield `${BYTE_ORDER_MARK}${csvLine([LOAN_ID, ...fields])}`;
      for await (const rows of engine.stream<{ cells: string }>(`SELECT ${jsonList(cells)} AS cells FROM (${ordered})`)) {
        count += rows.length;
        yield rows.map((row) => csvLine(JSON.parse(row.cells) as (string | null)[])).join('');
      }
    };
    await pipeline(Readable.from(text(), { objectMode: false }), createWriteStream(path));
    return count;
  });
}
