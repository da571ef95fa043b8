import { send } from '../lib/api.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form, optionsOf } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card } from '../parts/page.ts';
import { problem } from '../parts/problem.ts';
import type { ComplianceProfile, Organization } from '../wire/api.ts';

const UNKNOWN: ComplianceProfile = {
  kyc_status: 'PENDING',
  kyc_expires_on: null,
  sanctions_status: 'REVIEW',
  qib: false,
  accredited: false,
  us_person: false,
  tax_form: null,
  erisa_plan: false,
  concentration_limit: null,
};
const MARKS = {
  qib: 'Qualified institutional buyer (Rule 144A)',
  accredited: 'Accredited investor (Rule 506(c))',
  us_person: 'U.S. person (Regulation S)',
  erisa_plan: 'Benefit plan investor under ERISA',
} as const;

type Props = { organization: Organization; after: () => void };

/** The basis of the compliance checks of subscriptions and orders; each change is in the audit log. */
export function EditComplianceProfile({ organization, after }: Props): VNode {
  const [profile, setProfile] = useState<ComplianceProfile>({ ...UNKNOWN, ...organization.profile });
  const saving = useAction(async () => {
    await send('PUT', `/v1/operator/organizations/${organization.organization_id}/profile`, profile);
    notify('The compliance profile is saved.');
    after();
  });
  const change = (changes: Partial<ComplianceProfile>): void => setProfile({ ...profile, ...changes });
  const shared = { problem: saving.problem };
  return card(
    'Compliance profile',
    html`
      ${!organization.profile && html`<p class="note warn">There is no profile yet: the commitments of this organization fail their checks.</p>`}
      ${form(
        () => void saving.run(),
        html`<div class="grid">
          ${field({ ...shared, name: 'kyc_status', label: 'KYC', value: profile.kyc_status, set: (value) => change({ kyc_status: value }), options: optionsOf(['VERIFIED', 'PENDING', 'REJECTED']) })}
          ${field({ ...shared, name: 'kyc_expires_on', label: 'KYC holds until', type: 'date', value: profile.kyc_expires_on ?? '', set: (value) => change({ kyc_expires_on: value || null }), hint: 'Empty: no end.' })}
          ${field({ ...shared, name: 'sanctions_status', label: 'Sanctions', value: profile.sanctions_status, set: (value) => change({ sanctions_status: value }), options: optionsOf(['CLEAR', 'REVIEW', 'HIT']) })}
          ${field({ ...shared, name: 'tax_form', label: 'Tax form', value: profile.tax_form ?? '', set: (value) => change({ tax_form: value || null }), options: optionsOf(['W9_FORM', 'W8_FORM'], 'None') })}
          ${field({ ...shared, name: 'concentration_limit', label: 'Most in one deal', type: 'number', value: String(profile.concentration_limit ?? ''), set: (value) => change({ concentration_limit: value ? Number(value) : null }), hint: 'Held and committed; empty: no limit.', attributes: { min: 0, step: 'any', inputmode: 'decimal' } })}
        </div>`,
        html`<fieldset class="choices across">
          <legend>Investor</legend>
          ${(Object.keys(MARKS) as (keyof typeof MARKS)[]).map(
            (name) => html`<label>
              <input type="checkbox" name=${name} checked=${profile[name]} onChange=${() => change({ [name]: !profile[name] })} />
              <span>${MARKS[name]}</span>
            </label>`,
          )}
        </fieldset>`,
        problem(saving.problem),
        html`<button type="submit" class="primary" disabled=${saving.busy}>Save the profile</button>`,
      )}
    `,
  );
}
