import assert from 'node:assert/strict';
import type { Envelope } from '../../support/gateway.ts';
import { type Data, type Market, type Member, NAMES, type Organization } from './members.ts';

/** Small, so that every list of some length has pages. */
const LIMIT = 7;

/** Every row of a list: each once, as many as the list says, and the same rows by pages as by cursors. */
async function readList(member: Member, path: string): Promise<Data[]> {
  const ask = (more: string) => member.get(`${path}${path.includes('?') ? '&' : '?'}limit=${LIMIT}${more}`);
  const rows: Data[] = [];
  let total = Infinity;
  for (let page = 1; rows.length < total; page += 1) {
    const { data, pagination, meta } = await ask(`&page=${page}`);
    ({ total } = pagination ?? meta);
    assert.ok(data.length > 0 || total === 0, `${member.name}: ${path} says ${total} rows and has ${rows.length}`);
    rows.push(...data);
  }
  assert.equal(rows.length, total, `${member.name}: ${path} says ${total} rows`);
  assert.equal(new Set(rows.map((row) => JSON.stringify(row))).size, total, `${member.name}: ${path} repeats a row`);
  const again: Data[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, pagination, meta }: Envelope = await ask(cursor && `&cursor=${encodeURIComponent(cursor)}`);
    again.push(...data);
    cursor = (pagination ?? meta).next_cursor;
  }
  assert.deepEqual(again, rows, `${member.name}: ${path} by cursors`);
  return rows;
}

/** The whole log of events, oldest first. */
async function readEvents(member: Member): Promise<Data[]> {
  const events: Data[] = [];
  for (let after = ''; ; ) {
    const { data } = await member.get(`events?limit=${LIMIT}${after && `&after=${after}`}`);
    events.push(...data);
    if (data.length < LIMIT) return events;
    after = data.at(-1).id;
  }
}

const OF_ALL = ['alerts', 'audit', 'webhooks/subscriptions', 'webhooks/deliveries'];
const OF_SELLERS = [
  'originator/loans',
  'originator/sc/criteria',
  'originator/sc/exceptions',
  'originator/sc/waivers',
  'originator/pools',
  'originator/pledges',
  'originator/pledge-conflicts',
  'originator/payments',
  'deals/documents',
];
const OF_INVESTORS = [
  'investor/deals',
  'investor/watchlist',
  'investor/iois',
  'investor/subscriptions',
  'investor/orders',
  'investor/allocations',
  'investor/trades',
  'investor/portfolio/positions',
  'investor/portfolio/payments',
];
const OF_THE_OPERATOR = [
  'organizations',
  'keys',
  'deals',
  'pools',
  'waivers',
  'iois',
  'subscriptions',
  'orders',
  'allocations',
  'trades',
  'payments',
  'fixings',
  'pledges',
  'pledge-conflicts',
  'profile-documents',
];

const isSeller = ({ role }: Member): boolean => role === 'originator' || role === 'both';
const isInvestor = ({ role }: Member): boolean => role === 'investor' || role === 'both';

/** What one organization reads: its lists, and the records of them that are read one by one. */
export class View {
  readonly member: Member;
  readonly #lists = new Map<string, Data[]>();
  readonly #records = new Map<string, Data>();

  constructor(member: Member) {
    this.member = member;
  }

  /** Rows of a list, newest first; events are oldest first. */
  rows(path: string): Data[] {
    const rows = this.#lists.get(path);
    assert.ok(rows, `${this.member.name} has not read ${path}`);
    return rows;
  }

  /** Rows of every list whose path begins so. */
  rowsUnder(path: string): Data[] {
    return [...this.#lists].flatMap(([each, rows]) => (each.startsWith(path) ? rows : []));
  }

  lists(): ReadonlyMap<string, Data[]> {
    return this.#lists;
  }

  record(path: string): Data {
    const record = this.#records.get(path);
    assert.ok(record, `${this.member.name} has not read ${path}`);
    return record;
  }

  async list(...paths: string[]): Promise<void> {
    for (const path of paths) this.#lists.set(path, await readList(this.member, path));
  }

  async read(...paths: string[]): Promise<void> {
    for (const path of paths) this.#records.set(path, (await this.member.get(path)).data);
  }

  async readEvents(): Promise<void> {
    this.#lists.set('events', await readEvents(this.member));
  }
}

async function viewOf(member: Member): Promise<View> {
  const view = new View(member);
  await view.list(...OF_ALL);
  await view.readEvents();
  await view.read('alerts/unread-count');
  if (isSeller(member)) await readAsSeller(view);
  if (isInvestor(member)) await readAsInvestor(view);
  if (member.role === 'operator') await readAsOperator(view);
  return view;
}

async function readAsSeller(view: View): Promise<void> {
  await view.list(...OF_SELLERS);
  for (const { id } of view.rows('originator/loans')) {
    await view.read(`originator/loans/${id}`, `originator/loans/${id}/tapes`);
    await view.list(`originator/sc/deals/${id}/results`, `originator/loans/${id}/issues`);
  }
  for (const { conflict_id } of view.rows('originator/pledge-conflicts'))
    await view.list(`originator/pledge-conflicts/${conflict_id}/loans`);
  for (const { pool_id } of view.rows('originator/pools')) {
    await view.read(`originator/pools/${pool_id}`, `originator/pools/${pool_id}/book`);
    await view.list(`originator/pools/${pool_id}/remittances`, `originator/analytics/pools/${pool_id}/calculations`);
    for (const { remittance_id } of view.rows(`originator/pools/${pool_id}/remittances`))
      await view.read(`originator/pools/${pool_id}/remittances/${remittance_id}`);
  }
}

async function readAsInvestor(view: View): Promise<void> {
  await view.list(...OF_INVESTORS);
  await view.read('investor/portfolio/summary', 'investor/portfolio/reports', 'investor/profile');
  for (const { id } of view.rows('investor/deals')) {
    await view.list(`investor/deals/${id}/tranches`, `investor/deals/${id}/documents`);
    await view.read(`investor/deals/${id}`);
  }
}

async function readAsOperator(view: View): Promise<void> {
  await view.list(...OF_THE_OPERATOR);
  await view.read('audit/verify');
  for (const { conflict_id } of view.rows('pledge-conflicts')) await view.list(`pledge-conflicts/${conflict_id}/loans`);
  for (const { pool_id, deal_id } of view.rows('pools')) {
    await view.list(`pools/${pool_id}/remittances`);
    if (deal_id !== null) await view.read(`deals/${deal_id}/book`);
  }
}

export type Views = Record<Organization, View>;

/** Everything that the seven can read, all pages of it. */
export async function readEverything(market: Market): Promise<Views> {
  const views: [Organization, View][] = [];
  for (const name of NAMES) views.push([name, await viewOf(market.members[name])]);
  return Object.fromEntries(views) as Views;
}
