import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { numberOfCell } from './amount.ts';

type Written = number | '';

const POINT = ['.'];
const POINT_OR_COMMA = ['.', ','];
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
  const isSigned = !(Number(props.min) >= 0);
  const number = numberOf(written);
  const shown = (number === '' ? (blank ?? '') : number) === value ? written : value;
  const isWrong = isLeft && shown !== '' && numberOf(shown) === '';
  return (
    <NumberInput
      allowNegative={isSigned}
      // Where the field writes commas between thousands, people type them there too: it takes them for points by itself.
      allowedDecimalSeparators={props.thousandSeparator === ',' ? POINT : POINT_OR_COMMA}
      {...props}
      {...(isWrong ? { error: 'This is no number of at most 15 digits.' } : {})}
      value={shown}
      onChange={(next) => {
        setWritten(next);
        onChange(numberOf(next));
      }}
      onPasteCapture={(event) => {
        const pasted = numberOfCell(event.clipboardData.getData('text'));
        if (pasted === null || (pasted < 0 && !isSigned)) return;
        event.preventDefault();
        event.stopPropagation();
        setWritten(pasted);
        onChange(numberOf(pasted));
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
