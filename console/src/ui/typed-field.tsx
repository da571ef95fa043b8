import { Textarea, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useTellUnread } from './unread.tsx';
import { type Parsed, textOf, valueOf } from './value-text.ts';

type Props = {
  label: string;
  /** Whether the label is for readers of screens alone. */
  quiet?: boolean;
  value: unknown;
  set: (value: unknown) => void;
  problems?: readonly string[];
  placeholder?: string;
  /** How the value is written and read, where it is not a number, a word or JSON. */
  write?: (value: unknown) => string;
  read?: (text: string) => Parsed;
  long?: boolean;
};

/** A value of the structure language: taken when the field is left, and told where it cannot be read. */
export function TypedField({
  label,
  quiet = false,
  value,
  set,
  problems = [],
  placeholder = '',
  write = textOf,
  read = valueOf,
  long = false,
}: Props): ReactNode {
  const known = write(value);
  const [text, setText] = useState(known);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setText(known);
    setProblem(null);
  }, [known]);
  const take = (): void => {
    if (text === known) return setProblem(null);
    const parsed = read(text);
    if ('problem' in parsed) return setProblem(parsed.problem);
    setProblem(null);
    set(parsed.value);
  };
  useTellUnread(label, problem !== null);
  const error = [...(problem ? [problem] : []), ...problems].join(' ');
  const props = {
    size: 'xs' as const,
    ...(quiet ? { 'aria-label': label } : { label }),
    placeholder,
    value: text,
    error: error === '' ? false : error,
    onBlur: take,
  };
  return long ? (
    <Textarea
      {...props}
      autosize
      minRows={2}
      maxRows={14}
      classNames={{ input: 'code' }}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  ) : (
    <TextInput
      {...props}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && take()}
    />
  );
}

const SPACES = 2;

/** Parts that no field shows, kept and edited as JSON. */
export const JsonField = (props: Omit<Props, 'write' | 'read' | 'long'>): ReactNode => (
  <TypedField
    {...props}
    long
    write={(value) => (value === undefined ? '' : JSON.stringify(value, null, SPACES))}
    read={(text) => {
      const parsed = valueOf(text);
      return 'problem' in parsed || typeof parsed.value !== 'string' ? parsed : { problem: 'Write JSON.' };
    }}
  />
);
