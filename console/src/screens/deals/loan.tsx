import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { type Fact, Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { words } from '../../ui/format.tsx';
import { LoanOutcomes } from '../criteria/loan-outcomes.tsx';

/** One loan: every field that the tape gives it. */
export function LoanPage(): ReactNode {
  const operator = isOperator(useMe());
  const { dealId = '', rowNumber = '' } = useParams({ strict: false });
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
    >
      <Read from={loan}>
        {(data) => {
          const [given, missing] = split(data);
          return (
            <>
              <Facts facts={given.map(([name, value]): Fact => [words(name), shown(value)])} />
              {missing.length > 0 && <Part title="Without a value">{missing.map(([name]) => words(name)).join(', ')}</Part>}
              {!operator && <LoanOutcomes dealId={dealId} rowNumber={rowNumber} />}
            </>
          );
        }}
      </Read>
    </Page>
  );
}

function split(loan: Record<string, unknown>): [[string, unknown][], [string, unknown][]] {
  const entries = Object.entries(loan);
  return [entries.filter(([, value]) => value !== null), entries.filter(([, value]) => value === null)];
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 8 });
const shown = (value: unknown): string =>
  typeof value === 'number' ? NUMBER.format(value) : typeof value === 'string' ? value : JSON.stringify(value);
