import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { type Report, sendFile } from '../../app/send-file.ts';
import { FileDrop } from '../../ui/file-drop.tsx';
import type { ReactNode } from 'react';
import { TAPE_ENDINGS, tapeFormatOf } from 'sluice-sdk/tape-format';

type Format = Records['TapeFormat'];

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
      const format = tapeFormatOf(file.name);
      if (!format)
        throw new ApiFailure(0, {
          message: `${file.name} cannot be read as a tape: send a file that ends in ${TAPE_ENDINGS}.`,
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
