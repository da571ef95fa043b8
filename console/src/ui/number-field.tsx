import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';

type Written = number | '';
export type NumberFieldProps = Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange'> & {
  value?: Written | undefined;
  /** The number that is written so far, or '' while there is none. */
  onChange: (value: Written) => void;
  /** The number for which an empty field stands. */
  blank?: number;
};

/** A field of one number. What is half written, such as `-` or `80.`, stays as it is while its number goes to `onChange`. */
export function NumberField({ value = '', onChange, blank, ...props }: NumberFieldProps): ReactNode {
  const [written, setWritten] = useState<number | string>(value);
  const number = numberOf(written);
  return (
    <NumberInput
      {...props}
      value={(number === '' ? (blank ?? '') : number) === value ? written : value}
      onChange={(next) => {
        setWritten(next);
        onChange(numberOf(next));
      }}
    />
  );
}

function numberOf(written: number | string): Written {
  if (typeof written === 'string' && written.trim() === '') return '';
  const number = Number(written);
  return Number.isFinite(number) ? number : '';
}
