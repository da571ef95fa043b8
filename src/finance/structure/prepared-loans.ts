import { columnsOf, type LoanColumns } from '../loan-columns.ts';
import { packLoans } from '../loan-table.ts';
import { groupReplines } from '../replines.ts';
import type { DefermentOf } from '../roll-loans.ts';
import type { Assumptions, DefermentInterest } from '../types.ts';
import { CARD_LOAN_TYPE } from './assumptions.ts';
import { divideLoans, type PreparedLoans } from './job.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normal-request.ts';
import { rollToOpening } from './opening.ts';
import type { Structure } from './structure.ts';

/** The loans of a request, ready to be projected under the assumptions of each of its scenarios, and what was supposed of them. */
type PreparedRequest = { loansOf: (assumptions: Assumptions) => PreparedLoans; warnings: string[] };

/**
 * The loans at the closing date or the opening, once for all scenarios; where they are rolled through deferred months, once for each
 * treatment of their interest, since it decides what they have become.
 */
export function prepareLoans(
  loans: LoanColumns,
  request: NormalRequest,
  pool: CalculationPool,
  structure: Structure,
): PreparedRequest {
  const isDeferred = pool.opening !== undefined && loans.special.values().some(({ deferMonths }) => deferMonths);
  const keyOf = (assumptions: Assumptions) => (isDeferred ? defermentKey(assumptions) : '');
  const prepared = new Map<string, PreparedLoans>();
  const told: { scenarios: readonly NormalScenario[]; warnings: string[] }[] = [];
  for (const [key, scenarios] of Map.groupBy(request.scenarios, ({ assumptions }) => keyOf(assumptions))) {
    const now = rollToOpening(loans, structure, pool, defermentOf(scenarios[0].assumptions, pool));
    const projected = request.granularity === 'REPLINE' ? columnsOf(groupReplines(now.loans)) : now.loans;
    prepared.set(key, {
      loans: projected,
      table: packLoans(pool.loanType === CARD_LOAN_TYPE ? [] : projected),
      segments: divideLoans(now.loans, { ...request, scenarios }, pool),
    });
    told.push({ scenarios, warnings: now.warnings });
  }
  const loansOf = (assumptions: Assumptions) => {
    const found = prepared.get(keyOf(assumptions));
    if (!found) throw new Error('the loans were not prepared for these assumptions');
    return found;
  };
  return { loansOf, warnings: mergeWarnings(told) };
}

const treatment = ({ defermentInterest = 'CAPITALISE' }: Assumptions): DefermentInterest => defermentInterest;

/** Equal for assumptions under which every loan has the same treatment. */
function defermentKey({ segments, ...rest }: Assumptions): string {
  const treatments = [...(segments?.each ?? []), rest].map(treatment);
  return new Set(treatments).size === 1 ? treatments[0] : [segments?.segmentation, ...treatments].join(' ');
}

function defermentOf({ segments, ...rest }: Assumptions, pool: CalculationPool): DefermentOf {
  const numbers = segments && pool.segments?.get(segments.segmentation);
  const [own, each] = [treatment(rest), (segments?.each ?? []).map(treatment)];
  return (index) => (numbers ? (each[numbers[index]] ?? own) : own);
}

/** What all rolls have in common is said once, what differs with the scenarios that it is about. */
function mergeWarnings(told: readonly { scenarios: readonly NormalScenario[]; warnings: string[] }[]): string[] {
  const merged = new Set<string>();
  for (const { scenarios, warnings } of told) {
    const names = scenarios.map(({ scenario }) => `"${scenario}"`).join(', ');
    for (const warning of warnings) {
      const isCommon = told.every((other) => other.warnings.includes(warning));
      merged.add(isCommon ? warning : `${scenarios.length === 1 ? 'scenario' : 'scenarios'} ${names}: ${warning}`);
    }
  }
  return [...merged];
}
