import { List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Note, Part } from '../../ui/page.tsx';

type Sentence = { text: string; clause: string | null };

/** How a pool pays, in sentences: tranches, fees, accounts, steps in their order, triggers and calls. */
export function Terms({ terms }: { terms: Records['StructureExplanation'] }): ReactNode {
  const parts: [title: string, sentences: readonly Sentence[]][] = [
    ['Tranches', terms.tranches],
    ['Fees', terms.fees],
    ['Accounts', terms.accounts],
    ['Steps, in their order', terms.steps],
    ['Triggers', terms.triggers],
    ['Calls', terms.calls],
  ];
  return (
    <Stack gap="lg" maw={900}>
      {terms.findings.map(({ path, message }) => (
        <Note key={`${path} ${message}`} title={path}>
          {message}
        </Note>
      ))}
      <Part title="Payment" about={`Version ${terms.structure_version} of the structure.`}>
        {terms.payment.map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
      </Part>
      {parts
        .filter(([, sentences]) => sentences.length > 0)
        .map(([title, sentences]) => (
          <Part key={title} title={title}>
            <List size="sm" spacing={4} type={title.startsWith('Steps') ? 'ordered' : 'unordered'}>
              {sentences.map(({ text, clause }) => (
                <List.Item key={text}>
                  {text}{' '}
                  {clause && (
                    <Text span size="xs" c="dimmed">
                      {clause}
                    </Text>
                  )}
                </List.Item>
              ))}
            </List>
          </Part>
        ))}
    </Stack>
  );
}
