import { Readable } from 'node:stream';
import { trancheCash, type TrancheCash, yieldAtPrice } from '../../src/finance/structure/tranche-cash.ts';
import type { Structure } from '../../src/finance/structure/structure.ts';
import type { DayCount } from '../../src/finance/types.ts';
import { setCoupons } from '../../src/features/coupons/coupon.ts';
import type { Tx } from '../../src/platform/db/database.ts';
import { type Id, newId } from '../../src/platform/ids.ts';
import type { Envelope, Gateway, Holder } from './gateway.ts';

export type TrancheInput = {
  tranche?: string;
  class?: string;
  balance?: number;
  current?: number;
  coupon?: number | null;
  offered?: boolean;
  seniority?: number;
  denomination?: number;
  increment?: number;
  erisa_eligible?: boolean;
  offered_yield?: number | null;
  dated_date?: string;
  accrued_from?: string;
  day_count?: string;
  /** A floater in place of the coupon. */
  floating?: { index: string; margin_bp: number; cap?: number; floor?: number };
};

export type DealInput = {
  name?: string;
  asset_type?: string;
  offering?: string;
  market_status?: string;
  closing_date?: string;
  tranches?: TrancheInput[];
};

export type ListedDeal = { deal_id: string; pool_id: string; tranches: string[] };

/** A securitization deal on the market, as its issue leaves it: one senior tranche of 10,000,000 unless said otherwise. */
export function listDeal(gateway: Gateway, originator: Holder, input: DealInput = {}): Promise<ListedDeal> {
  return gateway.deps.db.tx({ platform: true }, (tx) => insertListedDeal(tx, originator.organization_id, input));
}

export async function insertListedDeal(tx: Tx, organizationId: Id<'org'>, input: DealInput): Promise<ListedDeal> {
  const [dealId, poolId] = [newId('deal'), newId('pool')];
  const tranches = input.tranches ?? [{}];
  const name = input.name ?? 'Harbor Auto 2026-1';
  const closing = input.closing_date ?? '2026-12-15';
  const structure = floatingStructure(tranches);
  const size = tranches.filter((each) => each.offered !== false).reduce((sum, each) => sum + (each.balance ?? 10_000_000), 0);
  await tx.exec(
    `insert into pools (pool_id, organization_id, name, status, deal_ids, loan_type, cut_off_date, closing_date, loan_count, balance, wac, wam, deal_id, structure)
     values ($1, $2, $3, 'ISSUED', '{}', $4, $5, $5, 1000, $6, 6.5, 48, $7, $8)`,
    [poolId, organizationId, name, input.asset_type ?? 'Auto', closing, size, dealId, structure && JSON.stringify(structure)],
  );
  await tx.exec(
    `insert into securitization_deals (deal_id, organization_id, pool_id, name, asset_type, offering, market_status, deal_size, closing_date, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), clock_timestamp())`,
    [
      dealId,
      organizationId,
      poolId,
      name,
      input.asset_type ?? 'Auto',
      input.offering ?? '144A',
      input.market_status ?? 'MARKETING',
      size,
      closing,
    ],
  );
  const ids: string[] = [];
  for (const [index, each] of tranches.entries()) {
    const trancheId = newId('trn');
    ids.push(trancheId);
    const balance = each.balance ?? 10_000_000;
    const dated = each.dated_date ?? '2026-12-01';
    await tx.exec(
      `insert into tranches (tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon, day_count,
         rating, seniority, denomination, increment, erisa_eligible, offered_yield, dated_date, accrued_from, index, margin_bp, cap, floor, multiplier, coupon_terms)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $19, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $20, $21, $22, $23, $24, $25)`,
      [
        trancheId,
        dealId,
        organizationId,
        each.tranche ?? `A-${index + 1}`,
        each.class ?? each.tranche ?? `A-${index + 1}`,
        each.offered ?? true,
        balance,
        each.current ?? balance,
        each.coupon === undefined ? 5 : each.coupon,
        each.day_count ?? '30/360',
        'AAA',
        each.seniority ?? index + 1,
        each.denomination ?? 1_000,
        each.increment ?? 1_000,
        each.erisa_eligible ?? true,
        each.offered_yield ?? null,
        dated,
        each.accrued_from ?? dated,
        each.floating ? 'FLOATING' : 'FIXED',
        each.floating?.index ?? null,
        each.floating?.margin_bp ?? null,
        each.floating?.cap ?? null,
        each.floating?.floor ?? null,
        each.floating ? 1 : null,
        each.floating ? `a floating rate of ${each.floating.index}` : null,
      ],
    );
  }
  const terms = { organization_id: organizationId, pool_id: poolId, deal_id: dealId, balance: String(size), wac: '6.5' };
  if (structure) await setCoupons(tx, { ...terms, structure, cut_off_date: closing, closing_date: closing });
  return { deal_id: dealId, pool_id: poolId, tranches: ids };
}

/** The structure that floaters have their coupons from; null without one. */
function floatingStructure(tranches: readonly TrancheInput[]): Structure | null {
  if (!tranches.some((each) => each.floating)) return null;
  return {
    payment: { dated_date: '2026-12-01' },
    tranches: tranches.map(({ tranche, balance = 10_000_000, coupon, day_count, floating }, index) => ({
      tranche: tranche ?? `A-${index + 1}`,
      balance,
      ...(day_count ? { day_count: day_count as DayCount } : {}),
      coupon: floating ? { type: 'FLOATING', ...floating } : { type: 'FIXED', rate: coupon ?? 5 },
    })),
    waterfall: [],
  };
}

/** Publishes a mark of a tranche, as the operator's act leaves it. */
export function insertMark(
  gateway: Gateway,
  trancheId: string,
  mark: {
    price: number | string;
    yield?: number | string;
    spread_bp?: number | string;
    wal?: number | string;
    duration?: number | string;
    as_of?: string;
  },
): Promise<unknown> {
  return gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
       select tranche_id, $2, deal_id, organization_id, $3, $4, $5, $6, $7, $8, clock_timestamp() from tranches where tranche_id = $1`,
      [
        trancheId,
        newId('calc'),
        mark.price,
        mark.yield ?? null,
        mark.spread_bp ?? null,
        mark.wal ?? null,
        mark.duration ?? null,
        mark.as_of ?? '2026-11-30',
      ],
    ),
  );
}

/** The place of the tranche in the deal, its price (par by default) and its coupon. */
export type MarkInput = { tranche?: number; price?: number; coupon?: number };

const CASH_POOL = { cut_off_date: '2026-11-30', closing_date: '2026-12-15' };

/**
 * Publishes a mark with a calculation behind it, as the operator's act leaves both: a note that pays its coupon monthly for three years and then
 * its balance, at a price (par unless said otherwise) whose yield is computed. Returns the cash, to price it again.
 */
export async function insertMarkWithCash(
  gateway: Gateway,
  originator: Holder,
  deal: ListedDeal,
  { tranche = 0, price = 100, coupon = 5 }: MarkInput = {},
): Promise<{ cash: TrancheCash; price: number; yield: number; calculation_id: string }> {
  const id = newId('calc');
  const trancheId = deal.tranches[tranche] as string;
  const balance = 10_000_000;
  const name = `A-${tranche + 1}`;
  const structure: Structure = {
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE' },
    tranches: [{ tranche: name, class: 'A', balance, coupon: { type: 'FIXED', rate: coupon } }],
    waterfall: [
      { pay: 'INTEREST', to: [name] },
      { pay: 'PRINCIPAL', to: [name] },
    ],
  };
  const rows = Array.from({ length: 36 }, (_, index) => ({
    period: index + 1,
    date: `${2027 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}-15`,
    opening: balance,
    interest_paid: Math.round((balance * coupon) / 12) / 100,
    principal: index === 35 ? balance : 0,
  }));
  const settlementDate = CASH_POOL.closing_date;
  const terms = {
    settlementDate,
    yieldBasis: 'BEY',
    cutOff: CASH_POOL.cut_off_date,
    closing: settlementDate,
    indexCurves: {},
  } as const;
  const cash = trancheCash(structure, name, rows, terms);
  const marked = cash && yieldAtPrice(cash, price);
  if (!cash || marked === null) throw new Error('the note has no price');
  const detailsKey = `calculations/${originator.organization_id}/${id}/1`;
  const detail = JSON.stringify({ tranches: { [name]: rows } });
  await gateway.deps.store.put(`${detailsKey}/0.json`, Readable.from([detail]), 1_000_000);
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await tx.exec(
      `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, result, details_key, completed_at)
       values ($1, $2, $3, $1, 'PRICING', 'MARK', 'COMPLETED', $4, 'LOAN', $5, $6, $7, clock_timestamp())`,
      [
        id,
        originator.organization_id,
        deal.pool_id,
        settlementDate,
        JSON.stringify({ request: { type: 'PRICING', purpose: 'MARK' }, structure, pool: CASH_POOL }),
        JSON.stringify({ settlement_date: settlementDate, results: [] }),
        detailsKey,
      ],
    );
    await tx.exec(
      `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, yield, as_of, published_at)
       select tranche_id, $2, deal_id, organization_id, $3, $4, $5, clock_timestamp() from tranches where tranche_id = $1`,
      [trancheId, id, price, marked, settlementDate],
    );
  });
  return { cash, price, yield: marked, calculation_id: id };
}

/** Sets what compliance knows of an organization. */
export function setProfile(gateway: Gateway, holder: Holder, changes: Record<string, unknown> | null): Promise<unknown> {
  return gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `update organizations set profile = case when $2::jsonb is null then null else coalesce(profile, '{}') || $2::jsonb end where organization_id = $1`,
      [holder.organization_id, changes === null ? null : JSON.stringify(changes)],
    ),
  );
}

/** Brings an investor from a subscription to a settled trade; the trade's id. The deal is allocated by it. */
export async function buy(
  gateway: Gateway,
  operator: Holder,
  investor: Holder,
  deal: ListedDeal,
  amount: number,
  trancheId = deal.tranches[0] as string,
): Promise<string> {
  const act = async (method: string, path: string, as: Holder, body?: unknown): Promise<Envelope['data']> => {
    const answer = await gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const subscribed = await act('POST', `/v1/api/investor/deals/${deal.deal_id}/subscribe`, investor, {
    subscription_amount: amount,
    tranche_id: trancheId,
  });
  await act('POST', `/v1/operator/subscriptions/${subscribed.subscription_id}/confirm`, operator);
  const { allocations } = await act('POST', `/v1/operator/deals/${deal.deal_id}/allocations`, operator, { method: 'PRO_RATA' });
  const own = allocations.find((each: { subscription_id: string | null }) => each.subscription_id === subscribed.subscription_id);
  const accepted = await act('POST', `/v1/api/investor/allocations/${own.allocation_id}/accept`, investor);
  await act('POST', `/v1/operator/trades/${accepted.trade_id}/settle`, operator);
  return accepted.trade_id;
}

/** A holding as it is after its trades have settled, without the trades: for books of any size. */
export function insertPosition(
  gateway: Gateway,
  holder: Holder,
  trancheId: string,
  face: number | string,
  price: number | string = 100,
): Promise<unknown> {
  return gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
       select $1, $2, deal_id, tranche_id, $4::numeric, $4::numeric * $5::numeric / 100, '2026-11-20', clock_timestamp() from tranches where tranche_id = $3`,
      [newId('pos'), holder.organization_id, trancheId, face, price],
    ),
  );
}
