import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { newestFirst } from '../pages.ts';
import { type Database, openDatabase } from './database.ts';
import { type Filter, selectPage } from './page.ts';

const ROWS = 20_000;
const READS = 12;

/** Reads the first page with these filters again and again; how often the database has planned it for the values of that read. */
async function plannedAnew(db: Database, organizationId: string, more: Filter[], limit: number): Promise<number> {
  const filters: Filter[] = [['organization_id = ?', organizationId], ...more];
  for (let read = 0; read < READS; read += 1) {
    const { rows } = await db.peek({ organization: organizationId }, (reader) =>
      selectPage<{ id: string }>(
        reader,
        { select: 'alert_id as id', from: 'alerts', filters, order: newestFirst('created_at', 'alert_id') },
        { page: 1, limit },
      ),
    );
    assert.equal(rows.length, limit);
  }
  const [planned] = await db.direct<{ anew: number }>(
    `select custom_plans::int as anew from pg_prepared_statements where statement like 'select alert_id as id,%' order by prepare_time desc limit 1`,
  );
  return planned?.anew ?? -1;
}

test('a page of a usual size, in the order of an index, is planned once and not at each read', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('originator');
  const owner = await gateway.owner();
  await owner.query(`select set_config('sluice.scope', 'platform', false)`);
  await owner.query(
    `insert into alerts (alert_id, organization_id, type, category, priority, status, title, message, created_at)
     select 'alt_' || lpad(n::text, 26, '0'), $1, 'deal.closed', case when n % 1000 = 1 then 'deal' else 'loan' end, 'LOW',
       case when n % 500 = 0 then 'ARCHIVED' else 'READ' end, 'Title', 'Message', now() - make_interval(secs => n) from generate_series(1, ${ROWS}) n`,
    [organization_id],
  );
  await owner.query('analyze alerts');
  await owner.end();
  await using db = openDatabase({ url: gateway.deps.databaseUrl, role: 'sluice_app', max: 1 });
  const planned = (more: Filter[], limit: number) => plannedAnew(db, organization_id, more, limit);
  assert.deepEqual([await planned([], 20), await planned([['status = ?', 'ARCHIVED']], 10)], [5, 5]);
  // One plan for all values would be bad for some of these.
  const both: Filter[] = [
    ['status = ?', 'READ'],
    ['category = ?', 'deal'],
  ];
  assert.equal(await planned(both, 10), READS);
});
