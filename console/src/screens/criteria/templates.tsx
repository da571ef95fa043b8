import { Checkbox, Group, Select, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { count } from '../../ui/format.tsx';
import { ButtonTo } from '../../ui/link.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { LOAN_TYPES } from '../deals/new-deal.tsx';
import { useDictionary } from './criteria-data.ts';
import { type Fields, fieldsOf } from './language.ts';
import { sayCondition, sayTest } from './say.ts';
import { partsOf, useTemplates } from './templates-data.ts';

type Template = Records['CriteriaTemplate'];

/** Criteria of real deals and lenders, of which a set is put together. */
export function Templates(): ReactNode {
  const [values, set] = useAddress();
  const type = LOAN_TYPES.find((each) => each === values.type) ?? 'Auto';
  const chosen = (values.templates ?? '').split(',').filter((id) => id !== '');
  const templates = useTemplates(type);
  const dictionary = useDictionary(type);
  const editable = can(useMe(), 'EDIT');
  const toggle = (id: string): void =>
    set({ templates: (chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]).join(',') });
  return (
    <>
      <Group align="flex-end" gap="sm" mb="xs">
        <Select
          size="xs"
          w={170}
          label="Loan type"
          allowDeselect={false}
          data={LOAN_TYPES}
          value={type}
          onChange={(next) => set({ type: next, templates: null })}
        />
        {editable && (
          <ButtonTo
            to="/criteria/new"
            search={{ type, ...(chosen.length > 0 ? { templates: chosen.join(',') } : {}) }}
            size="compact-sm"
            mb={3}
          >
            {chosen.length === 0
              ? `Begin a blank ${type} set`
              : `Begin with ${chosen.length === 1 ? '1 template' : `${count(chosen.length)} templates`}`}
          </ButtonTo>
        )}
        <Text size="xs" c="dimmed" pb={6}>
          Paraphrased from contracts and prospectuses; the figures are those printed there.
        </Text>
      </Group>
      <Read from={templates}>
        {(data) => (
          <DataTable
            label="Templates"
            columns={columnsOf(chosen, toggle, fieldsOf(dictionary.data ?? [], {}))}
            rows={data}
            rowKey={({ id }) => id}
            whole
          />
        )}
      </Read>
    </>
  );
}

const columnsOf = (chosen: readonly string[], toggle: (id: string) => void, fields: Fields): Column<Template>[] => [
  {
    id: 'chosen',
    title: 'Choose',
    value: ({ id }) => (chosen.includes(id) ? 1 : 0),
    cell: ({ id }) => (
      <Checkbox size="xs" aria-label={`Choose ${id}`} checked={chosen.includes(id)} onChange={() => toggle(id)} />
    ),
  },
  { id: 'id', title: 'Id', value: ({ id }) => id },
  { id: 'text', title: 'Criterion', value: ({ text }) => text },
  {
    id: 'rule',
    title: 'As rule or test',
    value: (template) => {
      const { loan_rules, pool_tests } = partsOf(template);
      return [
        ...loan_rules.map(({ rule }) => sayCondition(rule, fields)),
        ...pool_tests.map((test) => sayTest(test, fields)),
      ].join('; ');
    },
  },
  { id: 'loan_type', title: 'Loan type', hidden: true, value: ({ loan_type }) => loan_type },
  { id: 'source', title: 'Source', value: ({ source }) => source },
];
