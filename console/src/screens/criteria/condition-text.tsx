import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { readJson } from '../../ui/read-json.ts';
import { type Condition, isRecord } from './language.ts';

type Props = { label: string; condition: Condition; onChange: (condition: Condition) => void };

const written = (condition: Condition): string => JSON.stringify(condition, null, 1);

/** A condition as it is written in JSON: nothing of it is lost, and it is taken over when it can be read. */
export function ConditionText({ label, condition, onChange }: Props): ReactNode {
  const [text, setText] = useState(() => written(condition));
  const [wrong, setWrong] = useState<string | null>(null);
  const [of, setOf] = useState(condition);
  // The other tab, or another version, may have changed what is edited here.
  if (of !== condition) {
    setOf(condition);
    setText(written(condition));
  }
  const take = (): void => {
    const read = readJson(text);
    if ('problem' in read) return setWrong(read.problem);
    if (!isRecord(read.value)) return setWrong('A condition is an object in braces.');
    setWrong(null);
    onChange(read.value);
  };
  return (
    <Stack gap={4} className="grow">
      <Textarea
        size="xs"
        aria-label={`${label} as text`}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'id' }}
        value={text}
        error={wrong}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => text !== written(condition) && take()}
      />
      <Group gap="xs">
        <Button size="compact-xs" variant="default" disabled={text === written(condition)} onClick={take}>
          Take over
        </Button>
        <Text size="xs" c="dimmed">
          {text === written(condition) ? 'In the words of the rule language.' : 'Not taken over yet.'}
        </Text>
      </Group>
    </Stack>
  );
}
