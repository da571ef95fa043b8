import { getTagged, send, type Tagged } from '../lib/api.ts';
import { date, money, percent, plural, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { compared, differencesOf, differing } from '../parts/differences.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { OperatorRemittance } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

/** A servicer report with the figures that differ from its structure, and the decision about them. */
export function ReportPage({ id: remittanceId }: { id: string }): VNode {
  const path = `/v1/operator/remittances/${remittanceId}`;
  const nameOf = useOrganizations();
  const report = useLoad(() => getTagged<OperatorRemittance>(path), [path]);
  const { data } = report;
  return page(
    {
      title: data ? `${data.record.pool_name}, period ${data.record.period}` : 'Servicer report',
      back: { href: '#/reports', text: 'Servicer reports' },
      lead: data && html`${nameOf(data.record.organization_id)} · ${id(remittanceId)}`,
      aside: data && html`${badge(data.record.status)} ${isOpen(data.record) && accept(data, report.reload)}`,
    },
    shown(report, ({ record }) => [
      figures([
        { name: 'Payment date', value: date(record.payment_date) },
        { name: 'Pool balance', value: money(record.pool.pool_balance) },
        { name: 'CPR', value: percent(record.pool.cpr) },
        { name: 'CDR', value: percent(record.pool.cdr) },
        { name: 'Cumulative net loss', value: percent(record.pool.cumulative_net_loss) },
      ]),
      standing(record),
      record.verification.status === 'DIFFERS' && card('Figures that differ', differing(record)),
      ...(record.verification.recorded_fixings ?? []).map(
        ({ index, date: day, rate }) =>
          html`<p class="fine">It gives no fixing of ${index}: ${percent(rate, 5)} is on record for ${date(day)}.</p>`,
      ),
      html`<details class="group">
        <summary><strong>All figures</strong> <span class="fine">${plural(record.verification.lines.length, 'figure')}</span></summary>
        <div class="dense">${compared(record)}</div>
      </details>`,
    ]),
  );
}

/** It differs, and nobody has signed it off. */
const isOpen = ({ status, verification, accepted_at }: OperatorRemittance): boolean =>
  status !== 'APPLIED' && verification.status === 'DIFFERS' && accepted_at === null;

function standing(report: OperatorRemittance): VNode | null {
  const { status, verification, accepted_at, accepted_reason } = report;
  if (accepted_at) return html`<p class="note">Accepted ${time(accepted_at)}: ${accepted_reason}</p>`;
  if (verification.status === 'PARTIAL' && verification.missing.length > 0)
    return html`<p class="note">It could not be recomputed: ${verification.missing.join(', ')} not reported.</p>`;
  if (!isOpen(report)) return null;
  return status === 'HELD'
    ? html`<p class="note warn">Nobody is paid by it until it is accepted or its servicer sends other figures.</p>`
    : html`<p class="note warn">It will be held on its payment date unless it is accepted or its servicer sends other figures.</p>`;
}

/** Accepts the figures that are on the page: where others were sent meanwhile, it is refused. */
const accept = ({ record, tag }: Tagged<OperatorRemittance>, after: () => void): VNode =>
  act({
    text: 'Accept',
    tone: 'primary',
    question: {
      title: `Accept period ${record.period} of ${record.pool_name}?`,
      text: `${plural(differencesOf(record).length, 'figure')} that differ${differencesOf(record).length === 1 ? 's' : ''} from the structure ${record.status === 'HELD' ? 'are in force at once, and holders are paid by the report' : 'are in force on the payment date'}.`,
      yes: 'Accept',
      reason: 'required',
    },
    act: (reason) => send('POST', `/v1/operator/remittances/${record.remittance_id}/accept`, { reason }, tag),
    done: `The report of period ${record.period} is accepted.`,
    after,
  });
