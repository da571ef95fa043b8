import { dictionary, findField, normalizeHeader, roles } from '../dictionary/dictionary.ts';
import { type Field, isNumeric } from '../dictionary/field.ts';
import { isGerman } from '../dictionary/foreign-names.ts';
import { sourceName } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingEntry, MappingRequest, MappingSuggestion, Transform } from '../types.ts';
import { type ColumnSample, contentAgreement, contentContradiction, contentEvidence, noRate } from './content.ts';
import { type Header, headerLikeness, headerOf, type Likeness, namedField } from './header-likeness.ts';
import { columnHeader, headerName, type HeaderUnit } from './header-name.ts';
import { personalData } from './personal-data.ts';
import { type FindSource, sourceFinder } from './source-finder.ts';
import { absentInputs } from './transform-inputs.ts';

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
export type Match = MappingEntry & {
  column: RawColumn;
  field: Field;
  requested: boolean;
  /** What the column is, where its header names another quantity that serves as the field. */
  standIn: string | null;
  /** The unit that the header states. */
  unit: HeaderUnit | null;
  /** The column holds tokens in the place of its values, which were read as `shown` says. */
  tokens?: true;
  shown?: Transform;
};

/** A field that more than one column names equally well: the match in force, and the columns that would do as well. */
export type Contest = { match: Match; rivals: Match[] };

/** A request whose transform reads columns that are not on the tape. */
export type Inapplicable = { request: MappingRequest; absent: string[] };

/** A column whose header names a field and whose values cannot be it. */
export type Contradiction = { match: Match; reason: string };

export type MatchOutcome = {
  matches: Match[];
  /** Requests that need columns which the tape does not have; their own columns stay without a field. */
  inapplicable: Inapplicable[];
  suggestions: MappingSuggestion[];
  contests: Contest[];
  contradictions: Contradiction[];
};

/**
 * Matches columns to fields. Requested matches are applied as they are; the rest is matched by header and content, best first. A column
 * fills one field and a field has one column; other columns stay unmapped.
 */
export function matchColumns(input: MatchInput): MatchOutcome {
  const { requested, inapplicable } = resolveRequests(input);
  const requestedColumns = new Set(requested.keys());
  const matches = [...requested.values()].filter((match) => match !== null);
  const taken = new Set(matches.map((match) => match.target));
  const candidates = rankCandidates(input).filter((candidate) => !requestedColumns.has(candidate.column.index));
  const usedColumns = new Set<number>();
  const suggestions: MappingSuggestion[] = [];
  const contradictions: Contradiction[] = [];
  for (const { reason, contradiction, ...candidate } of candidates) {
    if (taken.has(candidate.target) || usedColumns.has(candidate.column.index)) continue;
    if (candidate.confidence < CONFIDENCE_THRESHOLD) {
      if (contradiction !== null) contradictions.push({ match: candidate, reason: contradiction });
      suggestions.push({ source: candidate.source, target: candidate.target, confidence: candidate.confidence, reason });
      continue;
    }
    taken.add(candidate.target);
    usedColumns.add(candidate.column.index);
    matches.push(candidate);
  }
  assignAmountColumn(input.loanType, matches, candidates);
  assignIdColumn(input.loanType, matches, candidates);
  const isFree = ({ source, target }: { source: string; target: string }) =>
    !matches.some((match) => match.target === target || match.source === source);
  // A stand-in does not settle what became of a column that is named as the field.
  const isOpen = ({ source, target }: Match) =>
    !matches.some((match) => (match.target === target && match.standIn === null) || match.source === source);
  return {
    matches: inFieldOrder(matches, input.loanType),
    inapplicable,
    suggestions: suggestions.filter(isFree),
    contests: contestsOf(matches, candidates),
    contradictions: contradictions.filter(({ match }) => isOpen(match)),
  };
}

/** How far apart the confidences of two columns may be that name a field equally well: the aliases of a field rank within it. */
const LIKE_RANK = 0.021;

function contestsOf(matches: readonly Match[], candidates: readonly Candidate[]): Contest[] {
  return matches
    .filter((match) => !match.requested)
    .flatMap((match) => {
      const rivals = candidates.filter(
        (candidate) =>
          candidate.target === match.target &&
          (candidate.standIn === null) === (match.standIn === null) &&
          candidate.confidence >= CONFIDENCE_THRESHOLD &&
          rank(match) - rank(candidate) <= LIKE_RANK &&
          !matches.some(({ column }) => column.index === candidate.column.index),
      );
      return rivals.length === 0 ? [] : [{ match, rivals: rivals.map(({ reason: _reason, ...rival }) => rival) }];
    });
}

/** The confidence; a header of one word (`amount`, `rate`) says less than one of several. */
function rank({ column, confidence }: Match): number {
  return column.normalized.includes('_') || /[a-z][A-Z]/.test(column.name) ? confidence : confidence - 0.1;
}

/**
 * A tape without an amount cannot be used: when no column is free for it, a column that also fits the amount is taken from the optional
 * field that it filled (`loan_amnt` is the requested amount only beside a funded amount).
 */
function assignAmountColumn(loanType: LoanType, matches: Match[], candidates: readonly Candidate[]): void {
  const { original, current } = roles(loanType);
  if (matches.some((match) => match.target === original || match.target === current)) return;
  for (const { reason: _reason, contradiction: _contradiction, ...candidate } of candidates) {
    if (candidate.target !== original || candidate.confidence < CONFIDENCE_THRESHOLD) continue;
    const index = matches.findIndex(
      (match) => match.column.index === candidate.column.index && !match.requested && !match.field.required,
    );
    if (index === -1) continue;
    matches[index] = candidate;
    return;
  }
}

/** A column that names the loan and its contract alike is the id of the loan where the tape has no better one. */
function assignIdColumn(loanType: LoanType, matches: Match[], candidates: readonly Candidate[]): void {
  const { id } = roles(loanType);
  if (matches.some((match) => match.target === id)) return;
  const index = matches.findIndex(({ target, requested }) => target === 'contract_number' && !requested);
  const contract = matches[index];
  const named = candidates.find(
    (each) => each.target === id && each.column.index === contract?.column.index && each.confidence >= CONFIDENCE_THRESHOLD,
  );
  if (!named) return;
  const { reason: _reason, contradiction: _contradiction, ...match } = named;
  matches[index] = match;
}

function inFieldOrder(matches: Match[], loanType: LoanType): Match[] {
  const order = dictionary(loanType).map((field) => field.field);
  return matches.sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
}

/** The match that a request makes; null when it cannot be applied. */
export function requestedMatch(request: MappingRequest, columns: readonly RawColumn[], loanType: LoanType): Match | null {
  const [match] = resolveRequests({ loanType, columns, samples: [], requests: [request] }).requested.values();
  return match ?? null;
}

type Resolved = { requested: Map<number, Match | null>; inapplicable: Inapplicable[] };

/**
 * `requested`: column index → its requested match; null for a column that was unmapped. The last request for a column or field counts.
 * A column whose transform needs others that are absent is not read in another way: that would be a guess.
 */
function resolveRequests({ loanType, columns, samples, requests }: MatchInput): Resolved {
  const requested = new Map<number, Match | null>();
  const unfit = new Map<number, Inapplicable>();
  const find = sourceFinder(columns);
  const computed = computedColumns(requests, columns, find);
  for (const request of requests) {
    const column = find(request.source) ?? computed.get(normalizeHeader(request.source) || 'computed');
    if (!column) continue;
    const named = request.target === null ? undefined : findField(loanType, request.target);
    const absent = absentInputs(request.transform, find);
    if (absent.length > 0) unfit.set(column.index, { request, absent });
    else unfit.delete(column.index);
    const field = absent.length > 0 ? undefined : named;
    if (field) for (const [index, other] of requested) if (other?.target === field.field) requested.delete(index);
    const source = sourceName(column, columns.includes(column) ? columns : [column]);
    // A computed number is in no unit of the header.
    const unit = request.transform?.formula ? null : columnHeader(column).unit;
    const transform = request.transform ?? knownTransform(column, field, unit, samples[column.index]);
    requested.set(
      column.index,
      field
        ? {
            source,
            target: field.field,
            ...(transform && { transform }),
            confidence: 1,
            column,
            field,
            requested: true,
            standIn: null,
            unit,
          }
        : null,
    );
  }
  return { requested, inapplicable: [...unfit.values()] };
}

/** Columns that exist only as the result of a formula, by normalised name; their indices follow those of the tape. */
function computedColumns(
  requests: readonly MappingRequest[],
  columns: readonly RawColumn[],
  find: FindSource,
): Map<string, RawColumn> {
  const computed = new Map<string, RawColumn>();
  const start = Math.max(-1, ...columns.map(({ index }) => index)) + 1;
  for (const { source, transform } of requests) {
    const normalized = normalizeHeader(source) || 'computed';
    if (!transform?.formula || computed.has(normalized) || find(source)) continue;
    computed.set(normalized, { index: start + computed.size, name: source, normalized });
  }
  return computed;
}

type Candidate = Match & { reason: string; contradiction: string | null };

function rankCandidates({ loanType, columns, samples }: MatchInput): Candidate[] {
  const fields = dictionary(loanType);
  const nameOf = memoized(namedField);
  const german = isGerman(columns.map(({ name }) => name));
  const candidates = columns.flatMap((column) => {
    const source = sourceName(column, columns);
    const name = german && isInstalment(column.name) ? column.name.replace(/rate/i, 'Monatsrate') : column.name;
    const header = headerOf(name, column.under);
    const { unit } = header;
    const sample = samples[column.index] ?? { texts: [], distinct: 0 };
    const likenessOf = memoized((field: Field) => headerLikeness(header, nameOf(field)), sample.found?.likeness);
    return fields.flatMap((field) => {
      const judged = judge(header, field, likenessOf(field), sample, column.sealed !== undefined);
      if (judged === null) return [];
      const transform = knownTransform(column, field, unit, sample);
      return [{ source, target: field.field, ...(transform && { transform }), ...judged, column, field, requested: false, unit }];
    });
  });
  return candidates.sort(
    (a, b) =>
      Number(a.standIn !== null) - Number(b.standIn !== null) ||
      b.confidence - a.confidence ||
      Number(b.field.required) - Number(a.field.required) ||
      a.column.index - b.column.index ||
      fields.indexOf(a.field) - fields.indexOf(b.field),
  );
}

/** `Rate`, alone or with a currency: in German the instalment of a loan. */
function isInstalment(text: string): boolean {
  const { name, unit } = headerName(text);
  return normalizeHeader(name) === 'rate' && (unit === null || unit.kind === 'amount');
}

type Judgement = Pick<Candidate, 'confidence' | 'reason' | 'contradiction' | 'standIn'>;

function memoized<Result>(work: (field: Field) => Result, known = new Map<Field, Result>()): (field: Field) => Result {
  return (field) => {
    const before = known.get(field);
    if (before !== undefined) return before;
    const result = work(field);
    known.set(field, result);
    return result;
  };
}

function judge(
  header: Header,
  field: Field,
  { score, alias }: Likeness,
  sample: ColumnSample,
  isSealed: boolean,
): Judgement | null {
  if (score === 0) {
    const confidence = contentEvidence(sample, field);
    if (confidence === 0) return null;
    return { confidence, reason: `the values alone look like ${field.field}`, contradiction: null, standIn: null };
  }
  const like = `the header is like "${alias}"`;
  const standIn = (alias !== null && field.standIns[alias]) || null;
  const agreement = contentAgreement(sample, field);
  const contradiction =
    contentContradiction(sample, field, isSealed) ??
    unitContradiction(header.unit, field) ??
    (header.bare.normalized === 'rate' && header.unit === null ? noRate(sample, field, isSealed) : null) ??
    misfit(header, sample, field, agreement, isSealed);
  if (contradiction !== null)
    return { confidence: round(score * CONTRADICTED), reason: `${like}, but ${contradiction}`, contradiction, standIn };
  const seen = agreement === null ? 'the column is empty' : `${percent(agreement)} of the sampled values fit`;
  const confidence = round(score * contentFactor(agreement) * (standIn === null ? 1 : STANDING_IN));
  return { confidence, reason: `${like} and ${seen}`, contradiction: null, standIn };
}

/** Why a column whose values mostly do not have the form of the field is not it, or null. */
function misfit(header: Header, sample: ColumnSample, field: Field, agreement: number | null, isSealed: boolean): string | null {
  if (agreement === null || agreement >= 0.5) return null;
  const odd = sample.texts.find((text) => contentAgreement({ texts: [text], distinct: 1 }, field) === 0);
  const isShown = !isSealed && personalData(header.whole.text, sample, field.field) === null;
  const serial = field.type === 'date' && sample.texts.every((text) => DAY_NUMBER.test(text));
  const hint = serial
    ? ' (with {"date": "EXCEL"} in the mapping it is read as the day number of a spreadsheet, with {"date": "EXCEL1904"} as that of a workbook whose days count from 1904)'
    : '';
  return `${percent(agreement)} of the sampled values fit${isShown ? `, and "${odd?.slice(0, 40)}" does not${hint}` : ''}`;
}

/** A day between 1954 and 2119 as spreadsheets count them. */
const DAY_NUMBER = /^[2-7]\d{4}(?:\.\d+)?$/;

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

const CONTRADICTED = 0.3;
const STANDING_IN = 0.9;

/** Factor on the confidence: a few unreadable values are normal. */
function contentFactor(agreement: number | null): number {
  if (agreement === null) return 0.95;
  return agreement >= 0.8 ? 1 : 0.8;
}

function round(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}

/** The codes of a known source, else the unit or the pattern of dates that the header states. */
function knownTransform(
  column: RawColumn,
  field: Field | undefined,
  unit: HeaderUnit | null,
  sample: ColumnSample | undefined,
): Transform | undefined {
  const coded = codedTransform(column, field);
  if (coded || !field) return coded;
  if (field.type === 'date') return statedDates(column, sample);
  const scale = unit === null ? 1 : unitScale(unit, field);
  return scale === 1 ? undefined : { scale };
}

/** The pattern of dates of a header, where most dates have its form: `(MM/DD/YYYY)` settles which of two numbers is the day. */
function statedDates(column: RawColumn, sample: ColumnSample | undefined): Transform | undefined {
  const { dates } = columnHeader(column);
  if (dates === null) return undefined;
  const form = new RegExp(
    `^${dates
      .toUpperCase()
      .replaceAll('.', '\\.')
      .replace(/YYYY|YY|MON|MMM|MM?|DD?/g, (token) => DATE_FORMS[token] ?? token)}(?:[T ].*)?$`,
    'u',
  );
  const texts = sample?.texts ?? [];
  return texts.filter((text) => form.test(text)).length >= 0.8 * texts.length ? { date: dates.toUpperCase() } : undefined;
}

const [ONE_OR_TWO, LETTERS] = ['\\d{1,2}', '\\p{L}+\\.?'];
const DATE_FORMS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  YY: '\\d{2}',
  MON: LETTERS,
  MMM: LETTERS,
  MM: ONE_OR_TWO,
  M: ONE_OR_TWO,
  DD: ONE_OR_TWO,
  D: ONE_OR_TWO,
};

/** Factor from the unit of a header, or of a number format, to the unit of the field. */
export function unitScale(unit: HeaderUnit, field: Field): number {
  if (unit.kind === 'years' && field.unit === 'months') return 12;
  const scales = (unit.kind === 'amount' && field.type === 'money') || (unit.kind === 'basis points' && field.type === 'percent');
  return scales ? unit.scale : 1;
}

/** Why a column in this unit cannot be the field, or null: a percentage is no amount, a number of days no number of months. */
export function unitContradiction(unit: HeaderUnit | null, field: Field): string | null {
  if (unit === null || !isNumeric(field)) return null;
  const fits = {
    amount: field.type === 'money',
    unclear: field.type === 'money' || field.unit === 'months',
    percent: field.type === 'percent',
    'basis points': field.type === 'percent',
    years: field.unit === 'months' || field.unit === 'years',
    months: field.unit === 'months',
    days: field.unit === 'days',
    weeks: false,
  }[unit.kind];
  return fits ? null : `its unit is "${unit.text}" and ${field.field} is in ${field.unit ?? `no unit (${field.type})`}`;
}

/** Units and codes of a known source, if the column has a header of that source. */
function codedTransform(column: RawColumn, field: Field | undefined): Transform | undefined {
  const coding = field?.codings.find(({ headers }) => headers.includes(normalizeHeader(column.name)));
  if (!coding) return undefined;
  const values = Object.keys(coding.codes).length > 0 ? { values: { ...coding.codes } } : {};
  return { ...(coding.scale !== undefined && { scale: coding.scale }), ...values };
}
