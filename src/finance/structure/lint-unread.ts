import { couponIsUnpaid } from './compiled-structure.ts';
import { allWithin, amountFields, isOfBase, readsBase, testsOf } from './amount-faults.ts';
import { followedIndices } from './compiled-coupon.ts';
import type { LintFinding } from './lint-finding.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../schedule.ts';
import { isPaidBy, isResidual, payeesOf, type Structure, type Trigger } from './structure.ts';

/* Words of a structure that nothing reads, because of what stands beside them. */

const unread = (path: string, message: string): LintFinding => ({ path, code: 'NEVER_USED', message });

/** Findings for those of some fields that are given. */
function given<Item extends object>(
  path: string,
  item: Item,
  fields: readonly (keyof Item & string)[],
  message: (field: string) => string,
): LintFinding[] {
  return fields.flatMap((field) => (item[field] === undefined ? [] : [unread(`${path}.${field}`, message(field))]));
}

export function findUnread(structure: Structure): LintFinding[] {
  return [
    ...(structure.triggers ?? []).flatMap((trigger, index) => unreadOfTrigger(trigger, `triggers[${index}]`)),
    ...unreadOfTests(structure),
    ...unreadOfFees(structure),
    ...unreadOfAccounts(structure),
    ...unreadOfTranches(structure),
    ...unreadOfSteps(structure),
    ...unreadOfDeal(structure),
  ];
}

const TEST_FIELDS = ['op', 'value', 'schedule', 'interpolate', 'of_tranches', 'average', 'after_payment'] as const;

function unreadOfTrigger(trigger: Trigger, path: string): LintFinding[] {
  const { any_of, all_of, declared, curable } = trigger;
  if (declared)
    return given(path, trigger, [...TEST_FIELDS, 'consecutive', 'curable', 'cure_periods'], (field) => {
      return `a report declares the trigger on and off, so ${field} is not read`;
    });
  const list = any_of ? 'any_of' : all_of ? 'all_of' : null;
  return [
    ...(list ? given(path, trigger, TEST_FIELDS, (field) => `${field} is not read beside ${list}: it belongs in its tests`) : []),
    ...(curable ? [] : given(path, trigger, ['cure_periods'], () => 'the trigger is not curable, so it stays on')),
  ];
}

const unreadOfTests = (structure: Structure): LintFinding[] =>
  testsOf(structure).flatMap(({ path, test }) =>
    test.interpolate === 'LINEAR' && (test.schedule ?? []).length < 2
      ? [unread(`${path}.interpolate`, 'there are no two points of a schedule to interpolate between')]
      : [],
  );

function unreadOfFees({ fees = [] }: Structure): LintFinding[] {
  return fees.flatMap((fee, index) => {
    const path = `fees[${index}]`;
    if (fee.billed)
      return given(path, fee, ['percent', 'of', 'amount_per_year', 'one_off'], (field) => {
        return `what is due of a billed fee is what a report says, so ${field} is not read`;
      });
    return fee.percent === undefined ? given(path, fee, ['of'], () => 'the fee has no percent that could be of it') : [];
  });
}

function unreadOfAccounts(structure: Structure): LintFinding[] {
  return (structure.accounts ?? []).flatMap((account, index) => {
    const path = `accounts[${index}]`;
    const isFilled = isPaidBy(structure, 'RESERVE', account.account);
    const collects = account.kind === 'COLLECTION' && account.earns !== undefined;
    return [
      // Without a balance there is nothing to draw either, which is a finding of its own.
      ...(isFilled || !account.initial
        ? []
        : given(path, account, ['target', 'non_declining'], (field) => {
            return `no RESERVE step has account "${account.account}", so nothing is topped up or released and ${field} is not read`;
          })),
      ...(collects ? [] : given(path, account, ['float_days'], () => 'only a COLLECTION account that earns has days of float')),
    ];
  });
}

function unreadOfTranches(structure: Structure): LintFinding[] {
  const months = MONTHS_BETWEEN_PAYMENTS[structure.payment?.frequency ?? 'MONTHLY'];
  return structure.tranches.flatMap((tranche, index): LintFinding[] => {
    const path = `tranches[${index}]`;
    const { tranche: name, coupon, notional, final_maturity } = tranche;
    const findings: LintFinding[] = [];
    if (coupon && couponIsUnpaid(structure, tranche))
      findings.push(unread(`${path}.coupon`, `no INTEREST step pays "${name}", the residual, so its coupon is owed to nobody`));
    if (final_maturity !== undefined && notional !== undefined)
      findings.push(
        unread(`${path}.final_maturity`, 'a notional tranche has no balance that falls due: it is paid on what it is of'),
      );
    else if (final_maturity !== undefined && isResidual(structure, tranche))
      findings.push(unread(`${path}.final_maturity`, 'what the residual is paid has no maturity'));
    const every = coupon?.type === 'FLOATING' ? coupon.reset?.every_months : undefined;
    if (every !== undefined && every % months !== 0) {
      const read = Math.max(1, Math.round(every / months)) * months;
      findings.push(
        unread(
          `${path}.coupon.reset.every_months`,
          `${every} months are no multiple of the ${months} between payments: the coupon is reset every ${read}`,
        ),
      );
    }
    return findings;
  });
}

function unreadOfSteps(structure: Structure): LintFinding[] {
  return structure.waterfall.flatMap((step, place): LintFinding[] => {
    const path = `waterfall[${place}]`;
    const findings: LintFinding[] = [];
    if (step.pay === 'RESERVE' && step.order === 'PRO_RATA' && step.to.length > 1)
      findings.push(unread(`${path}.order`, 'accounts are filled one after the other, whatever the order says'));
    if (step.pay === 'WRITTEN_DOWN' && structure.losses?.mode !== 'REVERSE_SEQUENTIAL')
      findings.push(unread(path, 'nothing is ever written off: losses.mode is not REVERSE_SEQUENTIAL'));
    if (step.when !== undefined && JSON.stringify(step.when) === JSON.stringify(step.unless))
      findings.push(unread(path, 'the step never pays: it is on only while what turns it off is on'));
    if (step.pay === 'INTEREST') findings.push(...unpaidInterest(structure, payeesOf(step), path));
    return findings;
  });
}

/** Classes that a step of interest names and that have no interest: most often their coupon was forgotten. */
const unpaidInterest = ({ tranches }: Structure, names: readonly string[], path: string): LintFinding[] =>
  tranches
    .filter(({ tranche, coupon }) => names.includes(tranche) && coupon === undefined)
    .map(({ tranche }) => unread(`${path}.to`, `"${tranche}" has no coupon, so it is owed no interest`));

function unreadOfDeal(structure: Structure): LintFinding[] {
  const { fixings = {}, losses, pool } = structure;
  const followed = followedIndices(structure);
  const misnamed = Object.keys(fixings).filter((index) => !followed.includes(index));
  const findings = misnamed.map((index) =>
    unread(
      `fixings.${index}`,
      `no coupon and no account follows ${index}; ${followed.length > 0 ? `they follow ${followed.join(', ')}` : 'none follows an index'}`,
    ),
  );
  if (losses?.mode === 'NONE' && losses.write_up)
    findings.push(unread('losses.write_up', 'nothing is written off in mode NONE, so there is nothing to write up'));
  if (pool?.adjustment && !readsBase(structure, 'POOL_ADJUSTED'))
    findings.push(unread('pool.adjustment', 'no amount is of POOL_ADJUSTED, so the adjustment changes no payment'));
  for (const { path, amount } of amountFields(structure))
    if ([...allWithin(amount)].some(isOfBase('ACCRUED_TO_CAPITALISE')))
      findings.push(
        unread(path, 'ACCRUED_TO_CAPITALISE is always 0: interest of deferred loans joins their balance as it accrues'),
      );
  return findings;
}
