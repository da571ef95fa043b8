import { join } from 'node:path';
import { dictionary } from '../../loans/dictionary/dictionary.ts';
import { type Engine, openEngine } from '../../loans/engine/engine.ts';
import { sqlText } from '../../loans/engine/sql.ts';
import { parquet } from '../../loans/engine/sql.ts';
import type { IssueRow, LoanType } from '../../loans/types.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Page } from '../../platform/http/route.ts';

const readers = new WeakMap<object, Promise<Engine>>();

/** The process's engine for reading finished files: it may open what the object store keeps locally, and writes nothing. */
export function reader(deps: Deps): Promise<Engine> {
  let engine = readers.get(deps.store);
  if (!engine) {
    const directories = [join(deps.config.dataDir, 'objects'), join(deps.config.dataDir, 'cache')];
    engine = openEngine({ workDir: deps.workDir, allowedDirectories: directories, memoryLimit: '512MB' });
    readers.set(deps.store, engine);
  }
  return engine;
}

/** Local path of a stored file that must be there. */
export async function localFile(deps: Deps, key: string): Promise<string> {
  const path = await deps.store.localPath(key);
  if (!path) throw new Error(`${key} is not in the store`);
  return path;
}

export type IssueFilter = { severity?: string; rule?: string; page: number; limit: number };

/** A page of a tape's findings, in the order of the rows. */
export async function listIssues(deps: Deps, issuesKey: string, filter: IssueFilter): Promise<Page<IssueRow>> {
  const source = parquet(await localFile(deps, issuesKey));
  const conditions = [
    ...(filter.severity ? [`severity = ${sqlText(filter.severity)}`] : []),
    ...(filter.rule ? [`rule_id = ${sqlText(filter.rule)}`] : []),
  ];
  return page<IssueRow>(deps, {
    columns: 'row_number, line, column_name as "column", field, rule_id, severity, message, actual, expected',
    source,
    conditions,
    order: 'row_number nulls first, rule_id, column_name',
    filter,
  });
}

const NUMERIC = new Set(['money', 'percent', 'integer', 'number']);

export type LoanQuery = {
  loansKey: string;
  loanType: LoanType;
  page: number;
  limit: number;
  /** Only the loans that fared so in a run; null: all of them. */
  outcome: { value: string; outcomesKey: string } | null;
};

/** A page of accepted loans in the order of the tape: canonical fields, numbers as numbers, dates as text. */
export async function listLoans(deps: Deps, query: LoanQuery): Promise<Page<Record<string, unknown>>> {
  const loans = parquet(await localFile(deps, query.loansKey));
  const source = query.outcome
    ? `(select l.* from ${loans} l semi join (select row_number from ${parquet(await localFile(deps, query.outcome.outcomesKey))} where outcome = ${sqlText(query.outcome.value)}) o using (row_number))`
    : loans;
  const numeric = new Set(
    dictionary(query.loanType)
      .filter((field) => NUMERIC.has(field.type))
      .map((field) => field.field),
  );
  const found = await page<Record<string, unknown>>(deps, {
    columns: '*',
    source,
    conditions: [],
    order: 'row_number',
    filter: query,
  });
  const asWire = (row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, numeric.has(name) && typeof value === 'string' ? Number(value) : value]),
    );
  return { total: found.total, rows: found.rows.map(asWire) };
}

type PageQuery = {
  columns: string;
  source: string;
  conditions: string[];
  order: string;
  filter: { page: number; limit: number };
};

async function page<Row extends object>(deps: Deps, query: PageQuery): Promise<Page<Row>> {
  const engine = await reader(deps);
  const where = query.conditions.length > 0 ? `where ${query.conditions.join(' and ')}` : '';
  const [rows, counted] = await Promise.all([
    engine.rows<Row>(
      `select ${query.columns} from ${query.source} ${where} order by ${query.order} limit ${query.filter.limit} offset ${(query.filter.page - 1) * query.filter.limit}`,
    ),
    engine.rows<{ total: number | string }>(`select count(*)::integer as total from ${query.source} ${where}`),
  ]);
  return { rows, total: Number(counted[0]?.total ?? 0) };
}
