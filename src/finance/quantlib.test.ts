import { deepEqual } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { presentValue, sensitivity, yearsFromSettlement, type YieldBasis, yieldFromValue } from './bond.ts';
import { yearFraction } from './daycount.ts';
import { couponDates, holidays, near } from './test-support.ts';
import type { CalendarName, DayCount, IsoDate } from './types.ts';

/* QuantLib (the Debian package quantlib-python) as a second opinion; without it these tests are skipped. */

const found = spawnSync('python3', ['-c', 'import QuantLib'], { stdio: 'ignore' }).status === 0;
const skip = found ? false : 'skipped: python3 has no QuantLib';

type RandomBond = {
  start: IsoDate;
  maturity: IsoDate;
  settlement: IsoDate;
  coupon: number;
  basis: YieldBasis;
  price: number;
  accrued: number;
  yield: number;
  clean_at_yield: number;
  macaulay: number;
  modified: number;
  convexity: number;
};

test('200 random bonds have the yield, price, durations, convexity and accrued interest of QuantLib to 1e-8', { skip }, () => {
  for (const bond of python<RandomBond[]>(RANDOM_BONDS)) {
    const frequency = bond.basis === 'BEY' ? 'SEMI_ANNUAL' : 'MONTHLY';
    const dates = couponDates(bond.start, bond.maturity, frequency);
    const what = JSON.stringify(bond);
    const amounts = dates.slice(1).map((date, index) => {
      const interest = 100 * (bond.coupon / 100) * yearFraction('30/360', dates[index], date);
      return date === bond.maturity ? 100 + interest : interest;
    });
    const flows = { years: yearsFromSettlement(bond.settlement, dates.slice(1)), amounts };
    const last = dates.findLast((date) => date <= bond.settlement) as IsoDate;
    const accrued = bond.coupon * yearFraction('30/360', last, bond.settlement);
    near(accrued, bond.accrued, 1e-8, what);
    const yieldPercent = yieldFromValue(flows, bond.price + accrued, bond.basis);
    near(yieldPercent, bond.yield, 1e-8, what);
    near(presentValue(flows, bond.yield, bond.basis) - accrued, bond.clean_at_yield, 1e-8, what);
    const measures = sensitivity(flows, bond.yield, bond.basis);
    near(measures?.macaulay, bond.macaulay, 1e-8, what);
    near(measures?.modified, bond.modified, 1e-8, what);
    near(measures?.convexity, bond.convexity, 1e-6, what);
  }
});

test('random periods have the year fractions of QuantLib in every day count', { skip }, () => {
  for (const [dayCount, start, end, fraction] of python<[DayCount, IsoDate, IsoDate, number][]>(RANDOM_PERIODS)) {
    near(yearFraction(dayCount, start, end), fraction, 1e-12, `${dayCount} ${start} ${end}`);
  }
});

test('bank holidays from 2003 to 2060 are those of QuantLib', { skip }, () => {
  // QuantLib 1.29 keeps a Juneteenth of a Saturday on the Friday before; the Reserve Banks are open on it.
  const known = (days: IsoDate[]) => days.filter((day) => !day.endsWith('-06-18'));
  for (const [calendar, days] of Object.entries(python<Record<CalendarName, IsoDate[]>>(HOLIDAYS))) {
    const ours = Array.from({ length: 58 }, (_, index) => holidays(calendar as CalendarName, 2003 + index)).flat();
    deepEqual(known(ours), known(days));
  }
});

function python<Answer>(script: string): Answer {
  return JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8' })) as Answer;
}

const RANDOM_BONDS = `
import QuantLib as ql, json, random
random.seed(7)
basis = ql.Thirty360(ql.Thirty360.BondBasis)
iso = lambda d: d.ISO()
bonds = []
while len(bonds) < 200:
    monthly = random.random() < 0.5
    frequency = ql.Monthly if monthly else ql.Semiannual
    start = ql.Date(random.randint(1, 28), random.randint(1, 12), random.randint(2015, 2025))
    maturity = start + ql.Period(6 * random.randint(2, 40), ql.Months)
    settlement = start + random.randint(0, maturity - start - 200)
    if settlement.dayOfMonth() > 28: continue
    ql.Settings.instance().evaluationDate = settlement
    schedule = ql.Schedule(start, maturity, ql.Period(frequency), ql.NullCalendar(), ql.Unadjusted, ql.Unadjusted, ql.DateGeneration.Backward, False)
    coupon = round(random.uniform(0, 12), 3)
    bond = ql.FixedRateBond(0, 100.0, schedule, [coupon / 100], basis)
    price = round(random.uniform(60, 130), 6)
    y = bond.bondYield(price, basis, ql.Compounded, frequency, settlement, 1e-14, 1000)
    rate = ql.InterestRate(y, basis, ql.Compounded, frequency)
    bonds.append(dict(start=iso(start), maturity=iso(maturity), settlement=iso(settlement), coupon=coupon,
        basis='MONTHLY' if monthly else 'BEY', price=price, accrued=bond.accruedAmount(settlement), **{'yield': 100 * y},
        clean_at_yield=bond.cleanPrice(y, basis, ql.Compounded, frequency, settlement),
        macaulay=ql.BondFunctions.duration(bond, rate, ql.Duration.Macaulay, settlement),
        modified=ql.BondFunctions.duration(bond, rate, ql.Duration.Modified, settlement),
        convexity=ql.BondFunctions.convexity(bond, rate, settlement)))
print(json.dumps(bonds))
`;

const RANDOM_PERIODS = `
import QuantLib as ql, json, random
random.seed(11)
counters = {'30/360': ql.Thirty360(ql.Thirty360.BondBasis), '30E/360': ql.Thirty360(ql.Thirty360.EurobondBasis),
    'ACT/360': ql.Actual360(), 'ACT/365': ql.Actual365Fixed(), 'ACT/ACT': ql.ActualActual(ql.ActualActual.ISDA)}
rows = []
for name, counter in counters.items():
    for _ in range(1000):
        start = ql.Date(random.randint(36526, 60000))
        end = start + random.randint(0, 4000)
        rows.append([name, start.ISO(), end.ISO(), counter.yearFraction(start, end)])
print(json.dumps(rows))
`;

const HOLIDAYS = `
import QuantLib as ql, json
calendars = {'US_FED': ql.UnitedStates(ql.UnitedStates.FederalReserve), 'TARGET': ql.TARGET()}
def closed(calendar):
    day, last, days = ql.Date(1, 1, 2003), ql.Date(31, 12, 2060), []
    while day <= last:
        if calendar.isHoliday(day) and not calendar.isWeekend(day.weekday()): days.append(day.ISO())
        day = day + 1
    return days
print(json.dumps({name: closed(calendar) for name, calendar in calendars.items()}))
`;
