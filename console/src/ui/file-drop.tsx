import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Report } from '../app/send-file.ts';
import { bytes, share } from './format.tsx';
import { Problem } from './problem.tsx';

type Props = {
  name: string;
  /** What stands in the place before a file is chosen. */
  question: string;
  kinds: string;
  act: string;
  /** Why it cannot be sent yet. */
  blocked: string | null;
  send: (file: File, report: Report) => Promise<unknown>;
};

/** A place for a file: dropped or chosen, then sent with its progress in bytes. */
export function FileDrop({ name, question, kinds, act, blocked, send }: Props): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null);
  const client = useQueryClient();
  const sending = useMutation({
    mutationFn: async (chosen: File) => {
      await send(chosen, (done, all) => setProgress({ done, all }));
    },
    onSuccess: () => {
      setFile(null);
      void client.invalidateQueries();
    },
    onSettled: () => setProgress(null),
  });
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={(files: File[]) => setFile(files[0] ?? null)}
        multiple={false}
        disabled={sending.isPending}
        inputProps={{ 'aria-label': name }}
        p="lg"
      >
        <Stack gap={2} align="center">
          <Text size="sm" fw={600}>
            {file ? file.name : question}
          </Text>
          <Text size="xs" c="dimmed">
            {file ? `${bytes(file.size)} · choose another` : kinds}
          </Text>
        </Stack>
      </Dropzone>
      {progress && (
        <div role="status">
          <Progress value={progress.all === 0 ? 0 : (100 * progress.done) / progress.all} aria-label="Sent" />
          <Text size="xs">
            {bytes(progress.done)} of {bytes(progress.all)} sent ({share(progress.done, progress.all)})
          </Text>
        </div>
      )}
      {sending.error && <Problem error={sending.error} />}
      <Group justify="flex-end" gap="xs">
        {blocked && (
          <Text size="xs" c="dimmed">
            {blocked}
          </Text>
        )}
        <Button disabled={!file || blocked !== null} loading={sending.isPending} onClick={() => file && sending.mutate(file)}>
          {act}
        </Button>
      </Group>
    </Stack>
  );
}
