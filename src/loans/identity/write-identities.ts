import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { idSql } from '../values/text.ts';
import { withHmac } from './hmac.ts';
import {
  comparedId,
  comparedText,
  contentText,
  type Fingerprint,
  FINGERPRINTS,
  fingerprintTexts,
  identityText,
  idText,
  type IdentitySource,
  originalAmount,
  originationDate,
} from './identity.ts';

/** A loan table, all of it or the rows that `condition` selects. */
export type HeldLoans = { loansPath: string; syntheticIds: boolean; condition: string | null };

export type IdentitiesInput = {
  engine: Engine;
  organizationId: string;
  loanType: LoanType;
  sources: readonly HeldLoans[];
  /** Key of the fingerprints. */
  key: Buffer;
  path: string;
  /**
   * Only these loans of the sources, each by its id, its vehicle or its contract number: a JSON file of rows with one of `loan_id`, `vin`
   * and `contract_number`. A loan of several tapes is written once; of what no tape has, an id by its identity alone and a vehicle by its
   * fingerprint alone.
   */
  listPath?: string;
};

export type Identities = {
  loans: number;
  /** Loans by the fingerprint that they have. */
  fingerprinted: Record<Fingerprint, number>;
  /** Loans that are there twice, by tapes of two deals: their ids, some of them. */
  repeated: { loan_ids: string[]; total: number };
  /** Loans that have the id of another loan of the file. */
  reused: number;
  /** Rows of the list that no loan of the sources is. */
  unmatched: number;
};

/** The columns of the file, in its order. */
export const IDENTITY_COLUMNS = [
  'row_no',
  'generation',
  'identity',
  'original_balance',
  'origination_date',
  'balance',
  'loan_id',
] as const;

/** The columns of the file of fingerprints, by kind and block: each of its loans is the digest and at once its row number, with commas between. */
export const FINGERPRINT_COLUMNS = ['kind', 'block', 'loans'] as const;
export const DIGEST_DIGITS = 32;

/** The file of fingerprints beside a file of identities. */
export const fingerprintsPath = (path: string): string => `${path}.fingerprints`;

/** Hexadecimal digits that the digests of a block have in common. */
const BLOCK_DIGITS = 4;

/** What stands between the values of a line, and what would enclose one: no value holds either, so none is ever enclosed. */
export const SEPARATOR = '\x1e';
const ENCLOSURE = '\x1d';

const LIST_KEYS = ['loan_id', 'vin', 'contract_number'] as const;
const REPEATED_SHOWN = 100;
const NONE_REPEATED = { loan_ids: [], total: 0 };

/**
 * Writes the identities and fingerprints of loans as lines of text in the order of the identities, so that two holders of the same loans
 * meet in one order, and their fingerprints in blocks beside it. An identity is a digest of organization, loan type, id (or content) and `n`, which numbers loans of equal id within
 * a tape version; a fingerprint is a keyed digest that meets those of other organizations' loans. Both are 128 bits of SHA-256. A loan
 * whose id another loan of the file has, with another amount and another date, is a loan of its own: its generation says the how many-th.
 */
export async function writeIdentities(input: IdentitiesInput): Promise<Identities> {
  const { engine, key, path } = input;
  const parts: string[] = [];
  for (const [place, source] of input.sources.entries()) parts.push(await selectIdentities(input, source, place));
  return await withHmac(engine, key, async ({ hmac, from }) => {
    const digests = FINGERPRINTS.map((name) => `CASE WHEN ${name} IS NOT NULL THEN left(${hmac(name)}, 32) END AS ${name}`);
    const digested = `SELECT * REPLACE (${digests.join(', ')}) FROM (${parts.length > 0 ? parts.join(' UNION ALL ') : NO_LOANS}), ${from} ORDER BY identity, place`;
    return await engine.withTable(digested, async (table) => {
      const unmatched = input.listPath ? await reduceToList(input, table, input.listPath, vehiclesOf({ hmac, from })) : 0;
      const repeated = input.sources.length > 1 && !input.listPath ? await numberRepeated(engine, table) : NONE_REPEATED;
      const numbered = `(SELECT *, row_number() OVER () AS row_no FROM ${table})`;
      await writeLines(engine, `SELECT ${IDENTITY_COLUMNS.join(', ')} FROM ${numbered}`, path);
      await writeLines(engine, blocksOf(numbered), fingerprintsPath(path));
      const counts = FINGERPRINTS.map((name) => `count(${name}) AS ${name}`);
      const { loans, reused, ...fingerprinted } = (await engine.first<Record<Fingerprint | 'loans' | 'reused', number>>(
        `SELECT count(*) AS loans, count(*) FILTER (generation > 0) AS reused, ${counts.join(', ')} FROM ${table}`,
      )) as Record<Fingerprint | 'loans' | 'reused', number>;
      return { loans, reused, fingerprinted, repeated, unmatched };
    });
  });
}

const LAYOUT = `FORMAT csv, HEADER false, DELIMITER '${SEPARATOR}', QUOTE '${ENCLOSURE}', ESCAPE '${ENCLOSURE}'`;

const writeLines = (engine: Engine, select: string, path: string): Promise<void> =>
  engine.run(`COPY (${select}) TO ${sqlText(path)} (${LAYOUT})`);

/** SQL of the fingerprints, one row for each kind and block. */
function blocksOf(numbered: string): string {
  const digests = FINGERPRINTS.map(
    (name) => `SELECT '${name}' AS kind, ${name} AS digest, row_no FROM ${numbered} WHERE ${name} IS NOT NULL`,
  );
  return `SELECT kind, CAST('0x' || block AS INTEGER), string_agg(digest || row_no, ',')
    FROM (SELECT *, left(digest, ${BLOCK_DIGITS}) AS block FROM (${digests.join(' UNION ALL ')})) GROUP BY kind, block ORDER BY kind, block`;
}

/** SQL of the columns of `selectIdentities` without a loan: the organization of a list may have no tape yet. */
const NO_LOANS = `SELECT 0 AS place, 0 AS generation, NULL::VARCHAR AS identity, NULL::VARCHAR AS loan_id, NULL::DECIMAL(18, 2) AS original_balance,
    NULL::DATE AS origination_date, NULL::DECIMAL(18, 2) AS balance, ${FINGERPRINTS.map((name) => `NULL::VARCHAR AS ${name}`).join(', ')},
    ${LIST_KEYS.map((name) => `NULL::VARCHAR AS key_${name}`).join(', ')} WHERE false`;

async function selectIdentities(input: IdentitiesInput, loans: HeldLoans, place: number): Promise<string> {
  const { engine, loanType } = input;
  const table = parquet(loans.loansPath);
  const source = { loanType, columns: await columnsOf(engine, loans.loansPath), syntheticIds: loans.syntheticIds };
  const named = `SELECT *, ${identityText(source)} AS id_text FROM ${table}`;
  const shared = `SELECT id_text FROM (${named}) GROUP BY id_text HAVING count(*) > 1`;
  // Numbered in the whole tape version, so that a filter does not change the number of a loan.
  const numbers = `SELECT row_number, row_number() OVER (PARTITION BY id_text ORDER BY ${contentText(source)}, row_number) AS n
    FROM (${named}) WHERE id_text IN (${shared})`;
  const fingerprints = Object.entries(fingerprintTexts(source)).map(([name, value]) => `${value} AS ${name}`);
  return `(SELECT ${place} AS place, 0 AS generation, ${identityOf(input, 'id_text', 'coalesce(n, 1)')} AS identity,
      regexp_replace(loan_id, '[\\x00-\\x1f\\x7f]', ' ', 'g') AS loan_id, ${originalAmount(source)} AS original_balance,
      ${originationDate(source)} AS origination_date, current_balance AS balance, ${fingerprints.join(', ')}${input.listPath ? `, ${keysOf(source).join(', ')}` : ''}
    FROM (${named}) LEFT JOIN (${numbers}) USING (row_number) WHERE ${loans.condition ?? 'true'}${input.listPath ? ` AND (${isListed(input.listPath, source)})` : ''})`;
}

type Owner = Pick<IdentitiesInput, 'organizationId' | 'loanType'>;

/** SQL of the identity of the `n`-th loan of an organization and loan type that has the text. */
const identityOf = ({ organizationId, loanType }: Owner, text: string, n: string): string =>
  `left(sha256(concat_ws(chr(31), ${sqlText(organizationId)}, ${sqlText(loanType)}, ${text}, ${n})), 32)`;

/** The list, its texts in the form in which they are compared. */
const listed = (path: string): string =>
  `(SELECT ${comparedId(idSql('loan_id'))} AS loan_id, ${comparedText('vin')} AS vin, ${comparedText('contract_number')} AS contract_number
    FROM read_json(${sqlText(path)}, columns = {loan_id: 'VARCHAR', vin: 'VARCHAR', contract_number: 'VARCHAR'}))`;

/** SQL of what a loan of a source can be listed by. */
function keyTexts(source: IdentitySource): Record<(typeof LIST_KEYS)[number], string> {
  const of = (name: string): string => (source.columns.has(name) ? comparedText(name) : 'CAST(NULL AS VARCHAR)');
  return {
    loan_id: source.syntheticIds ? 'CAST(NULL AS VARCHAR)' : comparedId('loan_id'),
    vin: of('vin'),
    contract_number: of('contract_number'),
  };
}

const keysOf = (source: IdentitySource): string[] =>
  Object.entries(keyTexts(source)).map(([name, value]) => `${value} AS key_${name}`);

const isListed = (path: string, source: IdentitySource): string =>
  Object.entries(keyTexts(source))
    .map(([name, value]) => `${value} IN (SELECT ${name} FROM ${listed(path)} WHERE ${name} IS NOT NULL)`)
    .join(' OR ');

/** SQL of the loans that stand for listed vehicles which no tape has. */
const vehiclesOf =
  ({ hmac, from }: { hmac: (text: string) => string; from: string }) =>
  (list: string): string => {
    const { vin } = fingerprintTexts({ loanType: 'Auto', columns: new Set(['vin']), syntheticIds: false });
    return `SELECT left(${hmac(vin)}, 32) AS vin FROM (SELECT DISTINCT vin FROM ${list}) l, ${from} WHERE ${vin} IS NOT NULL`;
  };

/** SQL of the loans that stand for listed ids which no tape has: the tape that has one may come later. */
const namedOf = (owner: Owner, list: string): string =>
  `SELECT DISTINCT ${identityOf(owner, idText(), '1')} AS identity, loan_id FROM ${list} WHERE loan_id IS NOT NULL`;

/** Leaves one row for each loan, adds the ids and vehicles that no tape has, and returns how many rows of the list are no loan of a tape. */
async function reduceToList(
  { engine, ...owner }: Owner & { engine: Engine },
  table: string,
  path: string,
  vehicles: (list: string) => string,
): Promise<number> {
  const missing = LIST_KEYS.map(
    (name) => `(l.${name} IS NULL OR l.${name} NOT IN (SELECT key_${name} FROM ${table} WHERE key_${name} IS NOT NULL))`,
  );
  return await engine.withTable(`SELECT * FROM ${listed(path)} l WHERE ${missing.join(' AND ')}`, async (unmatched) => {
    // Of several tapes that have the loan, the one with the most fingerprints tells the most.
    const known = FINGERPRINTS.map((name) => `(${name} IS NOT NULL)::INTEGER`).join(' + ');
    const best = `SELECT row FROM (SELECT rowid AS row, row_number() OVER (PARTITION BY identity ORDER BY ${known} DESC, rowid) AS place FROM ${table}) WHERE place = 1`;
    await engine.run(`DELETE FROM ${table} WHERE rowid NOT IN (${best})`);
    await engine.run(
      `INSERT INTO ${table} (place, generation, identity, loan_id) SELECT -1, 0, identity, loan_id FROM (${namedOf(owner, unmatched)})`,
    );
    await engine.run(`INSERT INTO ${table} (place, vin) SELECT -1, vin FROM (${vehicles(unmatched)})`);
    const counted = await engine.first<{ count: number }>(`SELECT count(*) AS count FROM ${unmatched}`);
    return counted?.count ?? 0;
  });
}

/** SQL: whether two loans of one id are two loans, by what is known of both. */
const DIFFERENT = 'a.original_balance <> b.original_balance AND a.origination_date <> b.origination_date';

/** Numbers the loans that have the id of another one, and finds those that are the same loan. */
async function numberRepeated(engine: Engine, table: string): Promise<Identities['repeated']> {
  const shared = `SELECT identity FROM ${table} GROUP BY identity HAVING count(*) > 1`;
  return await engine.withTable(`SELECT rowid AS id, * FROM ${table} WHERE identity IN (${shared})`, async (pairs) => {
    const same = `SELECT DISTINCT a.identity, a.loan_id FROM ${pairs} a JOIN ${pairs} b ON a.identity = b.identity AND a.id < b.id WHERE NOT coalesce(${DIFFERENT}, false)`;
    const rows = await engine.rows<{ loan_id: string; total: number }>(
      `SELECT loan_id, count(*) OVER () AS total FROM (${same}) ORDER BY loan_id LIMIT ${REPEATED_SHOWN}`,
    );
    await engine.run(
      `UPDATE ${table} SET generation = g.n FROM (SELECT id, row_number() OVER (PARTITION BY identity ORDER BY place, id) - 1 AS n FROM ${pairs}) g WHERE ${table}.rowid = g.id`,
    );
    return { loan_ids: rows.map((row) => row.loan_id), total: rows[0]?.total ?? 0 };
  });
}
