import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { amount as amountOf } from '../../ui/amount.ts';

type AmountFieldProps = Pick<TextInputProps, 'label' | 'description'> & {
  'data-autofocus'?: boolean;
  written: string;
  write: (written: string) => void;
  /** The empty field is wrong as well. */
  filled?: boolean;
};

/** A field of an amount as traders write it, which says what it cannot read. */
export const AmountField = ({
  written,
  write,
  filled = false,
  label = 'Amount (US$)',
  ...props
}: AmountFieldProps): ReactNode => (
  <TextInput
    label={label}
    required
    inputMode="decimal"
    placeholder="250k or 5m"
    error={(filled || written !== '') && amountOf(written) === undefined ? 'Write an amount, such as 2500000, 250k or 5m.' : null}
    value={written}
    onChange={({ currentTarget }) => write(currentTarget.value)}
    {...props}
  />
);
