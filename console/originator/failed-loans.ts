import { list, send, withQuery } from '../lib/api.ts';
import { download } from '../lib/files.ts';
import { count, money, plain } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { filter } from '../parts/form.ts';
import { card } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { CriteriaRun, LoanOutcome } from '../wire/api.ts';
import type { CriteriaSet } from '../wire/contents.ts';

type Props = { run: CriteriaRun; set: CriteriaSet; query: Readonly<Record<string, string>> };
type Failure = LoanOutcome['failures'][number];

/** The loans that a run keeps out, each with every reason; the exception file has them in the tape's own columns. */
export function FailedLoans({ run, set, query }: Props): VNode {
  const { rule = '', page: at = '1' } = query;
  const path = `/v1/api/originator/sc/jobs/${run.sc_job_id}/loans`;
  const loans = useLoad(
    () => list<LoanOutcome>(path, { outcome: 'FAILED', rule, page: at, limit: 25 }),
    [run.sc_job_id, rule, at],
  );
  const file = (format: string) => (): Promise<void> =>
    download(withQuery(`/v1/api/originator/sc/exceptions/${run.exception_file_id}/download`, { format }));
  const rules = set.loan_rules.map((each) => each.id);
  return card(
    'Loans that fail',
    html`
      <div class="filters">${filter('rule', 'Rule', rules, rule)}</div>
      ${shown(loans, (data) => [
        table({ caption: 'Loans that fail', columns: columnsOf(run, set), rows: data.rows, empty: 'No loan fails this rule.' }),
        pager(data),
      ])}
    `,
    run.exception_file_id &&
      html`<span class="fine">Exception file:</span> ${['csv', 'xlsx', 'json'].map((format) => act({ text: format.toUpperCase(), act: file(format) }))}`,
  );
}

const columnsOf = (run: CriteriaRun, set: CriteriaSet): readonly Column<LoanOutcome>[] => [
  { title: 'Loan', cell: (loan) => html`<code>${loan.loan_id}</code><small>row ${count(loan.row_number)}</small>` },
  { title: 'Balance', kind: 'number', cell: (loan) => money(loan.balance) },
  { title: 'Why', kind: 'wide', cell: (loan) => html`<ul class="plain">${loan.failures.map(reason)}</ul>` },
  { title: '', kind: 'act', cell: (loan) => waive(loan, run, set) },
];

const reason = (failure: Failure): VNode => html`
  <li>
    ${failure.name || failure.rule_id}${': '}
    ${
      failure.reason === 'MISSING'
        ? html`<span class="fault">the value is missing</span>`
        : html`<strong class="fault">${plain(failure.actual)}</strong> <span class="fine">against ${plain(failure.expected)}</span>`
    }
  </li>
`;

/** Requests a waiver for one loan and the rules that it fails; the operator decides, and the next run applies it. */
function waive(loan: LoanOutcome, run: CriteriaRun, set: CriteriaSet): VNode | null {
  const rules = loan.failures.filter((each) => each.severity === 'fail').map((each) => each.rule_id);
  const fixed = set.loan_rules.some((rule) => rule.waivable === false && rules.includes(rule.id));
  if (!run.exception_file_id || rules.length === 0 || fixed) return null;
  const path = `/v1/api/originator/sc/exceptions/${run.exception_file_id}/waivers`;
  return act({
    text: 'Request a waiver',
    tone: 'link',
    question: {
      title: `Request a waiver for loan ${loan.loan_id}?`,
      text: `Rules that it fails: ${rules.join(', ')}. The operator decides; the next run applies the decision.`,
      yes: 'Request',
      reason: 'required',
    },
    act: async (why) => {
      for (const rule of rules) await send('POST', path, { loan_ids: [loan.loan_id], rule_id: rule, reason: why });
    },
    done: 'The waiver is requested.',
  });
}
