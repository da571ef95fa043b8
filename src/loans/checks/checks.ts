import type { Check, CheckMaker, TapeFacts } from './check.ts';
import { crossChecks } from './cross-checks.ts';
import { fieldChecks } from './field-checks.ts';
import { amountChecks, idChecks } from './row-checks.ts';

/** Every check of a row, in the order in which their findings are listed for it. */
const MAKERS: readonly CheckMaker[] = [amountChecks, idChecks, fieldChecks, crossChecks];

/** The checks that apply to this tape. */
export function checksOf(facts: TapeFacts): Check[] {
  return MAKERS.flatMap((make) => make(facts));
}
