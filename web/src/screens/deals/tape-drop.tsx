import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { bytes, share } from '../../ui/format.tsx';
import { Problem } from '../../ui/problem.tsx';

type Format = Records['TapeFormat'];
export type Report = (sentBytes: number, allBytes: number) => void;

const FORMATS: Record<string, Format> = {
  csv: 'text/csv',
  txt: 'text/csv',
  tsv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
};

const formatOf = (name: string): Format | undefined => FORMATS[name.split('.').at(-1)?.toLowerCase() ?? ''];

type Props = { blocked: string | null; send: (file: File, format: Format, report: Report) => Promise<void> };

/** A place for a tape: dropped or chosen, then sent with its progress in bytes. */
export function TapeDrop({ blocked, send }: Props): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null);
  const client = useQueryClient();
  const sending = useMutation({
    mutationFn: async (chosen: File) => {
      const format = formatOf(chosen.name);
      if (!format)
        throw new ApiFailure(0, {
          message: `${chosen.name} is no tape that is read: CSV, XLSX and Parquet are.`,
          code: 'NOT_SENT',
        });
      await send(chosen, format, (done, all) => setProgress({ done, all }));
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
        inputProps={{ 'aria-label': 'Loan tape' }}
        p="lg"
      >
        <Stack gap={2} align="center">
          <Text size="sm" fw={600}>
            {file ? file.name : 'Drop a loan tape here, or choose a file'}
          </Text>
          <Text size="xs" c="dimmed">
            {file ? `${bytes(file.size)} · choose another` : 'CSV, XLSX or Parquet'}
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
          Send the tape
        </Button>
      </Group>
    </Stack>
  );
}

/** Sends the bytes to where the API says, then has them checked. */
export async function sendTape(
  tape: Pick<Records['InitiatedTape'], 'deal_id' | 'file_name' | 'upload_url' | 'upload_headers'>,
  file: File,
  report: Report,
): Promise<void> {
  await put(tape.upload_url, tape.upload_headers, file, report);
  await sent(api.POST('/v1/api/originator/loans/complete', { body: { dealId: tape.deal_id, fileName: tape.file_name } }));
}

/** `fetch` does not say how many bytes have been sent. */
function put(url: string, headers: Record<string, unknown>, file: File, report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // The gateway may be known by several names: the bytes go to the one of this page.
    const { pathname, search, host } = new URL(url, location.href);
    request.open('PUT', host === location.host ? `${pathname}${search}` : url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, String(value));
    request.upload.addEventListener('progress', ({ loaded, total }) => report(loaded, total));
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusalOf(request))));
    request.addEventListener('error', () =>
      reject(
        new ApiFailure(0, {
          message: 'The connection broke while the tape was sent. Send it again: nothing was kept.',
          code: 'UNREACHABLE',
        }),
      ),
    );
    request.send(file);
  });
}

function refusalOf({ status, responseText }: XMLHttpRequest): ApiFailure {
  try {
    return new ApiFailure(status, JSON.parse(responseText) as object);
  } catch {
    return new ApiFailure(status, { message: `The tape was refused with status ${status}.` });
  }
}
