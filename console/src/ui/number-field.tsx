import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';

type Written = number | '';
export type NumberFieldProps = Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange'> & {
  value?: Written | undefined;
  /** The number that is written so far, or '' while there is none. */
  onChange: (value: Written) => void;
  /** The number for which an empty field stands; it is shown when the field is left. */
  blank?: number;
};

/** A field of one number. What is half written, such as `-` or `80.`, stays as it is while its number goes to `onChange`. */
export function NumberField({ value = '', onChange, blank, onFocus, onBlur, ...props }: NumberFieldProps): ReactNode {
  const [written, setWritten] = useState<number | string>(value);
  const [isLeft, setLeft] = useState(false);
  const number = numberOf(written);
  const shown = (number === '' ? (blank ?? '') : number) === value ? written : value;
  const isWrong = isLeft && shown !== '' && numberOf(shown) === '';
  return (
    <NumberInput
      allowNegative={!(Number(props.min) >= 0)}
      {...props}
      {...(isWrong ? { error: 'This is no number of at most 15 digits.' } : {})}
      value={shown}
      onChange={(next) => {
        setWritten(next);
        onChange(numberOf(next));
      }}
      onFocus={(event) => {
        setLeft(false);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setLeft(true);
        if (shown === '') setWritten(value);
        onBlur?.(event);
      }}
    />
  );
}

/** The number that is written; '' for what is none, and for a whole one that would lose its last digits. */
function numberOf(written: number | string): Written {
  if (typeof written === 'string' && written.trim() === '') return '';
  const number = Number(written);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : '';
}
