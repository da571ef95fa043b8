import assert from 'node:assert/strict';
import type { Views } from './lists.ts';
import { type Data, INVESTORS, NAMES, type Organization, SELLERS } from './members.ts';

/** The field that names a record, for the lists that an organization shares with the operator alone. */
const OWN_AND_OPERATORS: readonly [own: string, operators: string, id: string, whose: readonly Organization[]][] = [
  ['investor/iois', 'iois', 'ioi_id', INVESTORS],
  ['investor/subscriptions', 'subscriptions', 'subscription_id', INVESTORS],
  ['investor/orders', 'orders', 'order_id', INVESTORS],
  ['investor/allocations', 'allocations', 'allocation_id', INVESTORS],
  ['investor/trades', 'trades', 'trade_id', INVESTORS],
  ['originator/pools', 'pools', 'pool_id', SELLERS],
  ['originator/sc/waivers', 'waivers', 'waiver_id', SELLERS],
  ['originator/pledges', 'pledges', 'pledge_id', SELLERS],
];

/** Each organization's lists are its part of the operator's lists, row by row, and nothing that it was ever told names what is another's. */
export function checkWalls(views: Views): void {
  for (const [own, operators, id, whose] of OWN_AND_OPERATORS)
    for (const name of whose) {
      const part = views.platform
        .rows(operators)
        .filter((row) => row.organization_id === views[name].member.holder.organization_id);
      assert.deepEqual(
        views[name].rows(own).map((row) => row[id]),
        part.map((row) => row[id]),
        `${own} of ${name}, and its part of the operator’s ${operators}`,
      );
      for (const [at, row] of views[name].rows(own).entries())
        for (const [field, value] of Object.entries(row))
          if (field in part[at]) assert.deepEqual(value, part[at][field], `${field} of ${row[id]}`);
    }
  for (const name of INVESTORS) checkPaid(views, name, 'investor/portfolio/payments', 'OF_RECORD');
  for (const name of SELLERS) checkPaid(views, name, 'originator/payments', 'RETAINED');
  const owners = readOwners(views);
  for (const name of NAMES) if (name !== 'platform') checkHeard(views, owners, name);
}

function checkPaid(views: Views, name: Organization, list: string, holder: string): void {
  const { organization_id } = views[name].member.holder;
  const part = views.platform.rows('payments').filter((row) => row.organization_id === organization_id && row.holder === holder);
  assert.deepEqual(
    views[name].rows(list),
    part.map(({ organization_id: _whose, ...row }: Data): Data => row),
  );
}

const ID = /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b/g;
const isKey = (id: string): boolean => id.startsWith('key_');
const idsIn = (text: string): string[] => text.match(ID) ?? [];

/** Who may know an id because it names a record of its own. */
type Owners = Map<string, Set<Organization>>;

/** Lists whose rows are an organization's own. */
const OWN_LISTS =
  /^(alerts|audit|events|webhooks|originator|deals\/documents|investor\/(iois|subscriptions|orders|allocations|trades|portfolio))/;
/** Lists whose rows name nothing but records of their owner. */
const ALL_OWN = /^(originator|deals\/documents)/;
/** Fields of other lists that may name a record of another organization. */
const OF_OTHERS = new Set(['actor', 'before', 'after', 'data', 'entity_id', 'deal_id', 'tranche_id', 'remittance_id']);

function readOwners(views: Views): Owners {
  const owners: Owners = new Map();
  const own = (name: Organization, id: string): void => void owners.set(id, (owners.get(id) ?? new Set()).add(name));
  for (const name of NAMES) {
    const view = views[name];
    const { organization_id } = view.member.holder;
    own(name, organization_id);
    // A bulk job is in no list: the entry of its submission names it.
    for (const entry of view.rows('audit'))
      if (name !== 'platform' && entry.action === 'bulk.submitted') own(name, entry.entity_id);
    for (const [path, rows] of view.lists())
      if (name !== 'platform' && OWN_LISTS.test(path))
        for (const row of rows)
          for (const [field, value] of Object.entries(row))
            if (ALL_OWN.test(path) || !OF_OTHERS.has(field))
              for (const id of idsIn(JSON.stringify(value))) if (!isKey(id)) own(name, id);
    for (const [list, id] of [
      ['deals', 'id'],
      ['keys', 'key_id'],
      ['profile-documents', 'document_id'],
    ] as const)
      for (const row of views.platform.rows(list)) if (row.organization_id === organization_id) own(name, row[id]);
  }
  // The two sides of a pledge conflict know it by one id.
  for (const [id, names] of owners)
    if (!id.startsWith('plc_')) assert.equal(names.size, 1, `${id} is a record of ${[...names].join()}`);
  return owners;
}

/** Ids that an organization may know although their records are another's. */
function sharedWith(views: Views, name: Organization): Set<string> {
  const shared = new Set<string>([views.platform.member.holder.key_id]);
  for (const seller of SELLERS)
    for (const { pool_id, deal_id } of views[seller].rows('originator/pools')) {
      const tranches: Data[] = views[seller].record(`originator/pools/${pool_id}/book`).tranches;
      if (seller === name) {
        for (const each of tranches) shared.add(each.tranche_id);
        for (const trade of views.platform.rows('trades')) if (trade.deal_id === deal_id) shared.add(trade.trade_id);
      }
      if (!(INVESTORS as readonly Organization[]).includes(name)) continue;
      const view = views[name];
      shared.add(deal_id);
      for (const each of tranches) shared.add(each.tranche_id);
      for (const row of views[seller].rows('deals/documents')) if (row.visibility === 'INVESTORS') shared.add(row.document_id);
      // The performance that the market shows of a deal names the calculation behind it.
      for (const row of views[seller].rows(`originator/analytics/pools/${pool_id}/calculations`)) shared.add(row.calculation_id);
      const holds = view.rows('investor/trades').some((trade) => trade.deal_id === deal_id && trade.status === 'SETTLED');
      if (!holds) continue;
      shared.add(pool_id);
      for (const report of views[seller].rows(`originator/pools/${pool_id}/remittances`))
        if (report.status === 'APPLIED') shared.add(report.remittance_id);
    }
  return shared;
}

/** Names of organizations that another one may read: who offers a deal is known to investors, nobody knows who invests. */
function namesKnownTo(name: Organization): Set<Organization> {
  const isInvestor = (INVESTORS as readonly Organization[]).includes(name);
  return new Set<Organization>([name, ...(isInvestor ? SELLERS : [])]);
}

function checkHeard(views: Views, owners: Owners, name: Organization): void {
  const { member } = views[name];
  const shared = sharedWith(views, name);
  const texts = [...member.heard, ...member.hook.received.map((post) => post.body.toString())];
  const known = namesKnownTo(name);
  const strangers = NAMES.filter((each) => !known.has(each) && each !== 'platform').map((each) => views[each].member.name);
  const foreign = new Map<string, string>();
  for (const text of texts) {
    for (const id of idsIn(text))
      if (!owners.get(id)?.has(name) && !shared.has(id))
        foreign.set(id, `${[...(owners.get(id) ?? ['nobody'])].join()}: ${text.slice(0, 300)}`);
    for (const stranger of strangers) if (text.includes(stranger)) foreign.set(stranger, text.slice(0, 300));
  }
  assert.deepEqual([...foreign], [], `what ${name} was told of others`);
}
