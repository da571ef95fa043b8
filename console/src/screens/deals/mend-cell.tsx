import { TextInput, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import type { Mends } from './mends.ts';

type Props = { finding: Records['Finding']; mends: Mends; version: number };

/** The text that a finding saw, which becomes a field when somebody wants to correct it. */
export function MendCell({ finding, mends, version }: Props): ReactNode {
  const { row_number, column, actual } = finding;
  const [open, setOpen] = useState(false);
  if (row_number === null || column === null) return <span className="id">{actual ?? '–'}</span>;
  const mend = mends.of(row_number, column);
  const label = `${column} of row ${row_number}`;
  if (open)
    return (
      <Field
        label={label}
        text={mend?.value ?? actual ?? ''}
        end={(value) => {
          setOpen(false);
          if (value !== null) mends.put(version, { row_number, column, seen: actual, value });
        }}
      />
    );
  return (
    <UnstyledButton className="mend id" title="Correct this text" onClick={() => setOpen(true)}>
      <span className="unseen">Correct {label}: </span>
      {mend ? (
        <>
          <del>{actual ?? 'empty'}</del> <ins>{mend.value === '' ? 'empty' : mend.value}</ins>
        </>
      ) : (
        (actual ?? 'empty')
      )}
    </UnstyledButton>
  );
}

function Field({ label, text, end }: { label: string; text: string; end: (value: string | null) => void }): ReactNode {
  const [value, setValue] = useState(text);
  return (
    <TextInput
      size="xs"
      w={180}
      aria-label={label}
      autoFocus
      value={value}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onChange={({ currentTarget }) => setValue(currentTarget.value)}
      onBlur={() => end(value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') end(value);
        if (key === 'Escape') end(null);
      }}
    />
  );
}
