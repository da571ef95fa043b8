import { type Content, html, type VNode } from '../lib/view.ts';

export type PageOptions = { title: Content; back?: { href: string; text: string }; aside?: Content; lead?: Content };

/** A page: link back, title, actions, content. */
export const page = ({ title, back, aside, lead }: PageOptions, ...content: Content[]): VNode => html`
  <div class="page">
    <header class="head">
      <div>
        ${back && html`<a class="back" href=${back.href}>← ${back.text}</a>`}
        <h1 tabindex="-1">${title}</h1>
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${aside && html`<div class="aside">${aside}</div>`}
    </header>
    ${content}
  </div>
`;

export const card = (title: Content, content: Content, aside?: Content): VNode => html`
  <section class="card">
    ${(title || aside) && html`<header><h2>${title}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>`}
    ${content}
  </section>
`;

export type Figure = { name: string; value: Content; note?: Content; tone?: string };

export const figures = (list: readonly (Figure | null | false)[]): VNode => html`
  <dl class="figures">
    ${list.map(
      (each) =>
        each &&
        html`<div class=${each.tone}>
          <dt>${each.name}</dt>
          <dd>${each.value}${each.note && html`<small>${each.note}</small>`}</dd>
        </div>`,
    )}
  </dl>
`;

export type Tab = { href: string; text: string; count?: number | null };

export const tabs = (list: readonly Tab[], current: string): VNode => html`
  <nav class="tabs" aria-label="Parts of this page">
    ${list.map(
      (each) => html`
        <a href=${each.href} aria-current=${each.href === current ? 'page' : undefined}>
          ${each.text}${each.count ? html` <span class="count">${each.count}</span>` : null}
        </a>
      `,
    )}
  </nav>
`;

/** An id to quote; a click selects all of it. */
export const id = (value: string | null | undefined): VNode | string => (value ? html`<code class="id">${value}</code>` : '–');
