import { send } from '../lib/api.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { problem } from '../parts/problem.ts';
import type { Pool } from '../wire/contents.ts';

/** The liabilities as the API takes them: tranches, accounts, fees, waterfall, triggers. Each fault names its exact place. */
export function PoolStructure({ pool, after }: { pool: Pool; after: () => void }): VNode {
  const [text, setText] = useState(pool.structure ? JSON.stringify(pool.structure, null, 2) : '');
  const putting = useAction(async () => {
    await send('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, parse(text));
    notify('The structure is saved.');
    after();
  });
  return html`
    <details class="group" open=${!pool.structure}>
      <summary>
        <strong>${pool.structure ? 'Change the liabilities' : 'Put the liabilities'}</strong>${' '}
        <span class="fine">tranches, accounts, fees, waterfall and triggers as data</span>
      </summary>
      <div class="inside">
        ${form(
          () => void putting.run(),
          html`<div class="field">
            <label for="in-structure">Structure (JSON)</label>
            <textarea
              id="in-structure"
              rows="16"
              spellcheck=${false}
              required
              value=${text}
              aria-describedby="at-structure"
              onInput=${(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
            ></textarea>
            <p class="fine" id="at-structure">
              The language is described under <a href="/docs">the reference</a> of <code>PUT …/structure</code>.
            </p>
          </div>`,
          problem(putting.problem),
          html`<button type="submit" class="primary" disabled=${putting.busy || text.trim() === ''}>Keep the structure</button>`,
        )}
      </div>
    </details>
  `;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON yet: ${(error as Error).message}`, { cause: error });
  }
}
