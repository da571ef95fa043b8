import { get, getOnce, send } from '../lib/api.ts';
import { share } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { notify } from '../parts/notice.ts';
import { problem, shown } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import type { CanonicalField, Mapping } from '../wire/api.ts';
import type { Deal } from '../wire/contents.ts';

type Props = { deal: Deal; reload: () => void };
type Line = { source: string; target: string; confidence: number | null; hint: string | null };

/** Which column of the tape was read as which field; it can be changed until the deal is approved. */
export function DealMapping({ deal, reload }: Props): VNode {
  const mapping = useLoad(
    () =>
      Promise.all([
        get<Mapping>(`/v1/api/originator/loans/${deal.id}/mapping`),
        getOnce<CanonicalField[]>('/v1/api/originator/loans/dictionary', { type: deal.loan_type }),
      ]),
    [deal.id],
  );
  return shown(mapping, ([given, fields]) => h(Editor, { deal, given, fields, reload }));
}

function Editor({ deal, given, fields, reload }: Props & { given: Mapping; fields: CanonicalField[] }): VNode {
  const [changes, setChanges] = useState<Readonly<Record<string, string>>>({});
  const open = ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status) && deal.qc.state !== 'RUNNING';
  const changed = Object.entries(changes);
  const save = useAction(async () => {
    const mappings = changed.map(([source, target]) => ({ source, target: target || null }));
    await send('PUT', `/v1/api/originator/loans/${deal.id}/mapping`, { mappings });
    notify('The mapping is saved; the checks run again.');
    reload();
  });
  const choose = (line: Line, target: string): void => {
    const { [line.source]: _, ...others } = changes;
    setChanges(target === line.target ? others : { ...others, [line.source]: target });
  };
  return html`
    ${
      given.missing_required.length > 0 &&
      html`<p class="note warn">No column was found for: ${given.missing_required.map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`)}. Rules on these fields fail as missing.</p>`
    }
    ${table<Line>({
      caption: 'Columns and fields',
      rows: linesOf(given),
      tone: (line) => (line.target ? '' : 'unmapped'),
      columns: [
        { title: 'Column of the tape', kind: 'wide', cell: (line) => html`<strong>${line.source}</strong>` },
        {
          title: 'Field',
          cell: (line) =>
            open
              ? chooser(line, changes[line.source] ?? line.target, fields, choose)
              : line.target
                ? html`<code>${line.target}</code>`
                : 'not used',
        },
        { title: 'Confidence', kind: 'number', cell: (line) => (line.confidence === null ? '–' : share(line.confidence)) },
        { title: 'Hint', cell: (line) => line.hint ?? '' },
      ],
    })}
    ${problem(save.problem)}
    <div class="buttons sticky">
      ${
        open
          ? html`<button type="button" class="primary" disabled=${changed.length === 0 || save.busy} onClick=${() => void save.run()}>
              ${changed.length === 0 ? 'Nothing is changed' : `Keep ${changed.length} and check again`}
            </button>`
          : html`<p class="fine">The mapping can be changed while a deal is in review or its checks are completed.</p>`
      }
    </div>
  `;
}

function linesOf(given: Mapping): Line[] {
  const unmapped = given.unmapped.map((source) => {
    const hint = given.suggestions.find((each) => each.source === source);
    return { source, target: '', confidence: null, hint: hint ? `perhaps ${hint.target}: ${hint.reason}` : null };
  });
  return [
    ...unmapped,
    ...given.mappings.map(({ source, target, confidence, transform }) => ({
      source,
      target,
      confidence,
      hint: transform ? JSON.stringify(transform) : null,
    })),
  ];
}

const chooser = (
  line: Line,
  value: string,
  fields: readonly CanonicalField[],
  choose: (line: Line, target: string) => void,
): VNode => html`
  <select
    aria-label=${`Field of ${line.source}`}
    value=${value}
    class=${value === line.target ? '' : 'changed'}
    onChange=${(event: Event) => choose(line, (event.target as HTMLSelectElement).value)}
  >
    <option value="" selected=${value === ''}>not used</option>
    ${fields.map((each) => html`<option value=${each.field} selected=${each.field === value}>${each.field}${each.required ? ' *' : ''}</option>`)}
  </select>
`;
