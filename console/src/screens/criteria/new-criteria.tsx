import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { LOAN_TYPES } from '../deals/new-deal.tsx';
import { Builder } from './builder.tsx';
import { bodyOf, criteriaQuery, useDictionary } from './criteria-data.ts';
import type { SetBody } from './language.ts';
import { setOfTemplates, useTemplates } from './templates-data.ts';

/** A new set: blank, from templates, or from another set, as the address says. */
export function NewCriteria(): ReactNode {
  const [{ type, templates = '', from }, set] = useAddress();
  const loanType = LOAN_TYPES.find((each) => each === type);
  return (
    <Page
      title="New criteria"
      up={{ to: '/criteria', title: 'Criteria' }}
      about="Loan rules say which loans may enter a deal; pool tests limit the ones that may."
    >
      {from ? (
        <FromSet criteriaId={from} />
      ) : loanType ? (
        <FromTemplates key={templates} loanType={loanType} ids={templates.split(',').filter((id) => id !== '')} />
      ) : (
        <Select
          w={240}
          label="Loan type"
          description="The fields that rules can name depend on it."
          data={LOAN_TYPES}
          value={null}
          onChange={(next) => set({ type: next })}
        />
      )}
    </Page>
  );
}

function FromSet({ criteriaId }: { criteriaId: string }): ReactNode {
  const origin = useQuery(criteriaQuery(criteriaId));
  return (
    <Read from={origin}>
      {(data) => {
        const body = bodyOf(data);
        return <Begun loanType={data.loan_type} initial={{ ...body, name: `${data.name} (copy)` }} />;
      }}
    </Read>
  );
}

function FromTemplates({ loanType, ids }: { loanType: Records['LoanType']; ids: readonly string[] }): ReactNode {
  const templates = useTemplates(loanType);
  if (ids.length === 0) return <Begun loanType={loanType} initial={{ loan_type: loanType, loan_rules: [], pool_tests: [] }} />;
  return <Read from={templates}>{(all) => <Chosen loanType={loanType} ids={ids} all={all} />}</Read>;
}

type ChosenProps = { loanType: Records['LoanType']; ids: readonly string[]; all: readonly Records['CriteriaTemplate'][] };

function Chosen({ loanType, ids, all }: ChosenProps): ReactNode {
  const chosen = useMemo(() => all.filter(({ id }) => ids.includes(id)), [all, ids]);
  const unknown = ids.filter((id) => !chosen.some((each) => each.id === id));
  const dated = chosen.filter(({ needs_as_of }) => needs_as_of === true);
  const figures = chosen.filter(({ illustrative }) => illustrative === true);
  return (
    <>
      {unknown.length > 0 && (
        <Note>
          No template of {loanType} loans is called {unknown.join(', ')}.
        </Note>
      )}
      {dated.length > 0 && <Note>Set the cut-off date: {dated.map(({ id }) => id).join(', ')} count days from it.</Note>}
      {figures.length > 0 && (
        <Note>
          The figures of {figures.map(({ id }) => id).join(', ')} only illustrate: they are no limits of a deal. Write your own.
        </Note>
      )}
      <Begun loanType={loanType} initial={setOfTemplates(loanType, chosen)} />
    </>
  );
}

function Begun({ loanType, initial }: { loanType: Records['LoanType']; initial: SetBody }): ReactNode {
  const dictionary = useDictionary(loanType);
  return (
    <Read from={dictionary}>{(fields) => <Builder criteriaId={null} initial={initial} last={null} dictionary={fields} />}</Read>
  );
}
