import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingRequest, Transform } from '../types.ts';
import { checkMappingRequests } from './check-requests.ts';
import { sampleOf } from './content.ts';
import { CONFIDENCE_THRESHOLD, matchColumns } from './match-columns.ts';

const columnsOf = (...names: string[]): RawColumn[] =>
  names.map((name, index) => ({ index, name, normalized: name.toLowerCase().replace(/\W+/g, '_') }));

const COLUMNS = columnsOf('a', 'b', 'c');

const problems = (requests: readonly MappingRequest[], loanType: LoanType = 'Auto') =>
  checkMappingRequests(requests, { columns: COLUMNS, mappings: [] }, loanType).map(({ index, code }) => `${index} ${code}`);

const transformed = (target: string, transform: Transform, loanType: LoanType = 'Auto') =>
  checkMappingRequests([{ source: 'a', target, transform }], { columns: COLUMNS, mappings: [] }, loanType).map(
    ({ message }) => message,
  );

test('a scale is above nothing and at most a million, with at most nine decimals, of a number', () => {
  for (const scale of [0.000000001, 0.000001, 0.1, 123_456.789012345, 1, 1_000_000])
    assert.deepEqual(transformed('original_balance', { scale }), [], String(scale));
  for (const scale of [1e-10, 1e-308, 1 / 12, 0.0000000015])
    assert.match(transformed('original_balance', { scale })[0], /at most nine decimals/, String(scale));
  for (const scale of [0, -1, 1_000_000.1, Number.NaN, Number.POSITIVE_INFINITY, 1e308])
    assert.match(transformed('original_balance', { scale })[0], /above 0 and at most 1,000,000, not/, String(scale));
  for (const target of ['original_balance', 'interest_rate', 'original_term_months'])
    assert.deepEqual(transformed(target, { scale: 2 }), []);
  for (const target of ['state', 'origination_date', 'new_used', 'co_obligor'])
    assert.match(transformed(target, { scale: 2 })[0], /scale needs a number/, target);
});

test('a unit is of a percent field, a date of a date field with a pattern that can be read', () => {
  assert.deepEqual(transformed('interest_rate', { unit: 'fraction' }), []);
  assert.match(
    transformed('original_balance', { unit: 'fraction' })[0],
    /unit needs a percent field; "original_balance" is money/,
  );
  assert.deepEqual(transformed('origination_date', { date: 'DD.MM.YYYY' }), []);
  assert.match(transformed('state', { date: 'MM/YYYY' })[0], /date needs a date field; "state" is string/);
  assert.match(transformed('origination_date', { date: 'soon' })[0], /"soon" is not a pattern/);
  assert.equal(transformed('state', { date: 'soon' }).length, 2);
});

test('words lead to words of the field, or to nothing', () => {
  assert.deepEqual(transformed('new_used', { values: { '1': 'NEW', '2': 'USED', '3': null } }), []);
  assert.match(
    transformed('new_used', { values: { '1': 'new', '2': 'OTHER', '3': 'OTHER' } })[0],
    /^"new", "OTHER" is not one of NEW, USED/,
  );
  assert.deepEqual(transformed('vehicle_make', { values: { '1': 'anything' } }), []);
});

test('a source is mapped once and a field filled once, whatever the sources are called', () => {
  assert.deepEqual(
    problems([
      { source: 'a', target: 'state' },
      { source: 'A', target: null },
    ]),
    ['1 DUPLICATE_SOURCE'],
  );
  assert.deepEqual(
    problems([
      { source: 'a', target: 'state' },
      { source: 'b', target: 'state' },
      { source: 'c', target: 'state' },
    ]),
    ['1 DUPLICATE_TARGET', '2 DUPLICATE_TARGET'],
  );
  assert.deepEqual(
    problems([
      { source: 'a', target: null },
      { source: 'b', target: null },
    ]),
    [],
  );
  assert.deepEqual(
    problems([
      { source: 'x', target: null },
      { source: 'x', target: null },
    ]),
    ['0 UNKNOWN_SOURCE', '1 UNKNOWN_SOURCE'],
  );
  assert.deepEqual(problems([{ source: '', target: 'State' }]), ['0 UNKNOWN_SOURCE', '0 UNKNOWN_TARGET']);
  assert.deepEqual(problems([{ source: 'a', target: 'credit_limit' }]), ['0 UNKNOWN_TARGET']);
  assert.deepEqual(problems([{ source: 'a', target: 'credit_limit' }], 'Credit Card'), []);
  assert.deepEqual(problems([{ source: 'a', target: '__proto__' }]), ['0 UNKNOWN_TARGET']);
  assert.deepEqual(problems([]), []);
});

test('a misspelt field is answered with the nearest one, and a strange one with the dictionary', () => {
  const told = (target: string) =>
    checkMappingRequests([{ source: 'a', target }], { columns: COLUMNS, mappings: [] }, 'Auto').map(({ message }) => message);
  assert.deepEqual(told('credit_scor'), ['"credit_scor" is not a field of Auto loans; did you mean credit_score?']);
  assert.deepEqual(told('State'), ['"State" is not a field of Auto loans; did you mean state?']);
  assert.deepEqual(told('shoe_size_of_the_obligor'), [
    '"shoe_size_of_the_obligor" is not a field of Auto loans; see the dictionary',
  ]);
});

/** What columns of these values are matched to; `?` before a field marks a suggestion. */
function matched(
  columns: Record<string, readonly (string | null)[]>,
  requests: readonly MappingRequest[] = [],
  loanType: LoanType = 'Auto',
) {
  const samples = Object.values(columns).map(sampleOf);
  const outcome = matchColumns({ loanType, columns: columnsOf(...Object.keys(columns)), samples, requests });
  return {
    outcome,
    to: Object.fromEntries([
      ...outcome.suggestions.map(({ source, target }) => [source, `?${target}`]),
      ...outcome.matches.map(({ source, target }) => [source, target]),
    ]) as Record<string, string>,
  };
}

const numbers = ['100', '200', '300'];

test('a column is matched where eight in ten of its values fit, suggested below that, and where it is empty', () => {
  const rate = (fitting: number, of: number) =>
    matched({ 'Note Rate': [...Array<string>(fitting).fill('5'), ...Array<string>(of - fitting).fill('x y')] });
  assert.equal(rate(8, 10).to['Note Rate'], 'interest_rate');
  const confidence = (fitting: number) => {
    const { matches, suggestions } = rate(fitting, 100).outcome;
    return (matches[0] ?? suggestions[0]).confidence;
  };
  const whole = confidence(100);
  assert.deepEqual(
    [confidence(80), confidence(79), confidence(50), confidence(49)].map((each) => Math.round((each / whole) * 100) / 100),
    [1, 0.8, 0.8, 0.3],
  );
  assert.equal(rate(49, 100).to['Note Rate'], '?interest_rate');
  assert.ok(CONFIDENCE_THRESHOLD > 0.3 * whole);
  const empty = matched({ 'Note Rate': [null, ''] });
  assert.equal(empty.to['Note Rate'], 'interest_rate');
  assert.match(
    matched({ State: ['1', '2'] }).outcome.suggestions[0].reason,
    /like "state", but 0 % of the sampled values fit, and "1" does not/,
  );
  const days = (...texts: string[]) => matched({ 'Origination Date': texts }).outcome.suggestions[0].reason;
  assert.match(
    days('44927', '45321.5'),
    /"44927" does not \(with \{"date": "EXCEL"\} in the mapping it is read as the day number/,
  );
  assert.doesNotMatch(days('44927', '1672531200'), /EXCEL/);
});

test('of two columns for one field the likelier has it, and of equal ones the first', () => {
  assert.deepEqual(matched({ 'Loan Amount': numbers, 'Original Balance': numbers }).to, {
    'Original Balance': 'original_balance',
  });
  const same = matchColumns({
    loanType: 'Auto',
    columns: [
      { index: 0, name: 'State', normalized: 'state' },
      { index: 1, name: 'STATE', normalized: 'state_2' },
    ],
    samples: [sampleOf(['NY']), sampleOf(['CA'])],
    requests: [],
  });
  assert.deepEqual(
    same.matches.map(({ column }) => column.index),
    [0],
  );
});

test('matches come in the order of the fields of the loan type', () => {
  const { outcome } = matched({ State: ['NY'], 'Original Balance': numbers, 'Loan ID': ['A1'] });
  assert.deepEqual(
    outcome.matches.map(({ target }) => target),
    ['loan_id', 'original_balance', 'state'],
  );
});

test('a request is certain, the last for a column or a field counts, and one for an unknown column or field is nothing', () => {
  const tape = { x: numbers, y: numbers, 'Original Balance': numbers };
  const ask = (...requests: MappingRequest[]) => matched(tape, requests).to;
  assert.deepEqual(ask({ source: 'x', target: 'original_balance' }), { x: 'original_balance' });
  assert.deepEqual(ask({ source: 'x', target: 'original_balance' }, { source: 'y', target: 'original_balance' }), {
    y: 'original_balance',
  });
  assert.deepEqual(ask({ source: 'x', target: 'original_balance' }, { source: 'x', target: 'vehicle_value' }), {
    x: 'vehicle_value',
    'Original Balance': 'original_balance',
  });
  assert.deepEqual(ask({ source: 'nowhere', target: 'state' }), { 'Original Balance': 'original_balance' });
  assert.deepEqual(ask({ source: 'Original Balance', target: 'nothing' }), {});
  const [match] = matched(tape, [{ source: 'x', target: 'original_balance', transform: { scale: 2 } }]).outcome.matches;
  assert.deepEqual([match.confidence, match.requested, match.transform], [1, true, { scale: 2 }]);
});

test('a column that was unmapped is neither matched nor suggested, and its field is free for another', () => {
  const { to } = matched({ 'Original Balance': numbers, 'Loan Amount': numbers }, [{ source: 'Original Balance', target: null }]);
  assert.deepEqual(to, { 'Loan Amount': 'original_balance' });
  assert.deepEqual(matched({ State: ['1'] }, [{ source: 'State', target: null }]).to, {});
});

test('nothing is suggested for a field that is filled, or for a column that is used', () => {
  const { outcome } = matched({ State: ['1', '2'], Obligor: ['x'], x: ['NY'] }, [{ source: 'x', target: 'state' }]);
  assert.deepEqual(
    outcome.suggestions.filter(({ target }) => target === 'state'),
    [],
  );
});

test('a column of a known source brings its codes and its scale, unless the request has its own', () => {
  const late = matched({ PAY_0: ['-1', '0', '2'], LIMIT_BAL: numbers }, [], 'Credit Card').outcome.matches.find(
    ({ target }) => target === 'days_past_due',
  );
  assert.equal(late?.transform?.scale, 30);
  const own = matched(
    { PAY_0: ['-1', '0', '2'] },
    [{ source: 'PAY_0', target: 'days_past_due', transform: { scale: 7 } }],
    'Credit Card',
  );
  assert.deepEqual(own.outcome.matches[0].transform, { scale: 7 });
});
