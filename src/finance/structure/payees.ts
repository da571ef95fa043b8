import { roundDue, sumOf, type WaterfallRun } from './waterfall-run.ts';
import type { PayeeList, PayeeNode } from './compiled-payees.ts';

/*
 * Payees in groups. Lists alternate: one in a sequential list is shared by its members, one in a shared list is paid one after the other.
 * The shares of principal are settled once a period on what all steps paid a group, so that they do not depend on how many steps there are.
 */

/** What is paid: amounts owed by place, and where the payments are added; `shares` says by which weights a list shares. */
export type Paying = { owed: Float64Array; paidTo: Float64Array; shares: 'DUE' | 'PRINCIPAL' };

/** Pays at most `amount` to the payees of a list; returns what they took. */
export function payList(run: WaterfallRun, list: PayeeList, amount: number, paying: Paying): number {
  if (!list.proRata) {
    let remaining = amount;
    for (const member of list.members) remaining -= payNode(run, member, remaining, paying, list.isGroup);
    return amount - remaining;
  }
  const caps = list.members.map((member) => owedBy(member, paying.owed));
  const weights = list.members.map((member, place) => (caps[place] > 0 ? weightOf(run, member, list, paying) : 0));
  const shares = shareOut(run, amount, weights, caps);
  let paid = 0;
  for (const [place, member] of list.members.entries()) paid += payNode(run, member, shares[place], paying, list.isGroup);
  return paid;
}

function payNode(run: WaterfallRun, node: PayeeNode, amount: number, paying: Paying, inGroup: boolean): number {
  if (typeof node !== 'number') return payList(run, inGroup ? { ...node, isGroup: true } : node, amount, paying);
  const paid = Math.min(paying.owed[node], amount);
  paying.owed[node] = paying.owed[node] - paid;
  paying.paidTo[node] += paid;
  if (inGroup && paying.shares === 'PRINCIPAL') run.paidInGroup[node] += paid;
  return paid;
}

function owedBy(node: PayeeNode, owed: Float64Array): number {
  return typeof node === 'number' ? owed[node] : sumOf(owed, node.places);
}

function weightOf(run: WaterfallRun, node: PayeeNode, { weights }: PayeeList, { owed, shares }: Paying): number {
  if (shares === 'DUE' || weights === 'NOW') return owedBy(node, owed);
  const places = typeof node === 'number' ? [node] : node.places;
  let sum = 0;
  for (const place of places) sum += weights === 'ORIGINAL' ? run.structure.tranches[place].original : run.openingBalance[place];
  return sum;
}

/**
 * Shares of an amount by weights, none above its cap: what one cannot take goes to the others by the same weights. In whole cents each is
 * rounded half up and the last one takes the rest.
 */
export function shareOut(run: WaterfallRun, amount: number, weights: readonly number[], caps: readonly number[]): number[] {
  const shares = caps.map(() => 0);
  let open = caps.flatMap((cap, place) => (cap > 0 ? [place] : []));
  let remaining = Math.min(
    amount,
    caps.reduce((sum, cap) => sum + cap, 0),
  );
  for (;;) {
    const total = open.reduce((sum, place) => sum + weights[place], 0);
    const full = open.filter((place) => total <= 0 || (remaining * weights[place]) / total >= caps[place]);
    if (full.length === 0) break;
    for (const place of full) {
      shares[place] = Math.min(caps[place], remaining);
      remaining -= shares[place];
    }
    open = open.filter((place) => !full.includes(place));
  }
  const total = open.reduce((sum, place) => sum + weights[place], 0);
  let left = remaining;
  for (const [order, place] of open.entries()) {
    const share = order === open.length - 1 ? left : wholeShare(run, remaining, weights[place], total);
    shares[place] = Math.max(0, Math.min(share, caps[place], left));
    left -= shares[place];
  }
  // Cents that rounding leaves beyond the cap of the last one.
  for (const place of open.toReversed()) {
    const more = Math.min(left, caps[place] - shares[place]);
    shares[place] = shares[place] + more;
    left -= more;
  }
  return shares;
}

/** `amount` × weight / total; in whole cents half up, where doubles of large amounts could miss a tie. */
function wholeShare(run: WaterfallRun, amount: number, weight: number, total: number): number {
  const share = (amount * weight) / total;
  const isTie = Math.abs(share - Math.floor(share) - 0.5) < TIE_DOUBT;
  if (run.structure.unit === 1 || !isTie || ![amount, weight, total].every(Number.isSafeInteger)) return roundDue(run, share);
  return Number((2n * BigInt(amount) * BigInt(weight) + BigInt(total)) / (2n * BigInt(total)));
}

const TIE_DOUBT = 1e-3;

/** Shares what the steps of the period paid to each group anew, from its balances before the first of them. */
export function settleGroups(run: WaterfallRun): void {
  for (const group of run.structure.groups) {
    let paid = 0;
    for (const place of group.places) {
      const moved = run.paidInGroup[place];
      paid += moved;
      run.balance[place] += moved;
      run.principalPaid[place] = run.principalPaid[place] - moved;
    }
    if (paid > 0) payList(run, group, paid, { owed: run.balance, paidTo: run.principalPaid, shares: 'PRINCIPAL' });
    for (const place of group.places) run.paidInGroup[place] = 0;
  }
}
