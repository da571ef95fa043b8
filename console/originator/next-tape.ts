import { send } from '../lib/api.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field } from '../parts/form.ts';
import type { InitiatedTape } from '../wire/api.ts';
import type { Deal } from '../wire/contents.ts';
import { sendTape } from './send-tape.ts';

const MODES = [
  { value: 'MERGE', text: 'Corrected or new rows: merged into the tape' },
  { value: 'REPLACE', text: 'A whole tape: replaces this one' },
];

/** A corrected tape for the same deal: a new version, checked like the first. */
export function NextTape({ deal, sent }: { deal: Deal; sent: () => void }): VNode {
  const [mode, setMode] = useState('MERGE');
  return html`
    <details class="group">
      <summary><strong>Send a corrected tape</strong> <span class="fine">becomes the next version${deal.qc.waiting && `, in place of version ${deal.qc.waiting.version}, which waits`}</span></summary>
      <div class="inside">
        <p class="fine">The correctable file is merged by its row numbers in either case, other rows by loan id.</p>
        ${field({ name: 'mode', label: 'What the file holds', value: mode, set: setMode, options: MODES })}
        ${sendTape({ sent, start: (file) => send<InitiatedTape>('POST', `/v1/api/originator/loans/${deal.id}/tapes`, { ...file, mode }) })}
      </div>
    </details>
  `;
}
