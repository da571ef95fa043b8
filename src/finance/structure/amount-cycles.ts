import { allWithin, isYearly } from './amount-faults.ts';
import type { Amount, Base } from './amount.ts';
import { isNote, placesOf, stepName, type Structure, type Tranche } from './structure.ts';
import { wayBack } from './cycles.ts';
import { invalid, type StructureIssue } from './issue.ts';

/** What a period accrues: a fee or the interest of a tranche by its place, or the net rate of the loans. */
export type Accrual = { kind: 'FEE' | 'TRANCHE'; index: number } | { kind: 'NET_RATE' };

/** What is known of a period once something else is: by name, what it reads, and where it stands. */
type Node = { path: string; accrual?: Accrual; reads: string[] };

const NET_WAC = 'NET_WAC';
const ofFee = (fee: string): string => `fee ${fee}`;
const ofTranche = (tranche: string): string => `interest of ${tranche}`;

/** Fees, the net rate, coupons and notionals that wait for each other, with the path around. */
export function findAmountCycles(structure: Structure): StructureIssue[] {
  const nodes = nodesOf(structure);
  const issues: StructureIssue[] = [];
  const done = new Set<string>();
  for (const [name, { path }] of nodes) {
    const cycle = done.has(name) ? null : wayBack(name, (each) => nodes.get(each)?.reads ?? []);
    if (!cycle) continue;
    for (const each of cycle) done.add(each);
    issues.push(invalid(path, `amounts wait for each other: ${cycle.join(' -> ')}`));
  }
  return issues;
}

/** The order in which a period accrues: each after what it reads, otherwise fees, the net rate, tranches. */
export function accrualOrder(structure: Structure): Accrual[] {
  const nodes = nodesOf(structure);
  const order = new Map<string, Accrual>();
  const visited = new Set<string>();
  const visit = (name: string): void => {
    const node = nodes.get(name);
    if (!node || visited.has(name)) return;
    visited.add(name);
    for (const each of node.reads) visit(each);
    if (node.accrual) order.set(name, node.accrual);
  };
  for (const name of nodes.keys()) visit(name);
  return [...order.values()];
}

function nodesOf(structure: Structure): Map<string, Node> {
  const { tranches, fees = [], waterfall } = structure;
  const nodes = new Map<string, Node>();
  for (const [index, { fee, percent, amount_per_year, of }] of fees.entries()) {
    const reads = [...readBy(structure, percent), ...readBy(structure, amount_per_year), ...(of ? readOf(structure, of) : [])];
    nodes.set(ofFee(fee), { path: `fees[${index}]`, accrual: { kind: 'FEE', index }, reads });
  }
  const recurring = fees.filter(({ billed }) => !billed).map(({ fee }) => ofFee(fee));
  // What a limit defers is no fee of the net rate.
  const limits: string[] = [];
  for (const [place, step] of waterfall.entries()) {
    const { pay, limit } = step;
    if (pay !== 'FEE' || limit === undefined) continue;
    const name = `limit of step ${stepName(step, place)}`;
    limits.push(name);
    nodes.set(name, { path: `waterfall[${place}].limit`, reads: readBy(structure, isYearly(limit) ? limit.amount : limit) });
  }
  nodes.set(NET_WAC, { path: 'fees', accrual: { kind: 'NET_RATE' }, reads: [...recurring, ...limits] });
  for (const [index, tranche] of tranches.entries()) {
    const reads = readByTranche(structure, tranche);
    nodes.set(ofTranche(tranche.tranche), { path: `tranches[${index}]`, accrual: { kind: 'TRANCHE', index }, reads });
  }
  return nodes;
}

function readByTranche(structure: Structure, { coupon, notional }: Tranche): string[] {
  const reads = readBy(structure, notional);
  if (!coupon) return reads;
  if (coupon.type === 'EXCESS') {
    const others = structure.tranches.filter((each) => isNote(structure, each) && each.coupon?.type !== 'EXCESS');
    return [...reads, NET_WAC, ...others.map(({ tranche }) => ofTranche(tranche))];
  }
  const parts = coupon.type === 'FIXED' ? [coupon.rate] : [coupon.margin_bp];
  return [...reads, ...[...parts, coupon.cap, coupon.floor].flatMap((part) => readBy(structure, part))];
}

function readBy(structure: Structure, amount: Amount | undefined): string[] {
  if (amount === undefined) return [];
  return [...allWithin(amount)].flatMap((part) => {
    if (part === 'NET_WAC') return [NET_WAC];
    if (typeof part !== 'object' || Array.isArray(part) || !('of' in part) || part.of === undefined) return [];
    return readOf(structure, part.of, part.of_tranches);
  });
}

/** What of the period a base is; balances are those before it. */
function readOf(structure: Structure, of: Base, ofTranches?: readonly string[]): string[] {
  if (of === 'FEES_DUE') return (structure.fees ?? []).map(({ fee }) => ofFee(fee));
  if (of !== 'INTEREST_DUE' && of !== 'ACCRETED') return [];
  const places = ofTranches ? placesOf(structure, ofTranches) : [...structure.tranches.keys()];
  return places.map((place) => ofTranche(structure.tranches[place]?.tranche ?? ''));
}
