import { list, send } from '../lib/api.ts';
import { date, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { Organization } from '../wire/session.ts';
import { ComplianceProfile } from './compliance-profile.ts';
import { Keys } from './keys.ts';

type Props = { id: string; query: Readonly<Record<string, string>> };

/** One organization: its compliance profile, its keys, and whether it may take part. */
export function OrganizationPage({ id: organizationId, query }: Props): VNode {
  const found = useLoad(
    async () => (await list<Organization>('/v1/operator/organizations', { organization_id: organizationId })).rows[0] ?? null,
    [organizationId],
  );
  const { data } = found;
  return page(
    {
      title: data?.name ?? 'Organization',
      back: { href: '#/organizations', text: 'Organizations' },
      lead: data && html`${data.roles.map(words).join(', ')} · since ${date(data.created_at)} · ${id(organizationId)}`,
      aside: data && html`${badge(data.status)} ${moves(data, found.reload)}`,
    },
    shown(
      found,
      (given) =>
        given && [
          h(ComplianceProfile, { organization: given, after: found.reload, key: JSON.stringify(given.profile) }),
          h(Keys, { query, organization: given }),
        ],
    ),
  );
}

function moves(organization: Organization, after: () => void): VNode {
  const path = `/v1/operator/organizations/${organization.organization_id}`;
  return organization.status === 'ACTIVE'
    ? act({
        text: 'Suspend',
        tone: 'danger',
        question: {
          title: `Suspend ${organization.name}?`,
          text: 'Its keys are refused within 2 seconds.',
          yes: 'Suspend',
          tone: 'danger',
          reason: 'optional',
        },
        act: (reason) => send('POST', `${path}/suspend`, reason ? { reason } : {}),
        done: `${organization.name} is suspended.`,
        after,
      })
    : act({
        text: 'Resume',
        tone: 'primary',
        question: { title: `Resume ${organization.name}?`, text: 'Its keys work again.', yes: 'Resume', reason: 'optional' },
        act: (reason) => send('POST', `${path}/resume`, reason ? { reason } : {}),
        done: `${organization.name} takes part again.`,
        after,
      });
}
