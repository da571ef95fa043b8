import { dictionary, findField, normalizeHeader, roles } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { findSource, sourceName } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingEntry, MappingRequest, MappingSuggestion, Transform } from '../types.ts';
import { type ColumnSample, contentAgreement, telltale } from './content.ts';
import { headerLikeness } from './header-likeness.ts';

/** Below this confidence a match is shown as a suggestion and never applied. */
export const CONFIDENCE_THRESHOLD = 0.7;

export type MatchInput = {
  loanType: LoanType;
  columns: readonly RawColumn[];
  /** By index of the column. */
  samples: readonly ColumnSample[];
  /** Remembered entries first, the user's after them: later ones win. */
  requests: readonly MappingRequest[];
};

/** A column that fills a field. `said` marks what a person decided: nothing about it is guessed. */
export type Match = MappingEntry & { column: RawColumn; field: Field; said: boolean };

export type MatchOutcome = { matches: Match[]; suggestions: MappingSuggestion[] };

/**
 * Which column is which field. What was said is taken as it is; the rest is matched by header and content, best first: a column
 * fills one field and a field has one column, the others stay unmapped.
 */
export function matchColumns(input: MatchInput): MatchOutcome {
  const said = resolveRequests(input);
  const saidColumns = new Set(said.keys());
  const matches = [...said.values()].filter((match) => match !== null);
  const taken = new Set(matches.map((match) => match.target));
  const candidates = rankCandidates(input).filter((candidate) => !saidColumns.has(candidate.column.index));
  const usedColumns = new Set<number>();
  const suggestions: MappingSuggestion[] = [];
  for (const { reason, ...candidate } of candidates) {
    if (taken.has(candidate.target) || usedColumns.has(candidate.column.index)) continue;
    if (candidate.confidence < CONFIDENCE_THRESHOLD) {
      suggestions.push({ source: candidate.source, target: candidate.target, confidence: candidate.confidence, reason });
      continue;
    }
    taken.add(candidate.target);
    usedColumns.add(candidate.column.index);
    matches.push(candidate);
  }
  giveAmountItsColumn(input.loanType, matches, candidates);
  const free = suggestions.filter((suggestion) => !taken.has(suggestion.target) && !isUsed(suggestion, matches));
  return { matches: inFieldOrder(matches, input.loanType), suggestions: free };
}

/**
 * A tape without an amount cannot be used at all: when no column is left for it, a column that fits it as well as the optional
 * field that it filled (`loan_amnt` is the amount asked for only beside an amount lent) is the amount.
 */
function giveAmountItsColumn(loanType: LoanType, matches: Match[], candidates: readonly Candidate[]): void {
  const { original, current } = roles(loanType);
  if (matches.some((match) => match.target === original || match.target === current)) return;
  for (const { reason: _reason, ...candidate } of candidates) {
    if (candidate.target !== original || candidate.confidence < CONFIDENCE_THRESHOLD) continue;
    const place = matches.findIndex(
      (match) => match.column.index === candidate.column.index && !match.said && !match.field.required,
    );
    if (place === -1) continue;
    matches[place] = candidate;
    return;
  }
}

function isUsed(suggestion: MappingSuggestion, matches: readonly Match[]): boolean {
  return matches.some((match) => match.source === suggestion.source);
}

function inFieldOrder(matches: Match[], loanType: LoanType): Match[] {
  const order = dictionary(loanType).map((field) => field.field);
  return matches.sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
}

/** Column index → what was said about it; null where it was unmapped. The last word on a column or a field counts. */
function resolveRequests({ loanType, columns, requests }: MatchInput): Map<number, Match | null> {
  const said = new Map<number, Match | null>();
  for (const request of requests) {
    const column = findSource(request.source, columns);
    if (!column) continue;
    const field = request.target === null ? undefined : findField(loanType, request.target);
    if (field) for (const [index, other] of said) if (other?.target === field.field) said.delete(index);
    const source = sourceName(column, columns);
    const transform = request.transform ?? codedTransform(column, field);
    said.set(
      column.index,
      field ? { source, target: field.field, ...(transform && { transform }), confidence: 1, column, field, said: true } : null,
    );
  }
  return said;
}

type Candidate = Match & { reason: string };

function rankCandidates({ loanType, columns, samples }: MatchInput): Candidate[] {
  const fields = dictionary(loanType);
  const candidates = columns.flatMap((column) =>
    fields.flatMap((field) => {
      const sample = samples[column.index] ?? { texts: [], distinct: 0 };
      const judged = judge(column, field, sample);
      if (judged === null) return [];
      const transform = codedTransform(column, field);
      const source = sourceName(column, columns);
      return [{ source, target: field.field, ...(transform && { transform }), ...judged, column, field, said: false }];
    }),
  );
  return candidates.sort(
    (a, b) =>
      b.confidence - a.confidence ||
      Number(b.field.required) - Number(a.field.required) ||
      a.column.index - b.column.index ||
      fields.indexOf(a.field) - fields.indexOf(b.field),
  );
}

function judge(column: RawColumn, field: Field, sample: ColumnSample): { confidence: number; reason: string } | null {
  const header = headerLikeness(column.name, field);
  const agreement = contentAgreement(sample, field);
  if (header.score > 0) {
    const confidence = round(header.score * contentFactor(agreement));
    const seen = agreement === null ? 'the column is empty' : `${Math.round(agreement * 100)} % of the sampled values fit`;
    return { confidence, reason: `the header is like "${header.alias}" and ${seen}` };
  }
  const alone = telltale(sample, field);
  return alone > 0 ? { confidence: alone, reason: `the values alone look like ${field.field}` } : null;
}

/** Some unreadable values are normal on a tape; a column that mostly cannot be the field is not the field. */
function contentFactor(agreement: number | null): number {
  if (agreement === null) return 0.95;
  if (agreement >= 0.8) return 1;
  return agreement >= 0.5 ? 0.8 : 0.3;
}

function round(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}

/** What the header itself says about units and codes, where it is the header of a known source. */
function codedTransform(column: RawColumn, field: Field | undefined): Transform | undefined {
  const coding = field?.codings.find(({ headers }) => headers.includes(normalizeHeader(column.name)));
  if (!coding) return undefined;
  const values = Object.keys(coding.codes).length > 0 ? { values: { ...coding.codes } } : {};
  return { ...(coding.scale !== undefined && { scale: coding.scale }), ...values };
}
