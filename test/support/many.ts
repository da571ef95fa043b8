import type { Database, Scope, Tx } from '../../src/platform/db/database.ts';
import type { Holder } from './gateway.ts';

/** Organizations with the profile and the rights of one, `org_many1` and so on; their ids. */
export async function manyOrganizations(tx: Tx, like: Holder, count: number): Promise<string[]> {
  const made = await tx.rows<{ organization_id: string }>(
    `insert into organizations (organization_id, name, roles, environments, profile, profile_set_at)
     select 'org_many' || i, 'Organization ' || i, roles, environments, profile, profile_set_at
     from organizations, generate_series(1, $2) as i where organization_id = $1 returning organization_id`,
    [like.organization_id, count],
  );
  return made.map((each) => each.organization_id);
}

/** What copies have in place of the original's: a number; the prefix of an id; or, as `place`, a number of their own from 1,001 on. */
export type Changes = Record<string, string | number>;

/** Copies a row of an organization to each of `manyOrganizations`. */
export async function copyRows(tx: Tx, table: string, of: Holder, count: number, changes: Changes): Promise<void> {
  const fields = Object.entries({ ...changes, organization_id: 'org_' }).map(
    ([name, value]) =>
      `'${name}', ${typeof value === 'number' ? String(value) : value === 'place' ? '1000 + i' : `'${value}many' || i`}`,
  );
  await tx.exec(
    `insert into ${table} overriding system value
     select made.* from (select * from ${table} where organization_id = $1 limit 1) as row, generate_series(1, $2) as i,
       jsonb_populate_record(null::${table}, to_jsonb(row) || jsonb_build_object(${fields.join(', ')})) as made`,
    [of.organization_id, count],
  );
}

/** A transaction that notes its statements, the rows that it hands out, how often their fields are read, and how many records a statement books at most. */
export function counting(tx: Tx) {
  const seen = { statements: 0, rows: 0, reads: 0, largest: 0 };
  const rows = async <Row>(sql: string, params?: readonly unknown[]): Promise<Row[]> => {
    seen.statements += 1;
    const found = await tx.rows<Row>(sql, params);
    seen.rows += found.length;
    return found.map(
      (row) =>
        new Proxy(row as Row & object, {
          get(target, key) {
            seen.reads += 1;
            return Reflect.get(target, key) as unknown;
          },
        }),
    );
  };
  const counted: Tx = Object.assign(Object.create(tx) as Tx, {
    rows,
    one: async <Row>(sql: string, params?: readonly unknown[]) => (await rows<Row>(sql, params))[0] ?? null,
    exec: (sql: string, params: readonly unknown[] = []) => {
      seen.statements += 1;
      if (/into (payments|ledger_entries|allocations)|jsonb_populate_recordset/.test(sql))
        seen.largest = Math.max(seen.largest, (JSON.parse(String(params[0])) as unknown[]).length);
      return tx.exec(sql, params);
    },
  });
  return { seen, counted };
}

/** A database that notes the statements of its transactions. */
export function countingDatabase(db: Database) {
  const seen = { statements: 0 };
  const counted: Database = Object.assign(Object.create(db) as Database, {
    tx: <Result>(scope: Scope, work: (tx: Tx) => Promise<Result>) =>
      db.tx(scope, async (tx) => {
        const each = counting(tx);
        const result = await work(each.counted);
        seen.statements += each.seen.statements;
        return result;
      }),
  });
  return { seen, counted };
}

type PlanNode = {
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
};

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);

/** A transaction that notes how many rows the plans of those statements handle, and how many blocks they look at; each is executed twice. */
export function planning(tx: Tx, statements = /^/) {
  const seen = { rows: 0, blocks: 0 };
  const rows = async <Row>(sql: string, params?: readonly unknown[]): Promise<Row[]> => {
    if (!statements.test(sql)) return tx.rows<Row>(sql, params);
    type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] };
    const [explained] = await tx.rows<Explained>(`explain (analyze, buffers, timing off, format json) ${sql}`, params);
    const plan = explained?.['QUERY PLAN'][0].Plan;
    if (plan) seen.rows += rowsOf(plan);
    if (plan) seen.blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    return tx.rows<Row>(sql, params);
  };
  const planned: Tx = Object.assign(Object.create(tx) as Tx, {
    rows,
    one: async <Row>(sql: string, params?: readonly unknown[]) => (await rows<Row>(sql, params))[0] ?? null,
  });
  return { seen, planned };
}
