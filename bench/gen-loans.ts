import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { dictionary } from '../src/loans/dictionary/dictionary.ts';
import { columnType } from '../src/loans/dictionary/field.ts';
import { openEngine } from '../src/loans/engine/engine.ts';
import { copyToParquet } from '../src/loans/engine/sql.ts';
import type { Gateway, Holder } from '../test/support/gateway.ts';
import { approvedDeal } from '../test/support/pools.ts';

/** A loan table as ingest writes it. One vehicle in a thousand is in the tapes of all sellers, unless they share none. */
export async function writeLoans(workDir: string, name: string, loans: number, { shares = true } = {}): Promise<string> {
  const path = join(workDir, `${name}.parquet`);
  const prefix = shares ? name.slice(0, 1) : name;
  const given: Record<string, string> = {
    loan_id: `'${prefix}-' || i`,
    contract_number: `'${prefix}-' || i`,
    vin: `upper(left(md5(CASE WHEN ${shares} AND i % 1000 = 0 THEN 'both' ELSE '${name}' END), 8)) || '0' || printf('%08d', i)`,
    original_balance: 'CAST(10000 + i % 40000 AS DECIMAL(18,6))',
    current_balance: 'CAST(9000 + i % 40000 AS DECIMAL(18,6))',
    origination_date: "DATE '2020-01-01' + CAST(i % 1000 AS INTEGER)",
    maturity_date: "DATE '2029-01-01' + CAST(i % 1000 AS INTEGER)",
    interest_rate: 'CAST(5 + i % 5 AS DECIMAL(18,6))',
    original_term_months: 'CAST(72 AS DECIMAL(18,6))',
    remaining_term_months: 'CAST(40 + i % 30 AS DECIMAL(18,6))',
    state: "'CA'",
  };
  const columns = dictionary('Auto').map(
    (field) => `${given[field.field] ?? `CAST(NULL AS ${columnType(field)})`} AS ${field.field}`,
  );
  await using engine = await openEngine({ workDir, allowedDirectories: [] });
  await engine.run(
    copyToParquet(
      `SELECT CAST(i AS INTEGER) AS row_number, CAST(i AS INTEGER) AS line, ${columns.join(', ')} FROM range(1, ${loans + 1}) t(i)`,
      path,
    ),
  );
  return path;
}

/** An approved deal whose tape has these loans in place of its own. */
export async function dealOfLoans(gateway: Gateway, as: Holder, operator: Holder, loansPath: string): Promise<string> {
  const dealId = await approvedDeal(gateway, as, operator, { rows: 5 });
  const key = `bench/${dealId}/loans.parquet`;
  await gateway.deps.store.put(key, createReadStream(loansPath), Number.MAX_SAFE_INTEGER);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec('update tapes set loans_key = $2 where deal_id = $1', [dealId, key]),
  );
  return dealId;
}
