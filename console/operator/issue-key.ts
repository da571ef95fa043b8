import { clearCache, send } from '../lib/api.ts';
import { words } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { session } from '../lib/session.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { problem } from '../parts/problem.ts';
import type { IssuedKey } from '../wire/api.ts';
import { ENVIRONMENTS, ROLES } from '../wire/choices.ts';

type Given = Record<'organization' | 'profile' | 'role' | 'environment' | 'requester' | 'use_case' | 'expires_in_days', string>;
/** `organization` is null when the form has a field for its name. */
type Props = { organization: string | null; issued: (key: IssuedKey) => void };

const inWords = (values: readonly string[]): { value: string; text: string }[] =>
  values.map((value) => ({ value, text: words(value) }));
const PROFILES = [
  { value: 'none', text: 'None yet' },
  { value: 'verified', text: 'Verified' },
];

/** Issues a key; the first key of an organization creates it. */
export function IssueKey({ organization, issued }: Props): VNode {
  const blank = {
    organization: organization ?? '',
    role: 'originator',
    environment: session.get()?.environment ?? 'development',
    requester: '',
    use_case: '',
    expires_in_days: '90',
    profile: 'none',
  };
  const [given, setGiven] = useState<Given>(blank);
  const issuing = useAction(async () => {
    const body = { ...given, expires_in_days: Number(given.expires_in_days) };
    issued(await send<IssuedKey>('POST', '/v1/operator/keys', body));
    // The organization may be new: its name is not in the cache yet.
    clearCache();
    setGiven(blank);
  });
  const input = (name: keyof Given, label: string, more: object = {}): VNode =>
    field({
      name,
      label,
      value: given[name],
      set: (value) => setGiven({ ...given, [name]: value }),
      required: true,
      problem: issuing.problem,
      ...more,
    });
  return html`
    <details class="more">
      <summary>Issue a key</summary>
      ${form(
        () => void issuing.run(),
        html`<div class="grid">
          ${organization === null && input('organization', 'Organization')}
          ${organization === null && input('profile', 'Compliance profile', { options: PROFILES, hint: 'For a new organization; the profile of an existing one does not change.' })}
          ${input('role', 'Role', { options: inWords(ROLES) })}
          ${input('environment', 'Environment', { options: inWords(ENVIRONMENTS) })}
          ${input('requester', 'Requester')} ${input('use_case', 'Use case')}
          ${input('expires_in_days', 'Days until it expires', { type: 'number', attributes: { min: 1, max: 365, step: 1, inputmode: 'numeric' } })}
        </div>`,
        problem(issuing.problem),
        html`<button type="submit" class="primary" disabled=${issuing.busy}>Issue the key</button>`,
      )}
    </details>
  `;
}
