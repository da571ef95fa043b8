import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { type Report, sendFile } from '../../app/send-file.ts';
import { FileDrop } from '../../ui/file-drop.tsx';
import type { ReactNode } from 'react';

type Format = Records['TapeFormat'];
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
export const TapeDrop = ({ blocked, send }: Props): ReactNode => (
  <FileDrop
    name="Loan tape"
    question="Drop a loan tape here, or choose a file"
    kinds="CSV, XLSX or Parquet"
    act="Send the tape"
    blocked={blocked}
    send={async (file, report) => {
      const format = formatOf(file.name);
      if (!format)
        throw new ApiFailure(0, {
          message: `${file.name} is no tape that is read: CSV, XLSX and Parquet are.`,
          code: 'NOT_SENT',
        });
      await send(file, format, report);
    }}
  />
);

/** Sends the bytes to where the API says, then has them checked. */
export async function sendTape(
  tape: Pick<Records['InitiatedTape'], 'deal_id' | 'file_name' | 'upload_url' | 'upload_headers'>,
  file: File,
  report: Report,
): Promise<void> {
  await sendFile(tape.upload_url, tape.upload_headers, file, report);
  await sent(api.POST('/v1/api/originator/loans/complete', { body: { dealId: tape.deal_id, fileName: tape.file_name } }));
}
