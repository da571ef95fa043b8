import { formatUnit } from '../mapping/format-unit.ts';
import type { HeaderUnit } from '../mapping/header-name.ts';
import { type Match, unitContradiction, unitScale } from '../mapping/match-columns.ts';
import { settlesUnit } from '../mapping/transform-inputs.ts';
import { tapeFinding } from '../checks/tape-checks.ts';
import type { TapeFinding } from '../types.ts';

type ShownUnit = { unit: HeaderUnit; code: string; cells: number };

/**
 * What the number formats of a workbook show beside the numbers of a column, where that is another unit than the field has. A format
 * changes no number: the column is read as it is stored, and the finding says what the mapping has to set.
 */
export function formatFindings(match: Match): TapeFinding[] {
  // A computed number is in no unit of its own column.
  if (match.transform?.formula) return [];
  const shown = (match.column.formats?.codes ?? []).flatMap(({ code, cells }): ShownUnit[] => {
    const unit = formatUnit(code);
    return unit === null ? [] : [{ unit, code, cells }];
  });
  const isSettled = match.requested && (settlesUnit(match.transform) || match.transform?.unit !== undefined);
  return [
    ...currencyFindings(match, shown, isSettled),
    ...(isSettled ? [] : shown.flatMap((each) => measureFindings(match, each))),
  ];
}

function currencyFindings(match: Match, shown: readonly ShownUnit[], isSettled: boolean): TapeFinding[] {
  if (match.field.type !== 'money') return [];
  const counts = new Map<string, number>();
  for (const { unit, cells } of shown)
    if (unit.currency !== null) counts.set(unit.currency, (counts.get(unit.currency) ?? 0) + cells);
  const [first, ...others] = [...counts].sort(([, one], [, other]) => other - one);
  if (!first) return [];
  const actual = [first, ...others].map(([currency, cells]) => `${cells} ${currency}`).join(', ');
  const formats = `"${match.source}": the number formats of its cells`;
  if (others.length > 0) {
    const message = `${formats} show several currencies (${actual}): the amounts are kept as they are and added up without conversion. Send one tape for each currency, or convert the amounts before`;
    return [finding(match, 'MIXED_CURRENCIES', message, actual, 'amounts in USD')];
  }
  // The header has told it, or the mapping converts.
  if (first[0] === 'USD' || first[0] === match.unit?.currency || isSettled) return [];
  const message = `${formats} show ${first[0]} (${first[1]} cells): the amounts are kept as they are, without conversion. Set {"scale": RATE} in the mapping to convert them`;
  return [finding(match, 'CURRENCY_NOT_USD', message, actual, 'amounts in USD')];
}

function measureFindings(match: Match, { unit, code, cells }: ShownUnit): TapeFinding[] {
  const { field } = match;
  if (unit.kind === match.unit?.kind && unit.scale === match.unit.scale) return [];
  const shows = `"${match.source}": the number format ${code} of ${cells} cells shows "${unit.text}"`;
  if (unit.kind === 'unclear' && field.type === 'money') {
    const message = `${shows}, which can mean thousands or millions; the numbers are read as they are stored. Set {"scale": 1000} or {"scale": 1000000} in the mapping, or {"scale": 1} if they are whole`;
    return [finding(match, 'UNIT_UNCLEAR', message, code, 'a unit with one meaning')];
  }
  const scale = unitScale(unit, field);
  if (unitContradiction(unit, field) === null && scale === 1) return [];
  const expected = `${match.target} in ${field.unit ?? 'plain numbers'}`;
  const remedy =
    scale === 1
      ? 'Map another column, or set {"scale": 1} in the mapping'
      : `Set {"scale": ${scale}} in the mapping, or {"scale": 1}`;
  const message = `${shows}, expected ${expected}; the numbers are read as they are stored. ${remedy} if they are right`;
  return [finding(match, 'UNIT_CONTRADICTED', message, code, expected)];
}

function finding(match: Match, rule: string, message: string, actual: string, expected: string): TapeFinding {
  return tapeFinding(rule, message, { field: match.target, column: match.source, actual, expected });
}
