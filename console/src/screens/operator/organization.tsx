import { Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiFailure, api, type Records, sent, sentTagged } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { amount } from '../../ui/amount.ts';
import { FormEnd } from '../../ui/form.tsx';
import { Id, When, words } from '../../ui/format.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { useRecordForm } from '../../ui/record-form.tsx';
import { Status } from '../../ui/status.tsx';
import { ProfileDocuments } from './profile-documents.tsx';

type Organization = Records['Organization'];
type Profile = Records['ComplianceProfile'];

/** One organization: what it is, whether it may act, and what compliance knows of it. */
export function OrganizationPage(): ReactNode {
  const { organizationId = '' } = useParams({ strict: false });
  const params = { path: { organizationId } };
  const organization = useQuery({
    queryKey: ['organizations', organizationId, 'tagged'],
    queryFn: () => sentTagged(api.GET('/v1/operator/organizations/{organizationId}', { params })),
  });
  const data = organization.data?.envelope.data;
  return (
    <Page
      title={data?.name ?? 'Organization'}
      up={{ to: '/organizations', title: 'Organizations' }}
      acts={
        data &&
        (data.status === 'ACTIVE' ? (
          <Act
            label="Suspend"
            right="ADMIN"
            question={`All keys and people of ${data.name} are refused within 2 seconds. Its records stay.`}
            reason="optional"
            typed={data.name}
            danger
            run={(reason) =>
              sent(api.POST('/v1/operator/organizations/{organizationId}/suspend', { params, body: reason ? { reason } : {} }))
            }
            done={`${data.name} is suspended.`}
          />
        ) : (
          <Act
            label="Resume"
            right="ADMIN"
            question={`Keys and people of ${data.name} work again.`}
            reason="optional"
            run={(reason) =>
              sent(api.POST('/v1/operator/organizations/{organizationId}/resume', { params, body: reason ? { reason } : {} }))
            }
            done={`${data.name} may act again.`}
          />
        ))
      }
    >
      <Read from={organization}>
        {({ envelope: { data: found }, tag }) => (
          <>
            <Facts
              facts={[
                ['Status', <Status key="status" of={found.status} />],
                ['Roles', found.roles.map(words).join(', ')],
                ['Environments', found.environments.map(words).join(', ')],
                ['Since', <When key="since" at={found.created_at} />],
                ['Id', <Id key="id" of={found.organization_id} />],
              ]}
            />
            <Part title="Compliance profile" about="It decides what the organization may subscribe to.">
              {!found.profile && <Note>There is no profile yet: nothing can be subscribed to without one.</Note>}
              <ProfileForm key={found.organization_id} organization={found} tag={tag} />
            </Part>
            <Part
              title="Documents"
              about="What the organization has sent to show what the profile says. Saving the profile marks them as reviewed."
            >
              <ProfileDocuments organizationId={found.organization_id} />
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}

const KYC = ['VERIFIED', 'PENDING', 'REJECTED'] as const;
const SANCTIONS = ['CLEAR', 'REVIEW', 'HIT'] as const;
const TAX_FORMS: { value: Records['TaxForm']; label: string }[] = [
  { value: 'W9_FORM', label: 'W-9' },
  { value: 'W8_FORM', label: 'W-8' },
];
const NEW: Profile = {
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

const valuesOf = ({ profile }: Organization) => {
  const known = profile ?? NEW;
  return {
    ...known,
    kyc_expires_on: known.kyc_expires_on ?? '',
    concentration_limit: known.concentration_limit == null ? '' : String(known.concentration_limit),
  };
};

function ProfileForm({ organization, tag }: { organization: Organization; tag: string | null }): ReactNode {
  const { form, submit, meanwhile } = useRecordForm({
    found: { record: organization, tag },
    versionOf: ({ profile }) => JSON.stringify(profile),
    valuesOf,
    done: () => 'The profile is saved.',
    send: ({ kyc_expires_on, concentration_limit, ...rest }, ifMatch) => {
      const limit = concentration_limit === '' ? null : amount(concentration_limit);
      if (limit === undefined) {
        const field = { field: 'concentration_limit', code: 'invalid', message: 'Write an amount, such as 2500000, 250k or 5m.' };
        throw new ApiFailure(0, { message: 'The most in one deal is not an amount.', code: 'NOT_SENT', errors: [field] });
      }
      return sentTagged(
        api.PUT('/v1/operator/organizations/{organizationId}/profile', {
          params: { path: { organizationId: organization.organization_id }, ...ifMatch },
          body: { ...rest, kyc_expires_on: kyc_expires_on || null, concentration_limit: limit },
        }),
      );
    },
    savedIn: ({ data }) => ('profile' in data ? data : null),
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm" maw={640}>
        <Group grow align="flex-start">
          <Select
            label="KYC"
            allowDeselect={false}
            data={KYC.map((value) => ({ value, label: words(value) }))}
            {...form.getInputProps('kyc_status')}
          />
          <TextInput label="KYC expires on" type="date" {...form.getInputProps('kyc_expires_on')} />
        </Group>
        <Group grow align="flex-start">
          <Select
            label="Sanctions"
            allowDeselect={false}
            data={SANCTIONS.map((value) => ({ value, label: words(value) }))}
            {...form.getInputProps('sanctions_status')}
          />
          <TextInput
            label="Most in one deal (US$)"
            placeholder="2500000, 250k or 5m"
            inputMode="decimal"
            {...form.getInputProps('concentration_limit')}
          />
        </Group>
        <Select label="Tax form" clearable data={TAX_FORMS} {...form.getInputProps('tax_form')} />
        <Checkbox label="Qualified institutional buyer (Rule 144A)" {...form.getInputProps('qib', { type: 'checkbox' })} />
        <Checkbox label="Accredited investor (Rule 506(c))" {...form.getInputProps('accredited', { type: 'checkbox' })} />
        <Checkbox label="U.S. person" {...form.getInputProps('us_person', { type: 'checkbox' })} />
        <Checkbox label="ERISA plan" {...form.getInputProps('erisa_plan', { type: 'checkbox' })} />
        {meanwhile}
        <FormEnd submit={submit} label="Save the profile" />
      </Stack>
    </form>
  );
}
