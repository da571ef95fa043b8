import { get, send } from '../lib/api.ts';
import { put } from '../lib/files.ts';
import { bytes, date, roundMoney, time, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { field } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, figures, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type ReportProgress, sendFile } from '../parts/send-file.ts';
import type { ComplianceProfile, InvestorProfile, Offering, OfferingEligibility, ProfileDocument, Upload } from '../wire/api.ts';

/** What the platform knows of the investor for its compliance checks, what each kind of offering lacks, and the tax form. */
export function Profile(): VNode {
  const profile = useLoad(() => get<InvestorProfile>('/v1/api/investor/profile'), []);
  const { data } = profile;
  return page(
    {
      title: 'Compliance profile',
      lead: data && `What the checks of ${data.organization} go by. The platform’s operator sets it.`,
    },
    shown(profile, (given) => [
      card(
        'Facts',
        given.profile
          ? factsOf(given.profile)
          : html`<p class="note warn">There is no profile yet: every commitment fails its checks. File your tax form and ask the operator.</p>`,
      ),
      card('Offerings', html`<ul class="checks" aria-label="Kinds of offerings">${given.offerings.map(offering)}</ul>`),
      card('Tax form', html`${filed(given.filing)} ${h(FileForm, { after: profile.reload })}`),
    ]),
  );
}

const yes = (value: boolean): string => (value ? 'Yes' : 'No');

const factsOf = (profile: ComplianceProfile): VNode =>
  figures([
    {
      name: 'KYC',
      value: badge(profile.kyc_status),
      note: profile.kyc_expires_on ? `until ${date(profile.kyc_expires_on)}` : 'without an end',
    },
    { name: 'Sanctions', value: badge(profile.sanctions_status) },
    { name: 'Tax form', value: profile.tax_form ? words(profile.tax_form) : 'none' },
    { name: 'Qualified institutional buyer', value: yes(profile.qib), note: 'Rule 144A' },
    { name: 'Accredited investor', value: yes(profile.accredited), note: 'Rule 506(c)' },
    { name: 'U.S. person', value: yes(profile.us_person), note: 'Regulation S' },
    { name: 'Benefit plan investor', value: yes(profile.erisa_plan), note: 'ERISA' },
    {
      name: 'Most in one deal',
      value: profile.concentration_limit ? roundMoney(profile.concentration_limit) : 'no limit',
    },
  ]);

const OFFERINGS: Record<Offering, string> = { '144A': 'Rule 144A', '506C': 'Rule 506(c)', REG_S: 'Regulation S' };

const offering = ({ offering: name, result, lacks }: OfferingEligibility): VNode => html`
  <li>
    ${badge(result)}
    <span>
      <strong>${OFFERINGS[name]}</strong>
      ${lacks.length === 0 ? html`<small>Nothing is missing.</small>` : lacks.map((each) => html`<small>${words(each.check)}: ${each.reason}</small>`)}
    </span>
  </li>
`;

const filed = (filing: ProfileDocument | null): VNode =>
  filing
    ? html`<p class="note ${filing.status === 'PENDING' ? 'busy' : ''}">
        ${badge(filing.status)} <strong>${filing.file_name}</strong>, ${words(filing.document_type)}, version ${filing.version}, ${bytes(filing.size)}, filed ${time(filing.created_at)}.
        ${filing.status === 'PENDING' && ' It waits for the operator, who then sets the profile.'}
      </p>`
    : html`<p class="note">No tax form has been filed here.</p>`;

const FORMS = [
  { value: 'W9_FORM' as const, text: 'W-9 (U.S. person)' },
  { value: 'W8_FORM' as const, text: 'W-8 (not a U.S. person)' },
];

function FileForm({ after }: { after: () => void }): VNode {
  const [documentType, setDocumentType] = useState<'W9_FORM' | 'W8_FORM'>('W9_FORM');
  return html`
    ${field({ name: 'documentType', label: 'Form', value: documentType, set: setDocumentType, options: FORMS })}
    ${sendFile({
      accept: '.pdf,.png,.jpg,.jpeg,.docx,.xlsx,.csv',
      title: 'Drop the form here, or choose a file',
      hint: 'PDF, DOCX, XLSX, CSV, PNG or JPEG of at most 25 MiB',
      button: 'File the form',
      upload: async (file, report) => {
        await fileForm(file, documentType, report);
        notify('The form is filed. The operator reviews it.');
        after();
      },
    })}
  `;
}

async function fileForm(file: File, documentType: string, report: ReportProgress): Promise<void> {
  report({ name: 'Requesting an upload address', share: 0 });
  const about = { fileName: file.name, documentType };
  const upload = await send<Upload>('POST', '/v1/api/investor/profile/documents/initiate', about);
  await put(upload, file, (share) => report({ name: `Sending: ${Math.round(share * 100)} %`, share }));
  report({ name: 'Checking the content', share: 1 });
  const named = { fileName: upload.file_name, fileKey: upload.file_key, documentType };
  await send<ProfileDocument>('POST', '/v1/api/investor/profile/documents/complete', named);
}
