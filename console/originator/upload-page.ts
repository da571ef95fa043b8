import { send } from '../lib/api.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, optionsOf } from '../parts/form.ts';
import { card, page } from '../parts/page.ts';
import type { InitiatedTape } from '../wire/api.ts';
import { LOAN_TYPES } from '../wire/choices.ts';
import { sendTape } from './send-tape.ts';

/** A new loan deal from a tape. */
export function UploadPage(): VNode {
  const [loanType, setLoanType] = useState('');
  const [name, setName] = useState('');
  return page(
    {
      title: 'Upload a tape',
      back: { href: '#/deals', text: 'Loan deals' },
      lead: 'The tape becomes a loan deal. Its columns are matched, every row is checked, and each finding names its line.',
    },
    card(
      'New loan deal',
      html`
        <div class="grid">
          ${field({ name: 'loanType', label: 'Loan type', value: loanType, set: setLoanType, required: true, options: optionsOf(LOAN_TYPES, 'Choose…') })}
          ${field({ name: 'name', label: 'Name (optional)', value: name, set: setName, hint: 'Without one, the deal has the name of the file.', placeholder: 'Auto 2026-C' })}
        </div>
        ${sendTape({
          sent: (dealId) => go(`/deals/${dealId}`),
          blocked: loanType ? null : 'Choose the loan type first.',
          start: (file) =>
            send<InitiatedTape>('POST', '/v1/api/originator/loans/initiate', {
              loanType,
              ...file,
              ...(name.trim() ? { name: name.trim() } : {}),
            }),
        })}
      `,
    ),
  );
}
