// A page of a list of a thousand records beside one of a million, through the whole HTTP layer: what a list costs must not go with its length.
// Two gateways on two databases of one server take turns; the large one also has 2,000 organizations with a few records each.
import { DEALS_OF_BOTH_KINDS } from '../src/features/deals/operator-queries.ts';
import { addUpTotals } from '../src/platform/db/kept-totals.ts';
import { keepPlaces, PLACED_TABLES } from '../src/platform/db/list-places.ts';
import { type Gateway, type Holder, startGateway } from '../test/support/gateway.ts';
import { quantile } from '../test/support/quantile.ts';

const [SMALL, LARGE, OTHERS] = [1_000, 1_000_000, 2_000];
const [CALLS, DEEP_CALLS] = [60, 7];
const DEEP_PAGE = 5_000;
const LIMITS = { page: 1.5, deep: 5 };

const id = (kind: string): string => `'${kind}_' || lpad(n::text, 26, '0')`;
const AT = `timestamptz '2026-01-01' + make_interval(secs => n)`;
/** One value in a hundred thousand, one in a hundred, and the others. */
const spread = (rare: string, few: string, most: string): string =>
  `case when n % 100000 = 7 then '${rare}' when n % 100 = 3 then '${few}' else '${most}' end`;

/** Rows of each table, of one organization `o`, by their number `n`. */
const FILLED: Record<string, string> = {
  alerts: `insert into alerts (alert_id, organization_id, type, category, priority, status, title, message, created_at)
    select ${id('alt')}, o, ${spread('deal.closed', 'trade.settled', 'loan.approved')}, ${spread('deal', 'settlement', 'loan')},
      ${spread('HIGH', 'MEDIUM', 'LOW')}, ${spread('ARCHIVED', 'UNREAD', 'READ')}, 'Title', 'Message', ${AT}`,
  webhook_deliveries: `insert into webhook_deliveries (delivery_id, organization_id, subscription_id, event_id, event, kind, status, created_at, event_inserted_at)
    select ${id('dlv')}, o, 'whs_1', 'evt_1', ${spread('deal.closed', 'trade.settled', 'loan.approved')}, 'EVENT',
      ${spread('PENDING', 'FAILED', 'DELIVERED')}, ${AT}, now()`,
  deals: `insert into deals (deal_id, organization_id, name, loan_type, status, created_at, updated_at)
    select ${id('deal')}, o, 'Deal', ${spread('Student', 'Mortgage', 'Auto')}, ${spread('REJECTED', 'IN_REVIEW', 'APPROVED')}, ${AT}, ${AT}`,
  trades: `insert into trades (trade_id, organization_id, deal_id, tranche_id, allocation_id, face, factor, price, principal_amount, accrued_interest,
      net_amount, trade_date, settlement_date, status, created_at, updated_at)
    select ${id('trd')}, o, 'deal_1', 'trn_1', ${id('all')}, 1000, 1, 100, 1000, 0, 1000, '2026-01-01', '2026-01-03',
      ${spread('FAILED', 'PENDING_SETTLEMENT', 'SETTLED')}, ${AT}, ${AT}`,
  subscriptions: `insert into subscriptions (subscription_id, organization_id, deal_id, tranche_id, subscription_amount, status, compliance_check_result,
      compliance_checks, created_at, updated_at)
    select ${id('sub')}, o, 'deal_1', 'trn_1', 1000, ${spread('expired', 'rejected', 'confirmed')}, 'passed', '[]', ${AT}, ${AT}`,
  request_log: `insert into request_log (organization_id, request_id, at, ms, method, path, route, status, actor_id, replayed, request, response)
    select o, ${id('req')}, ${AT}, 3, ${spread('DELETE', 'POST', 'GET')}, '/v1/api/me', '/v1/api/me', case when n % 100000 = 7 then 409 else 200 end,
      'key_1', false, '{}', '{}'`,
  audit_log: `insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, at, previous_hash, hash)
    select 10000000 + n, ${id('aud')}, o, 'a', ${spread('deal.rejected', 'deal.approved', 'alert.updated')}, 'deal', 'e', ${AT}, '', ''`,
};

/** The lists: who asks, the path, and filters by one enumerated value, many records and few. */
const LISTS: [as: 'customer' | 'operator', path: string, filters: string[]][] = [
  ['customer', '/v1/api/alerts', ['status=READ', 'status=ARCHIVED', 'type=deal.closed', 'category=deal', 'priority=HIGH']],
  ['customer', '/v1/api/webhooks/deliveries', ['status=DELIVERED', 'status=FAILED', 'event=trade.settled']],
  ['customer', '/v1/api/originator/loans', ['status=APPROVED', 'status=REJECTED', 'type=Student']],
  ['customer', '/v1/api/investor/trades', ['status=SETTLED', 'status=FAILED']],
  ['customer', '/v1/api/investor/subscriptions', ['status=confirmed', 'status=expired']],
  ['customer', '/v1/api/requests', ['method=GET', 'status=409']],
  ['customer', '/v1/api/audit', ['action=deal.approved']],
  ['operator', '/v1/operator/deals', ['status=APPROVED', 'status=REJECTED', 'type=Student']],
  ['operator', '/v1/operator/trades', ['status=SETTLED', 'status=FAILED']],
  ['operator', '/v1/operator/subscriptions', ['status=confirmed', 'status=expired']],
  ['operator', '/v1/operator/audit', ['action=deal.approved']],
  ['operator', '/v1/operator/webhooks/deliveries', ['status=DELIVERED', 'event=trade.settled']],
];

type World = { gateway: Gateway; holders: { customer: Holder; operator: Holder } };

/** `npm run bench -- lists [rows]` */
export async function run(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? LARGE);
  await using small = await startGateway({ SLUICE_RATE_LIMIT: '10000000' });
  await using large = await startGateway({ SLUICE_RATE_LIMIT: '10000000' });
  const worlds = [await fill(small, SMALL, 0), await fill(large, rows, OTHERS)] as const;
  let [worst, worstDeep] = [0, 0];
  const print = (name: string, figures: unknown[]): void =>
    void process.stdout.write(`${name.padEnd(58)}${figures.map((figure) => String(figure).padStart(12)).join('')}\n`);
  print('list', [`${SMALL} (ms)`, `${rows} (ms)`, 'ratio', 'limit']);
  for (const [as, path, filters] of LISTS) {
    const first = await compare(worlds, as, path);
    const lines: [name: string, times: [number, number]][] = [['', first]];
    for (const filter of filters) lines.push([`?${filter}`, await compare(worlds, as, `${path}?${filter}`)]);
    const cursors = await Promise.all(
      worlds.map(async (world, large) => await cursorOf(world, as, path, large ? DEEP_PAGE : 20)),
    );
    lines.push([
      '?cursor, in the middle',
      await compare(worlds, as, `${path}?cursor=${cursors[0]}`, `${path}?cursor=${cursors[1]}`),
    ]);
    for (const [name, [a, b]] of lines) {
      worst = Math.max(worst, b / a);
      print(`${path}${name}`, [a.toFixed(2), b.toFixed(2), (b / a).toFixed(2), LIMITS.page]);
    }
    const deeps: number[] = [];
    for (let call = 0; call < DEEP_CALLS; call += 1) deeps.push(await timed(worlds[1], as, `${path}?page=${DEEP_PAGE}`));
    const deep = quantile(deeps, 0.5);
    worstDeep = Math.max(worstDeep, deep / first[1]);
    print(`${path}?page=${DEEP_PAGE}, beside its first`, [
      first[1].toFixed(2),
      deep.toFixed(2),
      (deep / first[1]).toFixed(2),
      LIMITS.deep,
    ]);
  }
  const unread = '/v1/api/alerts/unread-count';
  const [a, b] = await compare(worlds, 'customer', unread);
  worst = Math.max(worst, b / a);
  print(unread, [a.toFixed(2), b.toFixed(2), (b / a).toFixed(2), LIMITS.page]);
  process.stdout.write(
    `${JSON.stringify({ bench: 'lists', rows, ratio: worst, limit: LIMITS.page, deep_ratio: worstDeep, deep_limit: LIMITS.deep })}\n`,
  );
}

async function fill(gateway: Gateway, rows: number, others: number): Promise<World> {
  const holders = { customer: await gateway.key('both', 'Listed'), operator: await gateway.key('operator') };
  const owner = await gateway.owner();
  const whose = `case when n <= ${rows} then '${holders.customer.organization_id}' else 'org_' || lpad((n % ${Math.max(1, others)})::text, 26, '0') end`;
  try {
    // Filled without the rules that bind records to each other: the lists alone are looked at.
    await owner.query('set session_replication_role = replica');
    await owner.query(`select set_config('sluice.scope', 'platform', false)`);
    for (const [table, insert] of Object.entries(FILLED)) {
      await owner.query(`${insert} from (select n, ${whose} as o from generate_series(1, ${rows + others * 5}) n) numbered`);
      await owner.query(`insert into list_total_changes (list, organization_id, key, change)
        select '${table}', organization_id, ${await keyOf(owner, table)}, count(*) from ${table} group by 2, 3`);
    }
  } finally {
    await owner.end();
  }
  await addUpTotals(gateway.deps.db);
  await vacuum(gateway);
  await keepPlaces(gateway.deps.db.patient(), [...PLACED_TABLES, DEALS_OF_BOTH_KINDS]);
  return { gateway, holders };
}

/** As the server does it by itself, within a minute. */
async function vacuum(gateway: Gateway): Promise<void> {
  const owner = await gateway.owner();
  await owner.query('vacuum analyze').finally(() => owner.end());
}

type Owner = Awaited<ReturnType<Gateway['owner']>>;
const keyOf = async (owner: Owner, table: string): Promise<string> =>
  (await owner.query<{ key: string }>('select sluice_key_of_totals($1) as key', [table])).rows[0]?.key ?? '';

async function read({ gateway, holders }: World, as: 'customer' | 'operator', path: string) {
  const answer = await gateway.call('GET', path, { as: holders[as] });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text.slice(0, 300)}`);
  return answer;
}

async function cursorOf(world: World, as: 'customer' | 'operator', path: string, page: number): Promise<string> {
  const { pagination, meta } = (await read(world, as, `${path}?page=${page}`)).body;
  return encodeURIComponent((pagination ?? meta).next_cursor);
}

/** The median of a call on both, which take turns. */
async function compare(
  worlds: readonly [World, World],
  as: 'customer' | 'operator',
  onSmall: string,
  onLarge = onSmall,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let call = -5; call < CALLS; call += 1) {
    const took = [await timed(worlds[0], as, onSmall), await timed(worlds[1], as, onLarge)] as const;
    if (call >= 0) for (const at of [0, 1] as const) times[at].push(took[at]);
  }
  return [quantile(times[0], 0.5), quantile(times[1], 0.5)];
}

async function timed(world: World, as: 'customer' | 'operator', path: string): Promise<number> {
  const before = performance.now();
  await read(world, as, path);
  return performance.now() - before;
}
