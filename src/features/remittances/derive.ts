import { AmountTooLargeError } from '../../finance/money.ts';
import { accrualStartAfter, notionalsAfter } from '../../finance/structure/accrual-coupons.ts';
import { datesOf } from '../../finance/structure/periods.ts';
import { openRemittances, type Remittance, type RemittanceState } from '../../finance/structure/remittance.ts';
import type { RecordedFixings } from '../../finance/structure/report-indices.ts';
import { rollForward } from '../../finance/structure/roll-forward.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { type RemittanceFinding, tieRemittance } from '../../finance/structure/tie-remittance.ts';
import {
  stateAfter,
  triggerReadings,
  type TriggerStates,
  type Verification,
  verifyReport,
} from '../../finance/structure/verify-report.ts';
import { invalidField } from '../../platform/http/errors.ts';
import { type Notional, type PeriodPerformance, reportedPerformance } from './performance.ts';
import { type TriggerStatus, triggerStatuses } from './trigger-status.ts';

/** The terms of a deal that its reports are judged by; the balance at closing as decimal text. */
export type DealTerms = { structure: Structure; balance: string; cut_off_date: string; closing_date: string };

/** The terms with the recorded fixings of the indices that the deal's floaters follow. */
export type VerifiedTerms = DealTerms & { fixings: RecordedFixings };

/** The state that a report starts from: of the deal at closing, or after the report before. */
export type Opening = { state: RemittanceState; triggers: readonly TriggerStatus[] };

/** What follows from a report that ties. */
export type Derived = {
  state: RemittanceState;
  triggers: TriggerStatus[];
  performance: PeriodPerformance;
  verification: Verification;
};

export function openingOf({ structure, balance }: DealTerms): Opening {
  return { state: openRemittances(structure, Number(balance)), triggers: [] };
}

/** State, performance and triggers after a report; or, where it does not tie, every finding. */
export function derive(
  terms: VerifiedTerms,
  before: Opening,
  report: Remittance,
): { findings: RemittanceFinding[]; derived: null } | { findings: null; derived: Derived } {
  return withinAmounts(() => deriveReport(terms, before, report));
}

function deriveReport(terms: VerifiedTerms, before: Opening, report: Remittance): ReturnType<typeof derive> {
  const { structure, fixings: recorded } = terms;
  const findings = tieRemittance(before.state, report, structure);
  if (findings.length > 0) return { findings, derived: null };
  const dates = datesOf(terms);
  const rolled = rollForward(before.state, report, structure, dates);
  const { verification, recomputed } = verifyReport(structure, dates, before.state, report, { recorded });
  const state = stateAfter(before.state, rolled.state, recomputed, report);
  const readings = recomputed ? triggerReadings(recomputed, before.state, state) : rolled.triggers;
  const derived = {
    state,
    triggers: triggerStatuses(readings, before.triggers),
    performance: reportedPerformance(structure, report, { ...rolled, state }, notionalsOf(terms, state)),
    verification,
  };
  return { findings: null, derived };
}

function notionalsOf(terms: DealTerms, state: RemittanceState): Map<string, Notional> {
  const notionals = (at: RemittanceState) => notionalsAfter(terms.structure, datesOf(terms), at);
  const closing = notionals(openRemittances(terms.structure, state.pool_original));
  return new Map([...notionals(state)].map(([tranche, after]) => [tranche, { closing: closing.get(tranche) ?? null, after }]));
}

/** Every figure of a report beside the one that follows from its cash, whether it ties or not. */
export function verify(
  terms: VerifiedTerms,
  state: RemittanceState,
  report: Remittance,
  triggerState: TriggerStates = [],
): Verification {
  return withinAmounts(() => {
    const findings = tieRemittance(state, report, terms.structure);
    const given = { findings, recorded: terms.fixings, triggerState };
    return verifyReport(terms.structure, datesOf(terms), state, report, given).verification;
  });
}

/** 400 where figures, each an amount by itself, lead to one that none is. */
function withinAmounts<Result>(compute: () => Result): Result {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof AmountTooLargeError)) throw error;
    throw invalidField('available', 'INVALID', `${error.message}: check the units of the report`);
  }
}

/** Reports again after a change before them: each with what follows from it now, up to the first that no longer ties. */
export function deriveAgain<Row extends { report: Remittance }>(
  terms: VerifiedTerms,
  opening: Opening,
  rows: readonly Row[],
): { rows: { row: Row; derived: Derived }[]; untied: { row: Row; findings: RemittanceFinding[] } | null } {
  const done: { row: Row; derived: Derived }[] = [];
  let before = opening;
  for (const row of rows) {
    const { findings, derived } = derive(terms, before, row.report);
    if (!derived) return { rows: done, untied: { row, findings } };
    done.push({ row, derived });
    before = derived;
  }
  return { rows: done, untied: null };
}

export type TrancheBalance = { tranche: string; balance: number; accrued_from: string };

/** Balances after a report, and where the next accrual begins. */
export function reportedBalances(terms: DealTerms, report: Remittance, state: RemittanceState): TrancheBalance[] {
  const { structure } = terms;
  return structure.tranches.map(({ tranche, day_count = '30/360' }) => ({
    tranche,
    balance: state.tranches[tranche]?.balance ?? 0,
    accrued_from: accrualStartAfter(structure, datesOf(terms), day_count, report),
  }));
}
