import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type QueryOf, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Id, words } from '../../ui/format.tsx';
import { ButtonTo } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { type Fact, Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { LoanOutcomes } from '../criteria/loan-outcomes.tsx';
import { useDeal } from './deal-data.ts';
import { findingColumns } from './findings.tsx';
import { type LoanField, useLoanFields, withUnit } from './loan-fields.ts';
import { LoanHistory } from './loan-history.tsx';

/** One loan: every field that the tape gives it, what the checks found in its row, and what became of it. */
export function LoanPage(): ReactNode {
  const operator = isOperator(useMe());
  const { dealId = '', rowNumber = '' } = useParams({ strict: false });
  const deal = useDeal(dealId);
  const fields = useLoanFields(deal.data?.loan_type);
  const params = { path: { dealId, rowNumber } };
  const loan = useQuery({
    queryKey: ['deals', dealId, 'loans', rowNumber],
    queryFn: async (): Promise<Record<string, unknown>> =>
      operator
        ? (await sent(api.GET('/v1/operator/deals/{dealId}/loans/{rowNumber}', { params }))).data
        : (await sent(api.GET('/v1/api/originator/loans/{dealId}/loans/{rowNumber}', { params }))).data,
  });
  const id = loan.data?.loan_id;
  return (
    <Page
      title={typeof id === 'string' ? `Loan ${id}` : `Row ${rowNumber}`}
      up={{ to: `/deals/${dealId}/loans`, title: 'Loans' }}
      acts={<Neighbours dealId={dealId} rowNumber={rowNumber} />}
    >
      <Read from={loan}>
        {(data) => (
          <>
            <Facts facts={factsOf(data, fields)} />
            <div className="in-turn">
              <Missing loan={data} />
              <RowFindings dealId={dealId} row={Number(rowNumber)} />
              {!operator && <LoanOutcomes dealId={dealId} rowNumber={rowNumber} />}
              {!operator && <LoanHistory dealId={dealId} rowNumber={rowNumber} fields={fields} />}
            </div>
          </>
        )}
      </Read>
    </Page>
  );
}

const IDS = ['loan_id', 'obligor_id', 'account_id', 'contract_number', 'vin'];

const factsOf = (loan: Record<string, unknown>, fields: ReadonlyMap<string, LoanField>): Fact[] =>
  Object.entries(loan)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [
      words(name),
      IDS.includes(name) ? <Id key={name} of={String(value)} /> : withUnit(value, fields.get(name)),
    ]);

function Missing({ loan }: { loan: Record<string, unknown> }): ReactNode {
  const missing = Object.keys(loan).filter((name) => loan[name] === null);
  return missing.length > 0 && <Part title="Without a value">{missing.map(words).join(', ')}</Part>;
}

/** The accepted loans before and after this one: rejected rows are no loans. */
function Neighbours({ dealId, rowNumber }: { dealId: string; rowNumber: string }): ReactNode {
  const operator = isOperator(useMe());
  const row = Number(rowNumber);
  const at = useQuery({
    queryKey: ['deals', dealId, 'neighbours', row],
    enabled: Number.isInteger(row),
    queryFn: async () => {
      const read = async (offset: number): Promise<number[]> => {
        const params = { path: { dealId }, query: { offset, limit: 3 } };
        const { data } = operator
          ? await sent(api.GET('/v1/operator/deals/{dealId}/loans', { params }))
          : await sent(api.GET('/v1/api/originator/loans/{dealId}/loans', { params }));
        return data.map((loan) => Number(loan.row_number));
      };
      return await neighboursOf(row, read);
    },
  });
  const link = (to: number | undefined, title: string): ReactNode => (
    <ButtonTo
      to="/deals/$dealId/loans/$rowNumber"
      params={{ dealId, rowNumber: String(to ?? row) }}
      size="compact-sm"
      variant="default"
      {...(to === undefined ? { 'data-disabled': true, 'aria-disabled': true } : {})}
    >
      {title}
    </ButtonTo>
  );
  return (
    <Group gap="xs">
      {link(at.data?.before, 'Previous loan')}
      {link(at.data?.after, 'Next loan')}
    </Group>
  );
}

const NEXT_PAGES = 2;

/** A row's place in the list is its number less the rejected rows before it, which is found by halving. */
async function neighboursOf(
  row: number,
  read: (offset: number) => Promise<number[]>,
): Promise<{ before?: number; after?: number }> {
  let [low, high] = [0, Math.max(0, row - 1)];
  while (low < high) {
    const middle = Math.floor((low + high + 1) / NEXT_PAGES);
    const [found] = await read(middle);
    if (found !== undefined && found <= row) low = middle;
    else high = middle - 1;
  }
  const around = await read(Math.max(0, low - 1));
  const before = around.filter((each) => each < row).at(-1);
  const after = around.find((each) => each > row);
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function RowFindings({ dealId, row }: { dealId: string; row: number }): ReactNode {
  const operator = isOperator(useMe());
  const path = { dealId };
  return (
    <Part title="What the checks found in this row">
      <RecordList
        name={['deals', dealId, 'findings', 'of-row', String(row)]}
        label="Findings"
        few
        read={(query: QueryOf<'/v1/operator/deals/{dealId}/issues'>) =>
          operator
            ? sent(api.GET('/v1/operator/deals/{dealId}/issues', { params: { path, query } }))
            : sent(api.GET('/v1/api/originator/loans/{dealId}/issues', { params: { path, query } }))
        }
        fixed={{ row }}
        columns={findingColumns()}
        rowKey={({ rule_id, field, column }) => `${rule_id} ${field} ${column}`}
        empty="Nothing: every value of this row passed the checks."
      />
    </Part>
  );
}
