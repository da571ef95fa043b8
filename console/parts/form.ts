import type { ApiFailure } from '../lib/api.ts';
import { words } from '../lib/format.ts';
import { refine } from '../lib/router.ts';
import { type Content, html, type VNode } from '../lib/view.ts';

export type Option<Value extends string> = { value: Value | ''; text: string };

export type FieldOptions<Value extends string> = {
  name: string;
  /** Prefix of the element's id where a page has two fields of this name. */
  of?: string;
  label: string;
  value: Value | '';
  set: (value: Value) => void;
  hint?: Content;
  type?: string;
  required?: boolean;
  /** The values to choose from; without them the field takes any text. */
  options?: readonly Option<Value>[];
  /** The refusal of the last attempt; its message about this field is shown under it. */
  problem?: ApiFailure | null;
  placeholder?: string;
  attributes?: Record<string, unknown>;
};

/** A labelled input with its hint and its error, linked for screen readers. */
export function field<Value extends string>(given: FieldOptions<Value>): VNode {
  const { name, label, value, set, hint, type = 'text', required, options, placeholder, attributes } = given;
  const fault = given.problem?.errors.find((each) => each.field === name)?.message;
  const onInput = (event: Event): void => set((event.target as HTMLInputElement).value as Value);
  const at = `${given.of ?? ''}${name}`;
  const shared = {
    id: `in-${at}`,
    name,
    required,
    'aria-invalid': fault ? 'true' : undefined,
    'aria-describedby': `at-${at}`,
  };
  return html`
    <div class="field">
      <label for="in-${at}">${label}</label>
      ${
        options
          ? html`<select ...${shared} value=${value} onChange=${onInput}>
            ${options.map((each) => html`<option value=${each.value} selected=${each.value === value}>${each.text}</option>`)}
          </select>`
          : html`<input ...${shared} ...${attributes ?? {}} type=${type} value=${value} placeholder=${placeholder} onInput=${onInput} />`
      }
      <p class="fine" id="at-${at}">${fault ? html`<span class="fault">${fault}</span>` : hint}</p>
    </div>
  `;
}

export const optionsOf = <const Value extends string>(values: readonly Value[], first?: string): Option<Value>[] => [
  ...(first === undefined ? [] : [{ value: '' as const, text: first }]),
  ...values.map((value) => ({ value, text: /[A-Z_]{2}/.test(value) ? words(value) : value })),
];

/** A filter of the list on the page; its value is in the address. */
export const filter = (name: string, label: string, values: readonly string[], value = ''): VNode => html`
  <label class="filter">
    <span>${label}</span>
    <select name=${name} value=${value} onChange=${(event: Event) => refine({ [name]: (event.target as HTMLSelectElement).value })}>
      ${optionsOf(values, 'All').map((each) => html`<option value=${each.value} selected=${each.value === value}>${each.text}</option>`)}
    </select>
  </label>
`;

/** A form whose submission is handled here, never by the browser. */
export const form = (submit: () => void, ...content: Content[]): VNode => html`
  <form
    onSubmit=${(event: Event) => {
      event.preventDefault();
      submit();
    }}
  >${content}</form>
`;
