import { dictionary, findField, normalizeHeader, roles } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { findSource, sourceName } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingEntry, MappingRequest, MappingSuggestion, Transform } from '../types.ts';
import { type ColumnSample, contentAgreement, contentEvidence } from './content.ts';
import { headerLikeness } from './header-likeness.ts';

/** Below this confidence a match is shown as a suggestion and never applied. */
export const CONFIDENCE_THRESHOLD = 0.7;

export type MatchInput = {
  loanType: LoanType;
  columns: readonly RawColumn[];
  /** By index of the column. */
  samples: readonly ColumnSample[];
  /** Remembered entries first, then those of the user: later ones override earlier ones. */
  requests: readonly MappingRequest[];
};

/** A column that fills a field. `requested` marks a match that a person requested: nothing about it is guessed. */
export type Match = MappingEntry & { column: RawColumn; field: Field; requested: boolean };

export type MatchOutcome = { matches: Match[]; suggestions: MappingSuggestion[] };

/**
 * Matches columns to fields. Requested matches are applied as they are; the rest is matched by header and content, best first. A column
 * fills one field and a field has one column; other columns stay unmapped.
 */
export function matchColumns(input: MatchInput): MatchOutcome {
  const requested = resolveRequests(input);
  const requestedColumns = new Set(requested.keys());
  const matches = [...requested.values()].filter((match) => match !== null);
  const taken = new Set(matches.map((match) => match.target));
  const candidates = rankCandidates(input).filter((candidate) => !requestedColumns.has(candidate.column.index));
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
  assignAmountColumn(input.loanType, matches, candidates);
  const free = suggestions.filter((suggestion) => !taken.has(suggestion.target) && !isUsed(suggestion, matches));
  return { matches: inFieldOrder(matches, input.loanType), suggestions: free };
}

/**
 * A tape without an amount cannot be used: when no column is free for it, a column that also fits the amount is taken from the optional
 * field that it filled (`loan_amnt` is the requested amount only beside a funded amount).
 */
function assignAmountColumn(loanType: LoanType, matches: Match[], candidates: readonly Candidate[]): void {
  const { original, current } = roles(loanType);
  if (matches.some((match) => match.target === original || match.target === current)) return;
  for (const { reason: _reason, ...candidate } of candidates) {
    if (candidate.target !== original || candidate.confidence < CONFIDENCE_THRESHOLD) continue;
    const index = matches.findIndex(
      (match) => match.column.index === candidate.column.index && !match.requested && !match.field.required,
    );
    if (index === -1) continue;
    matches[index] = candidate;
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

/** Column index → its requested match; null for a column that was unmapped. The last request for a column or field counts. */
function resolveRequests({ loanType, columns, requests }: MatchInput): Map<number, Match | null> {
  const requested = new Map<number, Match | null>();
  for (const request of requests) {
    const column = findSource(request.source, columns);
    if (!column) continue;
    const field = request.target === null ? undefined : findField(loanType, request.target);
    if (field) for (const [index, other] of requested) if (other?.target === field.field) requested.delete(index);
    const source = sourceName(column, columns);
    const transform = request.transform ?? codedTransform(column, field);
    requested.set(
      column.index,
      field
        ? { source, target: field.field, ...(transform && { transform }), confidence: 1, column, field, requested: true }
        : null,
    );
  }
  return requested;
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
      return [{ source, target: field.field, ...(transform && { transform }), ...judged, column, field, requested: false }];
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
  const confidence = contentEvidence(sample, field);
  return confidence > 0 ? { confidence, reason: `the values alone look like ${field.field}` } : null;
}

/** Factor on the confidence: a few unreadable values are normal, but a column whose values mostly do not fit is not the field. */
function contentFactor(agreement: number | null): number {
  if (agreement === null) return 0.95;
  if (agreement >= 0.8) return 1;
  return agreement >= 0.5 ? 0.8 : 0.3;
}

function round(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}

/** Units and codes of a known source, if the column has a header of that source. */
function codedTransform(column: RawColumn, field: Field | undefined): Transform | undefined {
  const coding = field?.codings.find(({ headers }) => headers.includes(normalizeHeader(column.name)));
  if (!coding) return undefined;
  const values = Object.keys(coding.codes).length > 0 ? { values: { ...coding.codes } } : {};
  return { ...(coding.scale !== undefined && { scale: coding.scale }), ...values };
}
