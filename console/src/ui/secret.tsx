import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A secret in the only moment in which it is shown. */
export const Secret = ({
  title,
  value,
  note,
  close,
}: {
  title: string;
  value: string;
  note: string;
  close: () => void;
}): ReactNode => (
  <Alert color="yellow" title={title} withCloseButton onClose={close} closeButtonLabel="I have stored it">
    <Text size="sm">{note}</Text>
    <Group mt="xs" gap="xs">
      <Code fz="sm" className="secret">
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  </Alert>
);
