import type { Payee, Step } from './structure.ts';

export type PayeeList = {
  proRata: boolean;
  members: readonly PayeeNode[];
  /** NOW: by the balances before the step, as a PRO_RATA step without groups shares. */
  weights: 'CURRENT' | 'ORIGINAL' | 'NOW';
  /** The places of all its payees. */
  places: readonly number[];
  /** It is settled after the last step of principal. */
  isGroup: boolean;
};

export type PayeeNode = number | PayeeList;

export type Group = PayeeList;

export type PayeeTree = { root: PayeeList; groups: readonly Group[] };

export function compilePayees({ to, order, weights = 'CURRENT' }: Step, placeOf: (name: string) => number): PayeeTree {
  const groups: Group[] = [];
  const compile = (payees: readonly Payee[], proRata: boolean, depth: number): PayeeList => {
    const members = payees.map((payee) => (typeof payee === 'string' ? placeOf(payee) : compile(payee, !proRata, depth + 1)));
    const places = members.flatMap((member) => (typeof member === 'number' ? [member] : member.places));
    const isPlain = depth === 0 && members.every((member) => typeof member === 'number');
    const list: PayeeList = { proRata, members, weights: isPlain ? 'NOW' : weights, places, isGroup: proRata && depth > 0 };
    if (list.isGroup) groups.push(list);
    return list;
  };
  return { root: compile(to, order === 'PRO_RATA', 0), groups };
}
