import {
  assemble,
  type Code,
  get,
  i32,
  instantiate,
  isLess,
  pair,
  repeatWhile,
  set,
  when,
  type Local,
  type WasmFunction,
} from './wasm.ts';
import { FLOW, FLOWS } from './collateral-flows.ts';

/*
 * The arithmetic of schedules and of servicer advances on two doubles at a time: two loans for schedules, two months for advances. Loans are
 * in lanes, each with its arrays by month; every operation and its order is that of `fillSchedule` and `addAdvanced`.
 */

/** Months in an array: the longest term, and room for the second of a pair of months. An odd number of cache lines, so that lanes spread over a cache. */
const ARRAY_MONTHS = 1224;
const ARRAY = 8 * ARRAY_MONTHS;
/** Loans whose schedules are computed at once: enough that no month waits for the one before, and few enough for the nearest cache. */
export const WINDOW = 8;
/** Each of three kinds of loans takes an even number of lanes. */
export const LANES = WINDOW + 4;

export const SHARES = ['paying', 'prepaying', 'defaulting', 'surviving', 'advanced', 'liquidated', 'due', 'severity'] as const;
const LANE_ARRAYS = ['balance', 'interest'] as const;
const SUMS = ['balance', 'interest', 'capped'] as const;
const STATE = ['remaining', 'payment', 'rate', 'growth'] as const;

export type Shares = Record<(typeof SHARES)[number], Float64Array>;
export type Lane = Record<(typeof LANE_ARRAYS)[number], Float64Array>;

// The memory: places of lanes as whole numbers, shares, flows, sums of schedules, lanes, state of the lanes.
const PLACES = 0;
const SHARES_AT = 64 * Math.ceil((4 * LANES) / 64);
const FLOWS_AT = SHARES_AT + SHARES.length * ARRAY;
const SUMS_AT = FLOWS_AT + FLOWS * ARRAY;
const LANES_AT = SUMS_AT + SUMS.length * ARRAY;
const LANE = LANE_ARRAYS.length * ARRAY;
const STATE_AT = LANES_AT + LANES * LANE;
const BYTES = STATE_AT + STATE.length * 8 * LANES;

const shareAt = (name: (typeof SHARES)[number]): number => SHARES_AT + SHARES.indexOf(name) * ARRAY;
const inLane = (name: (typeof LANE_ARRAYS)[number]): number => LANE_ARRAYS.indexOf(name) * ARRAY;
const sumAt = (name: (typeof SUMS)[number]): number => SUMS_AT + SUMS.indexOf(name) * ARRAY;
const stateAt = (name: (typeof STATE)[number]): number => STATE_AT + STATE.indexOf(name) * 8 * LANES;

/** Computes the months from `from` to `to` (excluded) of pairs of adjacent lanes. Months are in bytes of an array; places are those of the first lane. */
export type ScheduleKernel = (place: number, state: number, pairs: number, from: number, to: number) => void;

/** The functions over lanes. Those whose names end in `All` compute as many pairs as a window has. */
type Kernels = {
  /** Level payments from state `remaining`, `payment` (the first principal), `rate` (a fraction a month) and `growth`. */
  level: ScheduleKernel;
  levelAll: ScheduleKernel;
  /** The balances of these. */
  levelBalances: ScheduleKernel;
  levelBalancesAll: ScheduleKernel;
  /** A payment, of which `rate` pays the interest first, and never more than the balance. */
  fixed: ScheduleKernel;
  fixedAll: ScheduleKernel;
  /** Adds the schedules of `count` lanes to the sums, in the order of their places from `first` on; `sumLevel`: of level loans in lanes of the same numbers. */
  sum: SumKernel;
  sumLevel: SumKernel;
  /** Adds to the sum `capped`, from month `lag` on, the balance that long before × severity, or the balance where it is less. */
  sumCapped: FlowKernel;
  /** Add the flows of `count` lanes, in the order of their places from `first` on: of what pays, */
  paying: FlowKernel;
  /** of advances in months in which nothing is liquidated, */
  open: FlowKernel;
  /** and in the later ones, with liquidations. */
  liquidating: FlowKernel;
  /** The same for level loans in lanes of the same numbers. */
  payingLevel: FlowKernel;
  openLevel: FlowKernel;
  liquidatingLevel: FlowKernel;
};

type SumKernel = (first: number, count: number, from: number, to: number) => void;
type FlowKernel = (first: number, count: number, from: number, to: number, lag: number) => void;

/** A pair of lanes in a kernel: where it is, and the variables of its state. */
type Pair = { lane: Code; offset: number; state: Record<(typeof STATE)[number], Local>; scratch: Local };
/** The instructions of one month of a pair. */
type Step = (pair: Pair) => Code;

const [PLACE, FIRST, COUNT, FROM, TO, LANE_AT, STATE_OF, LEFT] = [0, 1, 2, 3, 4, 5, 6, 7];
// Nothing sets `ZERO`: variables begin as zeros.
const [ZERO, SCRATCH, STATE_FROM] = [8, 9, 10];

const stateOf = (from: number): Pair['state'] => ({ remaining: from, payment: from + 1, rate: from + 2, growth: from + 3 });

/** Steps of schedules: for every month, all pairs of lanes, whose state is in memory. */
function stepping(name: string, step: Step, changed: readonly (typeof STATE)[number][]): WasmFunction {
  const state = stateOf(STATE_FROM);
  const body = [
    ...STATE.flatMap((each) => set(state[each], pair.load(get(STATE_OF), stateAt(each)))),
    ...step({ lane: get(LANE_AT), offset: 0, state, scratch: SCRATCH }),
    ...changed.flatMap((each) => pair.store(get(STATE_OF), stateAt(each), get(state[each]))),
    ...set(LANE_AT, i32.add(get(LANE_AT), i32.const(2 * LANE))),
    ...set(STATE_OF, i32.add(get(STATE_OF), i32.const(16))),
    ...set(LEFT, i32.sub(get(LEFT), i32.const(1))),
  ];
  const month = [
    ...set(LANE_AT, i32.add(get(PLACE), get(FROM))),
    ...set(STATE_OF, get(FIRST)),
    ...set(LEFT, get(COUNT)),
    ...repeatWhile(body, get(LEFT)),
    ...set(FROM, i32.add(get(FROM), i32.const(8))),
  ];
  return { name, parameters: 5, wholes: 3, pairs: 2 + STATE.length, body: repeatWhile(month, isLess(get(FROM), get(TO))) };
}

/** As `stepping`, for as many pairs as a window has, whose state is in variables. */
function steppingAll(name: string, step: Step, changed: readonly (typeof STATE)[number][]): WasmFunction {
  const states = Array.from({ length: WINDOW / 2 }, (_, index) => stateOf(STATE_FROM + STATE.length * index));
  const each = (work: (state: Pair['state'], index: number) => Code) => states.flatMap(work);
  const month = [
    ...set(LANE_AT, i32.add(get(PLACE), get(FROM))),
    ...each((state, index) => step({ lane: get(LANE_AT), offset: 2 * LANE * index, state, scratch: SCRATCH })),
    ...set(FROM, i32.add(get(FROM), i32.const(8))),
  ];
  const code = [
    ...each((state, index) => STATE.flatMap((name) => set(state[name], pair.load(get(FIRST), stateAt(name) + 16 * index)))),
    ...repeatWhile(month, isLess(get(FROM), get(TO))),
    ...each((state, index) => changed.flatMap((name) => pair.store(get(FIRST), stateAt(name) + 16 * index, get(state[name])))),
  ];
  return { name, parameters: 5, wholes: 3, pairs: 2 + STATE.length * states.length, body: code };
}

const scatter = ({ lane, offset }: Pair, name: (typeof LANE_ARRAYS)[number], value: Code, later = 0): Code =>
  pair.scatter(lane, offset + inLane(name) + later, offset + inLane(name) + later + LANE, value);
const level: Step = (of) => [
  ...scatter(of, 'interest', pair.mul(get(of.state.remaining), get(of.state.rate))),
  ...levelBalances(of),
];

/** Without the interest, which the kernels of flows of level loans compute. */
const levelBalances: Step = (of) => {
  const { remaining, payment, growth } = of.state;
  return [
    ...scatter(of, 'balance', get(remaining)),
    ...set(remaining, pair.sub(get(remaining), get(payment))),
    ...set(payment, pair.mul(get(payment), get(growth))),
  ];
};

const fixed: Step = (of) => {
  const { remaining, payment, rate } = of.state;
  const due = of.scratch;
  const paid = pair.min(get(remaining), pair.max(get(ZERO), pair.sub(get(payment), get(due))));
  return [
    ...set(due, pair.mul(get(remaining), get(rate))),
    ...scatter(of, 'interest', get(due)),
    ...set(remaining, pair.sub(get(remaining), paid)),
    ...scatter(of, 'balance', get(remaining), 8),
  ];
};

const UNROLLED = 4;

/**
 * For every two months, what `add` adds of the lanes in a part of the list of places, in their order, to variables that are loaded before
 * and stored after it. `lane`: variable of the address of the lane in these months; `index`: of the loan among those of one turn of the loop.
 */
function overLanes(
  { first, count, from, to, place, left, lane }: Record<'first' | 'count' | 'from' | 'to' | 'place' | 'left' | 'lane', Local>,
  load: Code,
  add: (index: number) => Code,
  store: Code,
): Code {
  const turn = (loans: number): Code => [
    ...Array.from({ length: loans }, (_, index) => [
      ...set(lane, i32.add(i32.load(get(place), PLACES + 4 * index), get(from))),
      ...add(index),
    ]).flat(),
    ...set(place, i32.add(get(place), i32.const(4 * loans))),
    ...set(left, i32.sub(get(left), i32.const(loans))),
  ];
  const isMore = isLess(i32.const(UNROLLED - 1), get(left));
  const months = [
    ...load,
    ...set(place, get(first)),
    ...set(left, get(count)),
    ...when(isMore, repeatWhile(turn(UNROLLED), isMore)),
    ...when(get(left), repeatWhile(turn(1), get(left))),
    ...store,
    ...set(from, i32.add(get(from), i32.const(16))),
  ];
  return repeatWhile(months, isLess(get(from), get(to)));
}

/** The rate of a level loan: its place in the list of places, which `place` is at, is half its place in the state. */
const levelRate = (place: Local, index: number): Code =>
  pair.splat(i32.add(get(place), get(place)), stateAt('rate') + 8 * index - 2 * PLACES);

/** Adds schedules. Level loans, whose lanes are the first ones, have no interest in memory. */
function summing(name: string, isLevel: boolean): WasmFunction {
  const [from, place, lane, balance, interest, opening] = [2, 4, 6, 7, 8, 9];
  const due = (index: number) =>
    isLevel ? pair.mul(get(opening), levelRate(place, index)) : pair.load(get(lane), inLane('interest'));
  const body = overLanes(
    { first: 0, count: 1, from, to: 3, place, left: 5, lane },
    [...set(balance, pair.load(get(from), sumAt('balance'))), ...set(interest, pair.load(get(from), sumAt('interest')))],
    (index) => [
      ...set(opening, pair.load(get(lane), inLane('balance'))),
      ...set(balance, pair.add(get(balance), get(opening))),
      ...set(interest, pair.add(get(interest), due(index))),
    ],
    [...pair.store(get(from), sumAt('balance'), get(balance)), ...pair.store(get(from), sumAt('interest'), get(interest))],
  );
  return { name, parameters: 4, wholes: 3, pairs: 3, body };
}

function summingCapped(): WasmFunction {
  const [from, lag, lane, capped, severity] = [2, 4, 7, 8, 9];
  const balance = pair.load(get(lane), inLane('balance'));
  const lost = pair.mul(pair.load(i32.sub(get(lane), get(lag)), inLane('balance')), get(severity));
  const body = overLanes(
    { first: 0, count: 1, from, to: 3, place: 5, left: 6, lane },
    [...set(capped, pair.load(get(from), sumAt('capped'))), ...set(severity, pair.load(get(from), shareAt('severity')))],
    () => set(capped, pair.add(get(capped), pair.min(lost, balance))),
    pair.store(get(from), sumAt('capped'), get(capped)),
  );
  return { name: 'sumCapped', parameters: 5, wholes: 3, pairs: 2, body };
}

type Share = (typeof SHARES)[number];
/** What a kernel of flows reads of a loan for two months. */
type Loan = { opening: Code; closing: Code; principal: Code; interest: Code; lateOpening: Code };
/** A flow, and the code of its amount; a flow's code may set a variable that a later one reads. */
type FlowTerm = readonly [flow: number, amount: (loan: Loan, share: Record<Share, Code>) => Code];

const PAYING: readonly FlowTerm[] = [
  [FLOW.SCHEDULED, ({ principal }, { paying }) => pair.mul(paying, principal)],
  [FLOW.PREPAYMENT, ({ closing }, { prepaying }) => pair.mul(prepaying, closing)],
  [FLOW.DEFAULTED, ({ opening }, { defaulting }) => pair.mul(defaulting, opening)],
  [FLOW.INTEREST, ({ interest }, { paying }) => pair.mul(paying, interest)],
  [FLOW.CLOSING, ({ closing }, { surviving }) => pair.mul(surviving, closing)],
];
const OPEN: readonly FlowTerm[] = [
  [FLOW.ADVANCED_PRINCIPAL, ({ principal }, { advanced }) => pair.mul(advanced, principal)],
  [FLOW.PENDING, ({ closing }, { advanced }) => pair.mul(advanced, closing)],
  [FLOW.ADVANCED_INTEREST, ({ interest }, { due }) => pair.mul(due, interest)],
];
const [AMORTIZED, LOST] = [13, 14];
const LIQUIDATED: readonly FlowTerm[] = [
  [
    FLOW.LOSS,
    ({ opening, lateOpening }, { liquidated, severity }) => [
      ...set(AMORTIZED, pair.mul(liquidated, opening)),
      ...set(LOST, pair.min(pair.mul(pair.mul(liquidated, lateOpening), severity), get(AMORTIZED))),
      ...get(LOST),
    ],
  ],
  [FLOW.RECOVERY, () => pair.sub(get(AMORTIZED), get(LOST))],
];

/** Adds some flows. Level loans, whose lanes are the first ones, have no interest in memory. */
function adding(name: string, terms: readonly FlowTerm[], shares: readonly Share[], isLevel: boolean): WasmFunction {
  const [from, lag, place, lane] = [2, 4, 5, 7];
  const [opening, closing, interest, principal] = [8, 9, 10, 11];
  const shareOf = (index: number): Local => 15 + index;
  const sumOf = (index: number): Local => shareOf(shares.length + index);
  const share = Object.fromEntries(shares.map((each, index) => [each, get(shareOf(index))])) as Record<Share, Code>;
  const lateOpening = pair.load(i32.sub(get(lane), get(lag)), inLane('balance'));
  const loan: Loan = {
    opening: get(opening),
    closing: get(closing),
    principal: get(principal),
    interest: get(interest),
    lateOpening,
  };
  const body = overLanes(
    { first: 0, count: 1, from, to: 3, place, left: 6, lane },
    [
      ...shares.flatMap((each, index) => set(shareOf(index), pair.load(get(from), shareAt(each)))),
      ...terms.flatMap(([flow], index) => set(sumOf(index), pair.load(get(from), FLOWS_AT + flow * ARRAY))),
    ],
    (index) => [
      ...set(opening, pair.load(get(lane), inLane('balance'))),
      ...set(closing, pair.load(get(lane), inLane('balance') + 8)),
      ...set(interest, isLevel ? pair.mul(get(opening), levelRate(place, index)) : pair.load(get(lane), inLane('interest'))),
      ...set(principal, pair.sub(get(opening), get(closing))),
      ...terms.flatMap(([, amount], term) => set(sumOf(term), pair.add(get(sumOf(term)), amount(loan, share)))),
    ],
    terms.flatMap(([flow], index) => pair.store(get(from), FLOWS_AT + flow * ARRAY, get(sumOf(index)))),
  );
  return { name, parameters: 5, wholes: 3, pairs: 7 + shares.length + terms.length, body };
}

const flowKernels = (suffix: '' | 'Level'): WasmFunction[] => [
  adding(`paying${suffix}`, PAYING, ['paying', 'prepaying', 'defaulting', 'surviving'], suffix === 'Level'),
  adding(`open${suffix}`, OPEN, ['advanced', 'due'], suffix === 'Level'),
  adding(`liquidating${suffix}`, [...OPEN, ...LIQUIDATED], ['advanced', 'due', 'liquidated', 'severity'], suffix === 'Level'),
];

const KERNELS: readonly [Step, string, readonly (typeof STATE)[number][]][] = [
  [level, 'level', ['remaining', 'payment']],
  [levelBalances, 'levelBalances', ['remaining', 'payment']],
  [fixed, 'fixed', ['remaining']],
];

const MODULE = assemble(
  [
    ...KERNELS.map(([step, name, changed]) => stepping(name, step, changed)),
    ...KERNELS.map(([step, name, changed]) => steppingAll(`${name}All`, step, changed)),
    summing('sum', false),
    summing('sumLevel', true),
    summingCapped(),
    ...flowKernels(''),
    ...flowKernels('Level'),
  ],
  BYTES,
);

/** Memory of lanes, seen as arrays, and the kernels over it. */
export type LaneMemory = {
  kernels: Kernels;
  lanes: Lane[];
  state: Record<(typeof STATE)[number], Float64Array>;
  shares: Shares;
  /** By number of the flow. */
  flows: Float64Array[];
  places: Int32Array;
  sums: Record<(typeof SUMS)[number], Float64Array>;
};

export function createLaneMemory(): LaneMemory {
  const { buffer, functions } = instantiate(MODULE);
  const array = (at: number) => new Float64Array(buffer, at, ARRAY_MONTHS);
  const named = <Name extends string>(names: readonly Name[], make: (name: Name) => Float64Array) =>
    Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Float64Array>;
  const lanes = Array.from({ length: LANES }, (_, lane) => named(LANE_ARRAYS, (name) => array(placeOf(lane) + inLane(name))));
  return {
    kernels: functions as Kernels,
    lanes,
    state: named(STATE, (name) => new Float64Array(buffer, stateAt(name), LANES)),
    shares: named(SHARES, (name) => array(shareAt(name))),
    flows: Array.from({ length: FLOWS }, (_, flow) => array(FLOWS_AT + flow * ARRAY)),
    places: new Int32Array(buffer, PLACES, LANES),
    sums: named(SUMS, (name) => array(sumAt(name))),
  };
}

/** The place of a lane in the memory. */
export function placeOf(lane: number): number {
  return LANES_AT + lane * LANE;
}
