import { refuseInvalidRules } from '../tapes/criteria-error.ts';
import { segmentationOf, segmentLists } from '../../finance/structure/assumptions.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import { compileRule, compiling } from '../../loans/criteria/compile.ts';
import { criteriaFields } from '../../loans/criteria/fields.ts';
import type { Condition, CriteriaSet } from '../../loans/criteria/language.ts';
import type { LoanType } from '../../loans/types.ts';

/** A pool as the rules of segments see it: dates of rules are relative to its cut-off. */
type SegmentedPool = { loan_type: LoanType; cut_off_date: string };

/** The distinct lists of segments of a request, whose rules have been checked, as SQL: by name a condition over the loan table for each. */
export function segmentationsOf(request: CalculationRequest, pool: SegmentedPool): Map<string, string[]> {
  const { set, rules } = segmentRules(request, pool);
  const context = { ...compiling(set, criteriaFields(set)), derived: null };
  const lists = Map.groupBy(rules, ({ segmentation }) => segmentation);
  return new Map([...lists].map(([name, list]) => [name, list.map(({ rule }) => compileRule(rule, context))]));
}

/** 422 with the path of each fault in a rule of a segment. */
export function refuseInvalidSegments(request: CalculationRequest, pool: SegmentedPool): void {
  const { set, rules } = segmentRules(request, pool);
  refuseInvalidRules(set, 'A segment', (path) =>
    path
      .replace(/^loan_rules\[(\d+)\](\.rule|\.id)?/, (_, index: string) => `${rules[Number(index)]?.path}.where`)
      .replace(/^loan_rules/, 'segments'),
  );
}

/** The rules of all distinct lists as one set, so that the limits of a set are those of a request. */
function segmentRules(request: CalculationRequest, { loan_type, cut_off_date }: SegmentedPool) {
  const seen = new Set<string>();
  const rules = segmentLists(request).flatMap(({ path, segments }) => {
    const segmentation = segmentationOf(segments);
    if (seen.has(segmentation)) return [];
    seen.add(segmentation);
    return segments.map(({ where }, index) => ({ path: `${path}[${index}]`, rule: where as Condition, segmentation }));
  });
  const set: CriteriaSet = {
    loan_type,
    as_of: cut_off_date,
    loan_rules: rules.map(({ rule }, index) => ({ id: `segment_${index}`, rule })),
  };
  return { set, rules };
}
