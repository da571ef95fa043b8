import { dateParts } from '../dates.ts';
import { formatDollars } from '../money.ts';
import type { IsoDate } from '../types.ts';
import { isResidual, type Step, type Structure, type Test, type Tranche, type Trigger } from './structure.ts';

export type StructureIssueCode = 'WATERFALL_INVALID' | 'TRANCHES_EXCEED_POOL' | 'DATE_INVALID' | 'TRIGGER_INVALID';

/** A defect of a structure; `path` is a JSON path such as `waterfall[3].to[1]`. */
export type StructureIssue = { code: StructureIssueCode; path: string; message: string };

/** Facts of the pool that a structure must fit; balance in currency units. */
export type PoolFacts = { balance: number; cut_off_date: IsoDate; closing_date: IsoDate };

export type StructureCheck = { ok: boolean; issues: StructureIssue[] };

/**
 * Checks a structure that has the shape of `StructureSchema`: every name is known and unique, the last step is RESIDUAL, every tranche is
 * paid interest (unless its coupon is 0 or it accretes) and principal by some step, no tranches wait for each other, the tranches do
 * not exceed the pool. Returns all issues at once.
 */
export function validateStructure(structure: Structure, pool: PoolFacts): StructureCheck {
  const issues = RULES.flatMap((rule) => rule(structure, pool));
  return { ok: issues.length === 0, issues };
}

type StructureRule = (structure: Structure, pool: PoolFacts) => StructureIssue[];

const RULES: readonly StructureRule[] = [
  findDuplicateNames,
  findUnknownNames,
  findMisplacedAmounts,
  findMissingResidual,
  findUnpaidTranches,
  findAccrualFaults,
  findTriggerFaults,
  findIncompleteFees,
  findBadDates,
  findExcess,
];

const invalid = (path: string, message: string): StructureIssue => ({ code: 'WATERFALL_INVALID', path, message });

function findDuplicateNames(structure: Structure): StructureIssue[] {
  const lists: [string, string[]][] = [
    ['tranches', structure.tranches.map((tranche) => tranche.tranche)],
    ['accounts', (structure.accounts ?? []).map((account) => account.account)],
    ['fees', (structure.fees ?? []).map((fee) => fee.fee)],
    ['triggers', (structure.triggers ?? []).map((trigger) => trigger.trigger)],
  ];
  return lists.flatMap(([list, names]) =>
    names.flatMap((name, index) => {
      const first = names.indexOf(name);
      return first < index ? [invalid(`${list}[${index}]`, `"${name}" is already the name of ${list}[${first}]`)] : [];
    }),
  );
}

function findUnknownNames(structure: Structure): StructureIssue[] {
  const tranches = structure.tranches.map((tranche) => tranche.tranche);
  const fees = (structure.fees ?? []).map((fee) => fee.fee);
  const accounts = (structure.accounts ?? []).map((account) => account.account);
  const triggers = (structure.triggers ?? []).map((trigger) => trigger.trigger);
  const payees = {
    FEE: ['fee', fees],
    INTEREST: ['tranche', tranches],
    PRINCIPAL: ['tranche', tranches],
    RESERVE: ['account', accounts],
    RESIDUAL: ['tranche', tranches],
  } as const;
  return structure.waterfall.flatMap((step, index) => {
    const path = `waterfall[${index}]`;
    const [kind, known] = payees[step.pay];
    const unknown = step.to.flatMap((name, payee) => unknownName(`${path}.to[${payee}]`, kind, name, known));
    for (const gate of ['when', 'unless'] as const) {
      const trigger = step[gate];
      if (trigger !== undefined) unknown.push(...unknownName(`${path}.${gate}`, 'trigger', trigger, triggers));
    }
    return unknown;
  });
}

function unknownName(path: string, kind: string, name: string, known: readonly string[]): StructureIssue[] {
  if (known.includes(name)) return [];
  const choice = known.length > 0 ? `expected one of ${known.join(', ')}` : `the structure has no ${kind}`;
  return [invalid(path, `unknown ${kind} "${name}"; ${choice}`)];
}

function findMisplacedAmounts(structure: Structure): StructureIssue[] {
  return structure.waterfall.flatMap((step, index) =>
    step.amount !== undefined && step.pay !== 'PRINCIPAL'
      ? [invalid(`waterfall[${index}].amount`, `only a PRINCIPAL step has an amount, this one pays ${step.pay}; use limit`)]
      : [],
  );
}

function findMissingResidual(structure: Structure): StructureIssue[] {
  const index = structure.waterfall.length - 1;
  const last = structure.waterfall[index];
  if (!last) return [invalid('waterfall', 'the waterfall has no steps; the last must be RESIDUAL')];
  const path = `waterfall[${index}]`;
  if (last.pay !== 'RESIDUAL') return [invalid(path, `the last step pays ${last.pay}, expected RESIDUAL`)];
  const restricted = (['when', 'unless', 'limit'] as const).filter((field) => last[field] !== undefined);
  return restricted.map((field) =>
    invalid(`${path}.${field}`, `the last step must take all remaining cash, so it cannot have ${field}`),
  );
}

function findUnpaidTranches(structure: Structure): StructureIssue[] {
  return structure.tranches.flatMap((tranche, index) => {
    const { tranche: name } = tranche;
    const isPaid = (pay?: Step['pay']) =>
      structure.waterfall.some((step) => (pay === undefined || step.pay === pay) && step.to.includes(name));
    const path = `tranches[${index}]`;
    if (isResidual(structure, tranche) || tranche.balance === 0) {
      return isPaid() ? [] : [invalid(path, `no step pays tranche "${name}"`)];
    }
    const issues: StructureIssue[] = [];
    if (!isPaid('PRINCIPAL')) issues.push(invalid(path, `no PRINCIPAL step pays tranche "${name}"`));
    const needsInterest = hasCoupon(tranche) && tranche.interest !== 'ACCRUE_UNTIL';
    if (needsInterest && !isPaid('INTEREST')) issues.push(invalid(path, `no INTEREST step pays tranche "${name}"`));
    return issues;
  });
}

function hasCoupon({ coupon }: Tranche): boolean {
  return coupon !== undefined && (coupon.type === 'FLOATING' || coupon.rate > 0);
}

function findAccrualFaults(structure: Structure): StructureIssue[] {
  const names = structure.tranches.map((tranche) => tranche.tranche);
  return structure.tranches.flatMap((tranche, index) => {
    const path = `tranches[${index}].accrue_until`;
    const awaited = tranche.accrue_until ?? [];
    if (tranche.interest !== 'ACCRUE_UNTIL') {
      return awaited.length > 0 ? [invalid(path, 'accrue_until needs "interest": "ACCRUE_UNTIL"')] : [];
    }
    if (awaited.length === 0) return [invalid(path, `tranche "${tranche.tranche}" accretes but names no tranche to wait for`)];
    const unknown = awaited.flatMap((name, position) => unknownName(`${path}[${position}]`, 'tranche', name, names));
    const cycle = findCycle(structure, tranche.tranche);
    return cycle ? [...unknown, invalid(path, `tranches wait for each other: ${cycle.join(' -> ')}`)] : unknown;
  });
}

/** The cycle of tranches that wait for each other, starting and ending with `start`, or null. */
function findCycle(structure: Structure, start: string): string[] | null {
  const awaitedBy = (name: string) => {
    const tranche = structure.tranches.find((candidate) => candidate.tranche === name);
    return tranche?.interest === 'ACCRUE_UNTIL' ? (tranche.accrue_until ?? []) : [];
  };
  const seen = new Set<string>();
  const pathTo = (name: string, path: string[]): string[] | null => {
    for (const next of awaitedBy(name)) {
      if (next === start) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = pathTo(next, [...path, next]);
      if (found) return found;
    }
    return null;
  };
  return pathTo(start, [start]);
}

function findTriggerFaults(structure: Structure): StructureIssue[] {
  return (structure.triggers ?? []).flatMap((trigger, index) => {
    const path = `triggers[${index}]`;
    const forms = (['metric', 'any_of', 'all_of'] as const).filter((form) => trigger[form] !== undefined);
    if (forms.length !== 1) {
      const seen = forms.length === 0 ? 'none' : forms.join(' and ');
      return [triggerInvalid(path, `a trigger has one of metric, any_of, all_of; this one has ${seen}`)];
    }
    return testsOf(trigger).flatMap(({ test, path: testPath }) => findTestFaults(test, path + testPath));
  });
}

/** Tests of a trigger with their paths inside it. */
function testsOf(trigger: Trigger): { test: Partial<Test>; path: string }[] {
  if (trigger.metric !== undefined) return [{ test: trigger, path: '' }];
  const list = trigger.any_of ? 'any_of' : 'all_of';
  return (trigger[list] ?? []).map((test, index) => ({ test, path: `.${list}[${index}]` }));
}

function findTestFaults(test: Partial<Test>, path: string): StructureIssue[] {
  const issues: StructureIssue[] = [];
  if (test.op === undefined) issues.push(triggerInvalid(`${path}.op`, 'missing; expected gt, gte, lt or lte'));
  if ((test.value === undefined) === (test.schedule === undefined)) {
    issues.push(triggerInvalid(path, 'a test has either value or schedule'));
  }
  const periods = (test.schedule ?? []).map((point) => point.from_period);
  for (const [index, from] of periods.entries()) {
    if (index > 0 && from <= periods[index - 1]) {
      issues.push(triggerInvalid(`${path}.schedule[${index}].from_period`, `is ${from}, expected above ${periods[index - 1]}`));
    }
  }
  return issues;
}

function triggerInvalid(path: string, message: string): StructureIssue {
  return { code: 'TRIGGER_INVALID', path, message };
}

function findIncompleteFees(structure: Structure): StructureIssue[] {
  return (structure.fees ?? []).flatMap((fee, index) => {
    if (fee.percent === undefined && fee.amount_per_year === undefined) {
      return [invalid(`fees[${index}]`, `fee "${fee.fee}" has neither percent nor amount_per_year`)];
    }
    return [];
  });
}

function findBadDates(structure: Structure, pool: PoolFacts): StructureIssue[] {
  const { payment } = structure;
  const dates: [string, string | undefined][] = [
    ['payment.first_payment_date', payment?.first_payment_date],
    ['payment.dated_date', payment?.dated_date],
    ...structure.tranches.map(({ final_maturity }, index): [string, string | undefined] => [
      `tranches[${index}].final_maturity`,
      final_maturity,
    ]),
  ];
  const issues = dates.flatMap(([path, date]) => (date === undefined ? [] : findBadDate(path, date)));
  const first = payment?.first_payment_date;
  const dated = payment?.dated_date ?? pool.closing_date;
  if (issues.length === 0 && payment?.first_accrual === 'ACTUAL' && first !== undefined && first <= dated) {
    issues.push({ code: 'DATE_INVALID', path: 'payment.first_payment_date', message: `is ${first}, expected after ${dated}` });
  }
  return issues;
}

function findBadDate(path: string, date: string): StructureIssue[] {
  try {
    dateParts(date);
    return [];
  } catch (error) {
    return [{ code: 'DATE_INVALID', path, message: error instanceof Error ? error.message : String(error) }];
  }
}

function findExcess(structure: Structure, pool: PoolFacts): StructureIssue[] {
  const cents = structure.tranches.reduce((sum, tranche) => sum + Math.round(tranche.balance * 100), 0);
  const poolCents = Math.round(pool.balance * 100);
  if (cents <= poolCents) return [];
  const message = `the tranches add up to ${formatDollars(cents)}, but the pool has ${formatDollars(poolCents)}`;
  return [{ code: 'TRANCHES_EXCEED_POOL', path: 'tranches', message }];
}
