import { Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { amount as amountOf, percentage } from '../../ui/amount.ts';

/** The terms of an order besides its amount, as they are typed; empty is none. */
export type WrittenTerms = { least: string; limit: string };

export interface OrderTerms {
  minimum_amount: number | null;
  limit_yield: number | null;
}

const read = (text: string, reader: (text: string) => number | undefined): number | null | undefined =>
  text.trim() === '' ? null : reader(text);

/** The terms that are written, or undefined while one of them cannot be read. */
export function orderTerms({ least, limit }: WrittenTerms): OrderTerms | undefined {
  const minimum_amount = read(least, amountOf);
  const limit_yield = read(limit, percentage);
  return minimum_amount === undefined || limit_yield === undefined ? undefined : { minimum_amount, limit_yield };
}

type FieldsProps = { written: WrittenTerms; write: (written: WrittenTerms) => void };

const FIELDS = [
  {
    name: 'least',
    reader: amountOf,
    label: 'Least fill (US$)',
    description: 'Or no fill at all.',
    placeholder: 'Any',
    wrong: 'Write an amount, such as 250k, or nothing.',
  },
  {
    name: 'limit',
    reader: percentage,
    label: 'Limit yield (%)',
    description: 'Empty: at market.',
    placeholder: 'At market',
    wrong: 'Write percent a year, such as 5.25, or nothing.',
  },
] as const;

export const OrderTermsFields = ({ written, write }: FieldsProps): ReactNode => (
  <Group grow align="flex-start">
    {FIELDS.map(({ name, reader, wrong, ...texts }) => (
      <TextInput
        key={name}
        {...texts}
        inputMode="decimal"
        error={read(written[name], reader) === undefined ? wrong : null}
        value={written[name]}
        onChange={({ currentTarget }) => write({ ...written, [name]: currentTarget.value })}
      />
    ))}
  </Group>
);
