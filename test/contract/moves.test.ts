import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALLOCATION_MOVES } from '../../src/features/allocations/allocation.ts';
import { APPROVAL_MOVES } from '../../src/features/approvals/approval.ts';
import { CALCULATION_MOVES } from '../../src/features/calculations/calculation.ts';
import { PORTFOLIO_RUN_MOVES } from '../../src/features/calculations/portfolio-run.ts';
import { RUN_MOVES } from '../../src/features/criteria/run.ts';
import { WAIVER_MOVES } from '../../src/features/criteria/waive.ts';
import { DEAL_MOVES } from '../../src/features/deals/deal.ts';
import { CONFLICT_MOVES } from '../../src/features/pledges/conflict.ts';
import { PLEDGE_MOVES } from '../../src/features/pledges/outside-pledge.ts';
import { IOI_MOVES } from '../../src/features/iois/ioi.ts';
import { ORDER_MOVES } from '../../src/features/orders/order.ts';
import { MEMBER_MOVES } from '../../src/features/members/member.ts';
import { ORGANIZATION_MOVES } from '../../src/features/organizations/organization.ts';
import { POOL_MOVES } from '../../src/features/pools/pool.ts';
import { REMITTANCE_MOVES } from '../../src/features/remittances/remittance.ts';
import { MARKET_MOVES } from '../../src/features/securitizations/securitization.ts';
import { SUBSCRIPTION_MOVES } from '../../src/features/subscriptions/subscription.ts';
import { POOL_TAPE_MOVES } from '../../src/features/servicing/servicing.ts';
import { BULK_JOB_MOVES } from '../../src/features/tapes/bulk-job.ts';
import { TAPE_MOVES } from '../../src/features/tapes/tape.ts';
import { TRADE_MOVES } from '../../src/features/trades/trade.ts';
import { UPLOAD_MOVES } from '../../src/features/uploads/upload.ts';
import type { Tx } from '../../src/platform/db/database.ts';
import { ApiError } from '../../src/platform/http/errors.ts';
import type { Mover } from '../../src/platform/moves.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

type Values = Record<string, unknown>;
type Walk = (gateway: Gateway) => Promise<void>;

/** Every table of moves, and the values that the database requires of a record of it. */
const TABLES: Record<string, Walk> = {
  ALLOCATION_MOVES: walk(ALLOCATION_MOVES, { order_id: 'x' }),
  APPROVAL_MOVES: walk(APPROVAL_MOVES, { act: 'SETTLE', needed: 2 }),
  BULK_JOB_MOVES: walk(BULK_JOB_MOVES),
  CALCULATION_MOVES: walk(CALCULATION_MOVES, { purpose: 'ANALYSIS', type: 'CASHFLOW' }),
  CONFLICT_MOVES: walk(CONFLICT_MOVES),
  DEAL_MOVES: walk(DEAL_MOVES),
  IOI_MOVES: walk(IOI_MOVES),
  MARKET_MOVES: walk(MARKET_MOVES),
  MEMBER_MOVES: walk(MEMBER_MOVES, {
    issuer: 'https://login.example.com',
    subject: 's',
    rights: ['VIEW'],
    email: 'a@example.com',
  }),
  ORDER_MOVES: walk(ORDER_MOVES, { compliance_check_result: 'passed' }),
  ORGANIZATION_MOVES: walk(ORGANIZATION_MOVES),
  PLEDGE_MOVES: walk(PLEDGE_MOVES),
  POOL_MOVES: walk(POOL_MOVES),
  POOL_TAPE_MOVES: walk(POOL_TAPE_MOVES, { format: 'csv' }),
  PORTFOLIO_RUN_MOVES: walk(PORTFOLIO_RUN_MOVES),
  REMITTANCE_MOVES: walk(REMITTANCE_MOVES),
  RUN_MOVES: walk(RUN_MOVES),
  SUBSCRIPTION_MOVES: walk(SUBSCRIPTION_MOVES, { compliance_check_result: 'passed' }),
  TAPE_MOVES: walk(TAPE_MOVES, { format: 'csv' }),
  TRADE_MOVES: walk(TRADE_MOVES),
  UPLOAD_MOVES: walk(UPLOAD_MOVES, { purpose: 'tape' }),
  WAIVER_MOVES: walk(WAIVER_MOVES),
};

test('every table of moves is walked here', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  const found = globSync('**/*.ts', { cwd: src }).flatMap((file) =>
    [...readFileSync(src + file, 'utf8').matchAll(/export const (\w+) = new Mover</g)].map((match) => match[1]),
  );
  assert.deepEqual(found.toSorted(), Object.keys(TABLES));
});

test('a record moves where its table leads, and to every other status with 409 and the moves that are allowed', async (t) => {
  await using gateway = await startGateway();
  await removeNeighbours(gateway);
  for (const [name, walked] of Object.entries(TABLES)) await t.test(name, () => walked(gateway));
});

function walk<Row extends object, Column extends keyof Row & string, Status extends Row[Column] & string>(
  mover: Mover<Row, Column, Status>,
  required: Values = {},
): Walk {
  return async (gateway) => {
    const { moves, column, table, key } = mover.machine;
    const statuses = Object.keys(moves) as Status[];
    for (const from of statuses)
      for (const to of statuses) {
        await inTransactionThatEnds(gateway, async (tx) => {
          const row = await insertRecord<Row>(tx, table, { ...required, [column]: from });
          const stored = async (): Promise<unknown> =>
            (
              await tx.rows<Row>(
                `select * from ${table} where ${key.map((each, at) => `${each} = $${at + 1}`).join(' and ')}`,
                key.map((each) => row[each]),
              )
            )[0]?.[column];
          if (moves[from].includes(to)) {
            const moved = await mover.move(tx, row, to);
            assert.deepEqual([moved[column], await stored()], [to, to], `${from} → ${to}`);
            return;
          }
          for (const attempt of [
            () => mover.move(tx, row, to),
            () => mover.tryMove(tx, row, to),
            () => mover.moveAll(tx, [{ row, to }]),
          ])
            await assert.rejects(attempt, (error) => {
              assert.ok(error instanceof ApiError);
              assert.deepEqual(
                [error.code, error.statusCode, error.extra],
                ['INVALID_TRANSITION', 409, { current_status: from, allowed: moves[from] }],
              );
              return true;
            });
          assert.throws(() => mover.updateSql(from, to), ApiError);
          assert.equal(await stored(), from);
        });
      }
  };
}

/** Foreign keys and triggers speak of neighbours that a lone record does not have. */
async function removeNeighbours(gateway: Gateway): Promise<void> {
  const owner = await gateway.owner();
  try {
    const { rows } = await owner.query<{ command: string }>(
      `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as command from pg_constraint
       where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
       union all
       select format('alter table %s disable trigger user', oid::regclass) from pg_class
       where relhastriggers and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    );
    for (const { command } of rows) await owner.query(command);
  } finally {
    await owner.end();
  }
}

class Undone extends Error {}

async function inTransactionThatEnds(gateway: Gateway, work: (tx: Tx) => Promise<void>): Promise<void> {
  await assert.rejects(
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      await work(tx);
      throw new Undone();
    }),
    Undone,
  );
}

const FILLERS: Record<string, unknown> = {
  text: 'x',
  bigint: 1,
  integer: 1,
  smallint: 1,
  numeric: 1,
  'double precision': 1,
  boolean: false,
  date: '2026-01-31',
  'timestamp with time zone': '2026-01-31T00:00:00Z',
  jsonb: '{}',
  uuid: '00000000-0000-4000-8000-000000000000',
  ARRAY: '{}',
  bytea: '\\x00',
  json: '{}',
};

/** A record with these values and with something in every other column that must have a value. */
async function insertRecord<Row>(tx: Tx, table: string, values: Values): Promise<Row> {
  const columns = await tx.rows<{ column_name: string; data_type: string }>(
    `select column_name, data_type from information_schema.columns
     where table_name = $1 and table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'`,
    [table],
  );
  const filled: Values = Object.fromEntries(columns.map(({ column_name, data_type }) => [column_name, FILLERS[data_type]]));
  const written = { ...filled, ...values };
  const names = Object.keys(written);
  const [row] = await tx.rows<Row>(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning *`,
    Object.values(written),
  );
  assert.ok(row);
  return row;
}
