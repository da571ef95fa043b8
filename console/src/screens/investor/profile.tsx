import { List, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { type Report, sendFile } from '../../app/send-file.ts';
import { FileDrop } from '../../ui/file-drop.tsx';
import { bytes, Day, money, When, words } from '../../ui/format.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';

const OFFERINGS: Record<Records['Offering'], string> = { '144A': 'Rule 144A', '506C': 'Rule 506(c)', REG_S: 'Regulation S' };
const FORMS: readonly { value: Records['TaxForm']; label: string }[] = [
  { value: 'W9_FORM', label: 'W-9 (U.S. person)' },
  { value: 'W8_FORM', label: 'W-8 (not a U.S. person)' },
];

/** What the platform knows of the investor for its compliance checks, what each kind of offering lacks, and the tax form. */
export function Profile(): ReactNode {
  const profile = useQuery({ queryKey: ['profile'], queryFn: () => sent(api.GET('/v1/api/investor/profile')) });
  return (
    <Page title="Compliance profile" about="What the checks of commitments go by. The operator of the platform sets it.">
      <Read from={profile}>
        {({ data }) => (
          <>
            {data.profile ? (
              <Known profile={data.profile} />
            ) : (
              <Note>There is no profile yet: every commitment fails its checks. File your tax form and ask the operator.</Note>
            )}
            <Part title="Kinds of offerings">
              <List size="sm" spacing="xs" listStyleType="none">
                {data.offerings.map(({ offering, result, lacks }) => (
                  <List.Item key={offering}>
                    {OFFERINGS[offering]} <Status of={result} />{' '}
                    <Text span size="sm" c="dimmed">
                      {lacks.length === 0
                        ? 'Nothing is missing.'
                        : lacks.map(({ check, reason }) => `${words(check)}: ${reason}`).join(' ')}
                    </Text>
                  </List.Item>
                ))}
              </List>
            </Part>
            <Part title="Tax form">
              <Stack gap="sm" maw={640}>
                {data.filing ? <Filed filing={data.filing} /> : <Text size="sm">No tax form has been filed here.</Text>}
                <FileForm />
              </Stack>
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}

const yes = (value: boolean): string => (value ? 'Yes' : 'No');

const Known = ({ profile }: { profile: Records['ComplianceProfile'] }): ReactNode => (
  <Facts
    facts={[
      ['KYC', <Status key="kyc" of={profile.kyc_status} />],
      ['KYC expires on', profile.kyc_expires_on ? <Day key="expires" at={profile.kyc_expires_on} /> : 'Never'],
      ['Sanctions', <Status key="sanctions" of={profile.sanctions_status} />],
      ['Tax form', profile.tax_form ? words(profile.tax_form) : 'None'],
      ['Qualified institutional buyer', yes(profile.qib)],
      ['Accredited investor', yes(profile.accredited)],
      ['U.S. person', yes(profile.us_person)],
      ['ERISA plan', yes(profile.erisa_plan)],
      ['Most in one deal', profile.concentration_limit ? money(profile.concentration_limit) : 'No limit'],
    ]}
  />
);

const Filed = ({ filing }: { filing: Records['ProfileDocument'] }): ReactNode => (
  <Text size="sm" component="div">
    <Status of={filing.status} /> {filing.file_name}, {words(filing.document_type)}, version {filing.version},{' '}
    {bytes(filing.size)}, filed <When at={filing.created_at} />.{' '}
    {filing.status === 'PENDING' && 'It waits for the operator, who then sets the profile.'}
  </Text>
);

function FileForm(): ReactNode {
  const allowed = can(useMe(), 'EDIT');
  const [form, setForm] = useState<Records['TaxForm'] | null>(null);
  const send = async (file: File, report: Report): Promise<void> => {
    const about = form ? { documentType: form } : {};
    const { data } = await sent(
      api.POST('/v1/api/investor/profile/documents/initiate', { body: { ...about, fileName: file.name } }),
    );
    await sendFile(data.upload_url, data.upload_headers, file, report);
    await sent(
      api.POST('/v1/api/investor/profile/documents/complete', {
        body: { ...about, fileName: data.file_name, fileKey: data.file_key },
      }),
    );
  };
  return (
    <>
      <Select label="Form" placeholder="Which form the file is" data={FORMS} value={form} onChange={setForm} />
      <FileDrop
        name="Tax form"
        question="Drop the signed form here, or choose a file"
        kinds="PDF"
        act="File the form"
        blocked={allowed ? (form ? null : 'Choose the form first.') : 'This needs the right EDIT.'}
        send={send}
      />
    </>
  );
}
