import { Select, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Part } from '../../ui/page.tsx';
import type { Deal } from './deal-data.ts';
import { sendTape, TapeDrop } from './tape-drop.tsx';

const MODES: { value: Records['TapeMode']; label: string }[] = [
  { value: 'REPLACE', label: 'The whole tape again' },
  { value: 'MERGE', label: 'Corrected and new rows only' },
];

/** The next tape of a deal: the first one, the whole again, or corrected rows. */
export function NextTape({ deal, start = 'REPLACE' }: { deal: Deal; start?: Records['TapeMode'] }): ReactNode {
  const [mode, setMode] = useState<Records['TapeMode']>(start);
  const first = deal.status === 'DRAFT';
  return (
    <Part title={first ? 'Send the tape' : 'Send a correction'}>
      <Stack gap="sm" maw={640}>
        {!first && (
          <Select
            label="What the file has"
            allowDeselect={false}
            data={MODES}
            value={mode}
            onChange={(value) => setMode(value === 'MERGE' ? 'MERGE' : 'REPLACE')}
          />
        )}
        <TapeDrop
          blocked={null}
          send={async (file, fileFormat, report) => {
            const params = { path: { dealId: deal.deal_id } };
            const body = { fileName: file.name, fileFormat, fileSize: file.size };
            const { data } = first
              ? await sent(api.PATCH('/v1/api/originator/loans/{dealId}', { params, body }))
              : await sent(api.POST('/v1/api/originator/loans/{dealId}/tapes', { params, body: { ...body, mode } }));
            await sendTape(data, file, report);
          }}
        />
      </Stack>
    </Part>
  );
}
