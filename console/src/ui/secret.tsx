import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useUnsaved } from './unsaved.ts';

/** A secret in the only moment in which it is shown; who leaves it before it was copied or saved is asked. */
export const Secret = ({
  title,
  value,
  note,
  saved = false,
  close,
}: {
  title: string;
  value: string;
  note: string;
  /** Whether it was saved in another way than by copying it. */
  saved?: boolean;
  close: () => void;
}): ReactNode => {
  const [isCopied, setCopied] = useState(false);
  useUnsaved(!isCopied && !saved, 'It is shown only now, and was not copied. Leave it?');
  return (
    <Alert color="yellow" title={title} withCloseButton onClose={close} closeButtonLabel="I have stored it">
      <Text size="sm">{note}</Text>
      <Group mt="xs" gap="xs">
        <Code fz="sm" className="secret">
          {value}
        </Code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                copy();
                setCopied(true);
              }}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Alert>
  );
};
