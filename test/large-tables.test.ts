import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findNewestVersion, listDocuments } from '../src/features/documents/queries.ts';
import { listTrancheAllocations } from '../src/features/allocations/queries.ts';
import { listOperatorDeals } from '../src/features/deals/operator-queries.ts';
import { listComparable, listDealSummaries } from '../src/features/marketplace/queries.ts';
import { listTranchePerformance } from '../src/features/calculations/mark-queries.ts';
import { listHeldDeals } from '../src/features/portfolio/exposure-queries.ts';
import { listPositionsAt } from '../src/features/portfolio/queries.ts';
import { listJobIds } from '../src/features/tapes/job-queries.ts';
import { findSubscriptionProgress } from '../src/features/trades/queries.ts';
import { listUnnamed } from '../src/features/uploads/sweep-queries.ts';
import type { Tx } from '../src/platform/db/database.ts';
import { asId, type Id } from '../src/platform/ids.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { planning } from './support/many.ts';

/** Rows of each table; an investor holds a position in each deal on the market. */
const ROWS = 3_000;
const FILLED: Record<string, string> = {
  deals: `(deal_id, organization_id, name, loan_type, status, tape_version, created_at) select 'deal_loan' || n, o, 'Deal', 'Auto', 'APPROVED', 1, now() - make_interval(days => n)`,
  tapes: `(deal_id, version, organization_id, file_name, format, object_key, size, sha256, state, loans_key, created_at)
    select 'deal_loan' || n, 1, o, 'f', 'csv', 'key' || n, 1, 'x', case when n % 500 = 0 then 'FAILED' else 'DONE' end, 'key', now() - make_interval(days => n)`,
  bulk_jobs: `(job_id, organization_id, status, total, created_at) select 'job_' || n, o, 'COMPLETED', 1, now() - make_interval(days => n)`,
  pools: `(pool_id, organization_id, name, status, deal_ids, loan_type, cut_off_date, closing_date, loan_count, balance, deal_id)
    select 'pool_' || n, o, 'Pool', 'ISSUED', array['deal_loan' || n], 'Auto', '2026-01-01', '2026-02-01', 1, 1, 'deal_' || n`,
  securitization_deals: `(deal_id, organization_id, pool_id, name, asset_type, offering, market_status, deal_size, closing_date, originator, created_at)
    select 'deal_' || n, o, 'pool_' || n, 'Deal', 'Auto', '144A', case when n % 500 = 0 then 'MARKETING' else 'CLOSED' end, 1000 + n, '2026-02-01', 'Harbor', now() - make_interval(days => n)`,
  tranches: `(tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon, day_count, seniority, dated_date, accrued_from)
    select 'trn_' || n, 'deal_' || n, o, 'A', 'A', true, 1000, 900, 'FIXED', 5, '30/360', 1, '2026-02-01', '2026-02-01'`,
  tranche_factors: `(tranche_id, organization_id, factor, accrued_from, set_at) select 'trn_' || n, o, 1, '2026-02-01', '2026-02-01'`,
  marks: `(tranche_id, calculation_id, deal_id, organization_id, price, yield, wal, as_of, published_at)
    select 'trn_' || n, 'calc_' || n, 'deal_' || n, o, 99, 4 + n % 7, 2, '2026-02-01', '2026-02-01'`,
  latest_marks: `(tranche_id, organization_id, price, yield, wal, as_of, published_at)
    select 'trn_' || n, o, 99, 4 + n % 7, 2, '2026-02-01', '2026-02-01'`,
  calculations: `(calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, projection, completed_at)
    select 'calc_' || n, o, 'pool_' || n, 'key', 'CASHFLOW', 'MARK', 'COMPLETED', '2026-02-01', 'LOAN', '{}', '{"tranches":[],"pool":[]}', now()`,
  remittances: `(pool_id, period, organization_id, remittance_id, deal_id, payment_date, report, performance, triggers, state_after, status, verification)
    select 'pool_' || n, 1, o, 'rem_' || n, 'deal_' || n, '2026-02-25', '{}', '{"pool":{"pool_balance":"900"},"tranches":[]}', '[]', '{}', 'APPLIED', '{}'`,
  allocations: `(allocation_id, organization_id, deal_id, tranche_id, round_id, entry, subscription_id, requested_amount, allocated_amount, fill_ratio, method, reason, status, expires_at, created_at)
    select 'all_' || n, o, 'deal_' || n, 'trn_' || n, 'alr_' || n, 1, 'sub_' || n, 1, 1, 1, 'PRO_RATA', 'r', 'ACCEPTED', now(), now()`,
  trades: `(trade_id, organization_id, deal_id, tranche_id, allocation_id, face, factor, price, principal_amount, accrued_interest, net_amount, trade_date, settlement_date, status, settled_at, created_at, updated_at)
    select 'trd_' || n, o, 'deal_' || n, 'trn_' || n, 'all_' || n, 1000, 1, 100, 1000, 0, 1000, '2026-02-02', '2026-02-04', 'SETTLED', '2026-02-04', now(), now()`,
  positions: `(position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
    select 'pos_' || n, o, 'deal_' || n, 'trn_' || n, 1000, 1000, '2026-02-02', '2026-02-04'`,
  documents: `(document_id, organization_id, deal_id, file_key, file_name, document_type, content_type, size, sha256, object_key, version, created_at)
    select 'doc_' || n, o, 'deal_' || n % 100, 'key' || n, 'file' || n, 'OTHER', 'text/plain', 1, 'x', 'stored' || n, 1, now()`,
  uploads: `(upload_id, organization_id, purpose, file_key, file_name, max_bytes, expires_at, status, object_key)
    select 'upl_' || n, o, 'tape', 'key' || n, 'f', 1, now(), 'COMPLETED', 'sent' || n`,
};

let gateway: Gateway;
let organization: Id<'org'>;
before(async () => {
  gateway = await startGateway();
  organization = (await gateway.key('both', 'Holder')).organization_id;
  const owner = await gateway.owner();
  try {
    // Filled without the rules that bind records to each other: the lookups alone are looked at.
    await owner.query(`select set_config('sluice.scope', 'platform', false)`);
    await owner.query('set session_replication_role = replica');
    for (const [table, rows] of Object.entries(FILLED))
      await owner.query(`insert into ${table} ${rows} from (select n, $1 as o from generate_series(1, ${ROWS}) n) numbered`, [
        organization,
      ]);
    await owner.query('vacuum analyze');
  } finally {
    await owner.end();
  }
});
after(() => gateway[Symbol.asyncDispose]());

const DEALS = Array.from({ length: 50 }, (_, index) => asId('deal', `deal_${index + 1}`));
const PAGE = { page: 1, limit: 10 };

/** What is looked up in tables of thousands of rows, and the most blocks and rows that this may take. */
const LOOKUPS: [name: string, mostBlocks: number, mostRows: number, lookUp: (tx: Tx) => Promise<unknown>][] = [
  ['the progress of a subscription', 20, 100, (tx) => findSubscriptionProgress(tx, asId('sub', 'sub_7'))],
  ['the allocations of a tranche', 30, 100, (tx) => listTrancheAllocations(tx, asId('trn', 'trn_7'))],
  [
    'the newest version of a document',
    20,
    100,
    (tx) =>
      findNewestVersion(tx, {
        organization_id: organization,
        deal_id: asId('deal', 'deal_7'),
        file_name: 'file7',
        for_profile: false,
      }),
  ],
  ['the documents of a deal', 500, 1_000, (tx) => listDocuments(tx, organization, { ...PAGE, dealId: asId('deal', 'deal_7') })],
  ['the performance of fifty deals', 1_000, 3_000, (tx) => listTranchePerformance(tx, DEALS)],
  ['jobs that failed', 100, 1_000, (tx) => listJobIds(tx, { ...PAGE, status: 'FAILED' })],
  ['jobs that are completed', 100, 1_000, (tx) => listJobIds(tx, { ...PAGE, status: 'COMPLETED' })],
  ['deals by their status on the market', 1_000, 100_000, (tx) => listOperatorDeals(tx, { ...PAGE, market_status: 'MARKETING' })],
  [
    'most deals by their status on the market',
    10_000,
    100_000,
    (tx) => listOperatorDeals(tx, { ...PAGE, market_status: 'CLOSED' }),
  ],
  [
    'deals in the order of their yields',
    1_000,
    60_000,
    (tx) => listDealSummaries(tx, organization, { ...PAGE, sort: 'wa_yield' }),
  ],
  ['deals of like size', 600, 10_000, (tx) => listComparable(tx, organization, asId('deal', 'deal_7'))],
  ['the pools behind a book', 60_000, 100_000, (tx) => listHeldDeals(tx, organization)],
  ['a page of a book of before', 1_000, 20_000, (tx) => listPositionsAt(tx, organization, '2026-06-01', PAGE)],
  [
    'files that no row names',
    2_000,
    20_000,
    (tx) =>
      listUnnamed(
        tx,
        Array.from({ length: 200 }, (_, n) => `sent${n * 20}`),
      ),
  ],
];

for (const [name, mostBlocks, mostRows, lookUp] of LOOKUPS)
  test(`${name} is looked up without a pass over all rows for each`, async () => {
    const { rows, blocks } = await gateway.deps.db.tx({ platform: true }, async (tx) => {
      const { seen, planned } = planning(tx, /^\s*select(?! pg_advisory)/);
      await lookUp(planned);
      return seen;
    });
    assert.ok(blocks < mostBlocks && rows < mostRows, `${blocks} blocks, ${rows} rows`);
  });
