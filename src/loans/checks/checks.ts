import type { RowCheck, RowCheckMaker, TapeFacts } from './check.ts';
import { crossChecks } from './cross-checks.ts';
import { fieldChecks } from './field-checks.ts';
import { amountChecks, idChecks, vehicleChecks } from './row-checks.ts';

/** All makers of row checks, in the order in which the findings of a row are listed. */
const MAKERS: readonly RowCheckMaker[] = [amountChecks, idChecks, vehicleChecks, fieldChecks, crossChecks];

/** The checks that apply to this tape. */
export function checksOf(facts: TapeFacts): RowCheck[] {
  return MAKERS.flatMap((make) => make(facts));
}
