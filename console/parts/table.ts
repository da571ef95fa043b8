import type { Page } from '../lib/api.ts';
import { count } from '../lib/format.ts';
import { refine } from '../lib/router.ts';
import { type Content, html, type VNode } from '../lib/view.ts';

export type Column<Row> = { title: string; cell: (row: Row) => Content; kind?: 'number' | 'wide' | 'act' };

export type TableOptions<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  empty?: Content;
  /** CSS class of a row, such as unread or failed. */
  tone?: (row: Row) => string;
};

/** Rows and columns; on a narrow screen every row is a card whose lines carry the columns' names. */
export function table<Row>({ caption, columns, rows, empty, tone }: TableOptions<Row>): VNode {
  if (rows.length === 0) return html`<div class="empty">${empty ?? 'There is nothing here yet.'}</div>`;
  return html`
    <div class="table" role="region" aria-label=${caption} tabindex="0">
      <table>
        <caption class="unseen">${caption}</caption>
        <thead><tr>${columns.map((each) => html`<th scope="col" class=${each.kind}>${each.title}</th>`)}</tr></thead>
        <tbody>
          ${rows.map(
            (row) => html`
              <tr class=${tone?.(row)}>
                ${columns.map((each) => html`<td class=${each.kind} data-title=${each.title}><span>${each.cell(row)}</span></td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** Links to the pages of a list; the page number is in the address, so that it can be bookmarked and shared. */
export function pager(page: Page<unknown>, name = 'page'): VNode | null {
  if (page.total === 0) return null;
  const turn = (to: number) => (): void => refine({ [name]: to === 1 ? undefined : to });
  return html`
    <nav class="pager" aria-label="Pages">
      <span class="fine">${count(page.total)} in all${page.pages > 1 && ` · page ${page.page} of ${count(page.pages)}`}</span>
      ${
        page.pages > 1 &&
        html`<span class="buttons">
        <button type="button" disabled=${page.page <= 1} onClick=${turn(page.page - 1)}>Previous</button>
        <button type="button" disabled=${page.page >= page.pages} onClick=${turn(page.page + 1)}>Next</button>
      </span>`
      }
    </nav>
  `;
}
