import { Anchor, Button, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Empty, Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import type { Structure } from './draft.ts';

type Props = { pool: Records['Pool']; take: (structure: Structure) => void };

/** Structures of public deals to start from, sized to the pool. */
export function Templates({ pool, take }: Props): ReactNode {
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={show}>
        Start from a template
      </Button>
      <Modal opened={open} onClose={close} size="lg" title="Templates" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Choose pool={pool} take={take} close={close} />
      </Modal>
    </>
  );
}

function Choose({ pool, take, close }: Props & { close: () => void }): ReactNode {
  const [first, setFirst] = useState('');
  const templates = useQuery({
    queryKey: ['structure-templates'],
    queryFn: () => sent(api.GET('/v1/api/originator/structure-templates')),
  });
  const taking = useMutation({
    mutationFn: (templateId: string) =>
      sent(
        api.GET('/v1/api/originator/structure-templates/{templateId}', {
          params: {
            path: { templateId },
            query: { balance: pool.balance, ...(first === '' ? {} : { first_payment_date: first }) },
          },
        }),
      ),
    onSuccess: ({ data }) => {
      take(data.structure as Structure);
      close();
      notifications.show({
        color: 'teal',
        title: data.name,
        message:
          data.must_set.length === 0
            ? 'It stands in the form; nothing is saved yet.'
            : `It stands in the form; nothing is saved yet. Set: ${data.must_set.map(({ path }) => path).join(', ')}.`,
      });
    },
  });
  return (
    <Stack gap="sm">
      <Note color="gray">A template takes the place of what stands in the form, sized to the balance of the pool.</Note>
      <TextInput
        label="First payment date"
        type="date"
        w={200}
        value={first}
        onChange={({ currentTarget }) => setFirst(currentTarget.value)}
      />
      {taking.error && <Problem error={taking.error} />}
      <Read from={templates}>
        {({ data }) => {
          const fit = data.templates.filter(({ loan_type }) => loan_type === pool.loan_type);
          const others = data.templates.length - fit.length;
          return (
            <>
              {fit.length === 0 && <Empty>No template is made for {pool.loan_type} loans.</Empty>}
              <List spacing="sm" listStyleType="none">
                {fit.map(({ template, name, description, follows }) => (
                  <List.Item key={template}>
                    <Anchor component="button" type="button" size="sm" onClick={() => taking.mutate(template)}>
                      {name}
                    </Anchor>
                    <Text size="sm" c="dimmed">
                      {description}
                    </Text>
                    {follows.map(({ deal, scope }) => (
                      <Text key={deal} size="xs" c="dimmed">
                        After {deal}: {scope}
                      </Text>
                    ))}
                  </List.Item>
                ))}
              </List>
              {others > 0 && (
                <Text size="xs" c="dimmed">
                  {others} templates for other types of loans are not shown.
                </Text>
              )}
            </>
          );
        }}
      </Read>
    </Stack>
  );
}
