import type { Random } from './random.ts';

/** Cut-off of a generated tape, unless another is asked for. */
export const REPORTING_DATE = '2026-06-30';

export interface TermsSpec {
  /** Original terms in months, as often as they are listed. */
  terms: readonly number[];
  /** Original amounts in dollars. */
  amount: readonly [number, number];
  /** Amounts are multiples of this many dollars. */
  roundTo: number;
  /** Annual rates in percent; better scores pay less. */
  rate: readonly [number, number];
  /** Digits after the point of a rate. */
  rateDigits: number;
  score: { middle: number; spread: number; least: number; most: number };
  /** Loans are at most this old. */
  maxAgeMonths: number;
}

/** A level-payment loan at the cut-off; dates are ISO, money is whole cents, rates are percent a year. */
export interface LoanTerms {
  /** From 1. */
  number: number;
  /** Day of the tape. */
  reportingDate: string;
  originationDate: string;
  firstPaymentDate: string;
  maturityDate: string;
  termMonths: number;
  ageMonths: number;
  remainingMonths: number;
  originalCents: number;
  currentCents: number;
  ratePercent: number;
  paymentCents: number;
  daysPastDue: number;
  score: number;
  state: string;
}

/** Draws one loan whose figures agree with each other. */
export function drawTerms(random: Random, number: number, spec: TermsSpec, reportingDate = REPORTING_DATE): LoanTerms {
  const termMonths = random.pick(spec.terms);
  const ageMonths = random.integer(1, Math.min(termMonths - 1, spec.maxAgeMonths));
  const originationDate = addMonths(`${reportingDate.slice(0, 8)}${String(random.integer(1, 28)).padStart(2, '0')}`, -ageMonths);
  const score = Math.round(
    Math.min(spec.score.most, Math.max(spec.score.least, random.around(spec.score.middle, spec.score.spread))),
  );
  const ratePercent = drawRate(random, score, spec);
  const originalCents = drawAmount(random, spec);
  const paymentCents = levelPayment(originalCents, ratePercent, termMonths);
  return {
    number,
    reportingDate,
    originationDate,
    firstPaymentDate: addMonths(originationDate, 1),
    maturityDate: addMonths(originationDate, termMonths),
    termMonths,
    ageMonths,
    remainingMonths: termMonths - ageMonths,
    originalCents,
    currentCents: balanceAfter(originalCents, ratePercent, paymentCents, ageMonths),
    ratePercent,
    paymentCents,
    daysPastDue: drawDaysPastDue(random),
    score,
    state: random.pick(STATES),
  };
}

/** The same day some months on, at most the last day of the month. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}

function drawRate(random: Random, score: number, spec: TermsSpec): number {
  const [least, most] = spec.rate;
  const risk = (spec.score.most - score) / (spec.score.most - spec.score.least);
  const rate = least + (most - least) * Math.min(1, Math.max(0, random.around(risk, 0.08)));
  return Number(rate.toFixed(spec.rateDigits));
}

function drawAmount(random: Random, spec: TermsSpec): number {
  const [least, most] = spec.amount;
  // Many small loans, few large ones: uniform in the logarithm.
  const dollars = least * (most / least) ** random.next();
  return Math.max(spec.roundTo, Math.round(dollars / spec.roundTo) * spec.roundTo) * 100;
}

/** Level payment of an annuity, B · r / (1 − (1 + r)^−n), in whole cents. */
function levelPayment(cents: number, ratePercent: number, months: number): number {
  const rate = ratePercent / 1200;
  return Math.round(rate === 0 ? cents / months : (cents * rate) / (1 - (1 + rate) ** -months));
}

/** Balance of an annuity after some payments: B · (1 + r)^k − P · ((1 + r)^k − 1) / r. */
function balanceAfter(cents: number, ratePercent: number, paymentCents: number, payments: number): number {
  const rate = ratePercent / 1200;
  const growth = (1 + rate) ** payments;
  const left = rate === 0 ? cents - paymentCents * payments : cents * growth - (paymentCents * (growth - 1)) / rate;
  return Math.max(1, Math.round(left));
}

function drawDaysPastDue(random: Random): number {
  const place = random.next();
  if (place < 0.93) return 0;
  if (place < 0.97) return random.integer(1, 29);
  return place < 0.99 ? random.integer(30, 59) : random.integer(60, 119);
}

/** States, weighted by population. */
const STATES =
  'CA CA CA CA TX TX TX FL FL FL NY NY PA IL OH GA NC MI NJ VA WA AZ MA TN IN MO MD WI CO MN SC AL LA KY OR OK CT UT NV IA AR KS MS NM NE ID WV HI NH ME RI MT DE SD ND AK DC VT WY PR'.split(
    ' ',
  );
