import { get, send } from '../lib/api.ts';
import { count, date, money, plural, share, words } from '../lib/format.ts';
import { pollDelay, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { card, figures, id, page, tabs } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { InitiatedTape } from '../wire/api.ts';
import type { Deal } from '../wire/contents.ts';
import { DealCriteria } from './deal-criteria.ts';
import { DealFindings } from './deal-findings.ts';
import { dealHistory } from './deal-history.ts';
import { DealLoans } from './deal-loans.ts';
import { DealMapping } from './deal-mapping.ts';
import { DealRoom } from './deal-room.ts';
import { sendTape } from './send-tape.ts';
import { Strats } from './strats.ts';

type Query = Readonly<Record<string, string>>;
type Props = { id: string; tab: string; query: Query };

/** One loan deal: its figures, the results of its checks, and its actions. The page polls while the checks run. */
export function DealPage({ id: dealId, tab, query }: Props): VNode {
  const deal = useLoad(
    () => get<Deal>(`/v1/api/originator/loans/${dealId}`),
    [dealId],
    (data, polls) => (data.qc.state === 'RUNNING' ? pollDelay(polls) : null),
  );
  const { data } = deal;
  return page(
    {
      title: data?.name ?? 'Loan deal',
      back: { href: '#/deals', text: 'Loan deals' },
      lead: data && html`${data.loan_type} · ${id(data.id)}`,
      aside: data && html`${badge(data.status)} ${badge(data.market_status)} ${withdrawal(data, deal.reload)}`,
    },
    shown(deal, (given) =>
      given.status === 'DRAFT'
        ? draft(given, deal.reload)
        : [overview(given, deal.reload), ...parts(given, tab, query, deal.reload)],
    ),
  );
}

/** An approved deal leaves the platform; while a pool holds loans of it the API refuses and names the pool. */
const withdrawal = (deal: Deal, reload: () => void): VNode | false =>
  deal.status === 'APPROVED' &&
  act({
    text: 'Withdraw the deal',
    tone: 'danger',
    question: {
      title: `Withdraw ${deal.name}?`,
      text: 'It can enter no pool any more. This is final.',
      yes: 'Withdraw it',
      tone: 'danger',
      reason: 'optional',
    },
    act: (reason) => send('POST', `/v1/api/originator/loans/${deal.id}/withdraw`, reason ? { reason } : {}),
    done: 'The deal is withdrawn.',
    after: reload,
  });

function draft(deal: Deal, reload: () => void): VNode {
  return card(
    'This deal waits for its tape',
    html`
      <p>The checks begin when a file has arrived.</p>
      ${sendTape({
        sent: reload,
        start: ({ fileName, fileFormat }) =>
          send<InitiatedTape>('PATCH', `/v1/api/originator/loans/${deal.id}`, { fileName, fileFormat }),
      })}
    `,
    act({
      text: 'Delete the draft',
      tone: 'danger',
      question: {
        title: 'Delete this draft?',
        text: 'The deal and its uploads are deleted.',
        yes: 'Delete',
        tone: 'danger',
      },
      act: () => send('DELETE', `/v1/api/originator/loans/${deal.id}`),
      done: 'The draft is deleted.',
      after: () => go('/deals'),
    }),
  );
}

/** Why the checks ended without a result, and a button that starts them again. */
function failure({ id: dealId, qc, status }: Deal, reload: () => void): VNode | null {
  if (qc.state !== 'FAILED' || !['IN_REVIEW', 'QC_COMPLETED'].includes(status)) return null;
  return html`
    <p class="note bad" role="status">The checks failed. ${qc.reason}</p>
    ${act({
      text: 'Start the checks again',
      act: () => send('POST', `/v1/api/originator/loans/${dealId}/recheck`),
      done: 'The checks run again.',
      after: reload,
    })}
  `;
}

/** The version that waits because it would lose most of the deal, beside the one in force, and the two ways to decide. */
function waitingVersion({ id: dealId, qc }: Deal, reload: () => void): VNode | null {
  const { waiting } = qc;
  if (!waiting) return null;
  const { version, in_force: inForce } = waiting;
  const path = `/v1/api/originator/loans/${dealId}/tapes/${version}`;
  const loses = [
    waiting.lost_loans > 0 && plural(waiting.lost_loans, 'loan'),
    waiting.lost_balance > 0 && `a balance of ${money(waiting.lost_balance)}`,
  ].filter(Boolean);
  return card(
    `Version ${version} waits for your confirmation`,
    html`
      <p class="note warn" role="status">
        ${waiting.file_name} would lose more than half of the deal, so version ${inForce.version} stays in force until you decide.
      </p>
      ${figures([
        { name: 'Loans', value: count(waiting.loan_count), note: `${count(inForce.loan_count)} in force` },
        { name: 'Balance', value: money(waiting.total_balance), note: `${money(inForce.total_balance)} in force` },
        { name: 'Would be lost', value: loses.join(' and '), tone: 'bad' },
      ])}
      <div class="buttons">
        ${act({
          text: `Drop version ${version}`,
          tone: 'primary',
          act: () => send('DELETE', path),
          done: `Version ${version} is dropped; version ${inForce.version} stays in force.`,
          after: reload,
        })}
        ${act({
          text: `Put version ${version} in force`,
          tone: 'danger',
          question: {
            title: `Put version ${version} in force?`,
            text: `The deal loses ${loses.join(' and ')}.`,
            yes: 'Put it in force',
            tone: 'danger',
          },
          act: () => send('POST', `${path}/confirm`),
          done: `Version ${version} is in force.`,
          after: reload,
        })}
      </div>
    `,
  );
}

/** The checks that run, with the stage that they have reached. */
function running({ qc }: Deal): VNode | null {
  if (qc.state !== 'RUNNING') return null;
  const { progress } = qc;
  const stage = progress && ` ${words(progress.stage)}: ${share(progress.done / Math.max(1, progress.total), 0)}.`;
  return html`<p class="note busy" role="status"><span class="spinner" aria-hidden="true"></span> The checks run.${stage} This page follows them.</p>`;
}

function overview(deal: Deal, reload: () => void): VNode {
  const { qc } = deal;
  return html`
    ${running(deal)}
    ${waitingVersion(deal, reload)}
    ${
      qc.state === 'NEEDS_MAPPING' &&
      html`<p class="note warn" role="status">No column could be read as the amount. <a href="#/deals/${deal.id}/mapping">Say which column it is</a>, and the checks run again.</p>`
    }
    ${failure(deal, reload)}
    ${rejection(deal)}
    ${figures([
      { name: 'Loans', value: count(deal.loan_count), note: `of ${plural(qc.rows, 'row')}` },
      {
        name: 'Balance',
        value: money(deal.total_balance),
        note: qc.balance_basis === 'ORIGINAL' && 'original balances: the tape has no current ones',
      },
      { name: 'Rejected rows', value: count(qc.rejected), tone: qc.rejected > 0 ? 'bad' : 'good' },
      { name: 'Warnings', value: count(deal.issue_counts.warning), tone: deal.issue_counts.warning > 0 ? 'warn' : 'good' },
      { name: 'As of', value: date(deal.as_of_date), note: deal.tape_version && `tape version ${deal.tape_version}` },
    ])}
  `;
}

function rejection(deal: Deal): VNode | null {
  const last = deal.history.at(-1);
  return deal.status === 'REJECTED' && last
    ? html`<p class="note bad">Rejected: ${last.reason ?? 'no reason was given'}</p>`
    : null;
}

function parts(deal: Deal, tab: string, query: Query, reload: () => void): VNode[] {
  const at = (name: string): string => `#/deals/${deal.id}/${name}`;
  const key = `${deal.tape_version}-${deal.qc.state}-${deal.qc.waiting?.version}`;
  const found = deal.issue_counts.error + deal.issue_counts.warning;
  return [
    tabs(
      [
        { href: at('findings'), text: 'Findings', count: found },
        { href: at('mapping'), text: 'Mapping' },
        { href: at('criteria'), text: 'Criteria' },
        { href: at('strats'), text: 'Stratification' },
        { href: at('loans'), text: 'Loans' },
        { href: at('documents'), text: 'Documents' },
        { href: at('history'), text: 'History' },
      ],
      at(tab),
    ),
    tab === 'mapping'
      ? h(DealMapping, { deal, key, reload })
      : tab === 'criteria'
        ? h(DealCriteria, { deal, query, key })
        : tab === 'strats'
          ? h(Strats, { of: 'deals', id: deal.id, loanType: deal.loan_type, query, key })
          : tab === 'loans'
            ? h(DealLoans, { deal, query, key })
            : tab === 'documents'
              ? h(DealRoom, { deal: deal.id, at: at('documents'), query })
              : tab === 'history'
                ? dealHistory(deal)
                : h(DealFindings, { deal, query, key, reload }),
  ];
}
