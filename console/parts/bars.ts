import { type Content, html, type VNode } from '../lib/view.ts';

/** A share of the whole as a bar; `gone` is the part just removed. */
export const bar = (part: number, gone = 0, tone = ''): VNode => html`
  <span class="bar ${tone}" aria-hidden="true">
    <span style=${{ width: `${clamp(part) * 100}%` }}></span>${gone > 0 && html`<span class="gone" style=${{ width: `${clamp(gone) * 100}%` }}></span>`}
  </span>
`;

export type BarRow = { name: Content; value: Content; note?: Content; part: number; gone?: number; tone?: string };

/** Named bars under each other, their figures at the end. */
export const bars = (rows: readonly BarRow[]): VNode => html`
  <ul class="bars">
    ${rows.map(
      (row) => html`
        <li>
          <span class="name">${row.name}</span>
          ${bar(row.part, row.gone, row.tone)}
          <span class="value">${row.value}${row.note && html`<small>${row.note}</small>`}</span>
        </li>
      `,
    )}
  </ul>
`;

const clamp = (value: number): number => Math.max(0, Math.min(1, Number.isFinite(value) ? value : 0));
