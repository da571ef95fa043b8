import assert from 'node:assert/strict';
import { addMonths } from '../../src/finance/dates.ts';
import { ServicedLoans } from '../../src/loans/generate/serviced-loans.ts';
import { listPoolMonths } from '../../src/features/servicing/queries.ts';
import type { LoanType } from '../../src/loans/types.ts';
import { dataOf, type Desk } from './desk.ts';
import type { Answer } from './gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from './pools.ts';
import { CSV, put } from './tapes.ts';

/** An issued deal over the loans of a generated tape, and its servicer. */
export async function tapedDeal(
  desk: Desk,
  {
    type = 'Auto',
    rows = 60,
    seed = 21,
    change = (structure) => structure,
  }: { type?: LoanType; rows?: number; seed?: number; change?: (structure: Record<string, unknown>) => object } = {},
) {
  const { gateway, operator, seller } = desk;
  await gateway.setClock('2026-07-06T15:00:00Z');
  const loans = new ServicedLoans({ type, rows, seed });
  const dealId = await approvedDeal(gateway, seller, operator, { loanType: type, bytes: loans.csv() });
  const dates = { cut_off_date: '2026-06-30', closing_date: '2026-07-10' };
  const formed = dataOf(await formPool(gateway, seller, [dealId], dates));
  const pools = `/v1/api/originator/pools/${formed.pool_id}`;
  const structure = structureOver(formed.balance, { payment: { first_payment_date: '2026-08-15', business_day: 'FOLLOWING' } });
  dataOf(await desk.send('PUT', `${pools}/structure`, seller, change(structure)));
  const [a, b] = (structure as { tranches: { balance: number }[] }).tranches.map(({ balance }) => balance);
  const deal_id = await issuedDeal(gateway, seller, operator, formed.pool_id);
  const tapes = `${pools}/tapes`;
  const fileName = 'servicer.csv';
  return {
    pool_id: formed.pool_id as string,
    deal_id,
    balance: formed.balance as number,
    /** Balances of the two notes. */
    a: a ?? 0,
    b: b ?? 0,
    pools,
    tapes,
    loans,
    /** Sends the tape of a period and completes it; its reading is queued. */
    async send(period: number, bytes: Buffer | string = loans.csv(), fileFormat = CSV): Promise<Answer> {
      const opened = await desk.send('POST', tapes, seller, { period, fileName, fileFormat });
      assert.equal(opened.status, 201, JSON.stringify(opened.body));
      await put(gateway, opened, bytes);
      return desk.send('POST', `${tapes}/${period}/complete`, seller, { fileName });
    },
    /** Lets a month pass, sends its tape and has it read. */
    async month(period: number) {
      const served = loans.advance();
      // The servicer sends it on the second of the month after.
      await gateway.setClock(`${addMonths(loans.reportingDate.slice(0, 8) + '02', 1)}T15:00:00Z`);
      const completed = await this.send(period);
      assert.equal(completed.status, 202, JSON.stringify(completed.body));
      await gateway.runJobs();
      return served;
    },
    read: async (period: number) => dataOf(await desk.send('GET', `${tapes}/${period}`, seller)),
    /** A month in force as it is stored. */
    month_figures: async (period: number) => {
      const [month] = await gateway.deps.db.tx({ platform: true }, (tx) => listPoolMonths(tx, { pool_id: formed.pool_id }));
      assert.equal(month?.period, period);
      return month;
    },
    performance: async () => dataOf(await desk.send('GET', `${pools}/performance`, seller)),
  };
}
