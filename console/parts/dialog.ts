import { createStore } from '../lib/store.ts';
import { type Content, html, useEffect, useRef, useState, type VNode } from '../lib/view.ts';
import { field } from './form.ts';

export type Question = {
  title: string;
  text?: Content;
  yes: string;
  tone?: 'danger';
  /** Whether the dialog has a field for a reason, which is stored with the record. */
  reason?: 'required' | 'optional';
};
type Open = Question & { close: (given: { reason: string } | null) => void };

const open = createStore<Open | null>(null);

/** Shows a confirmation dialog before an action that cannot be undone. Null: the user cancelled. */
export const confirmFirst = (question: Question): Promise<{ reason: string } | null> =>
  new Promise((resolve) => {
    open.set({
      ...question,
      close: (given) => {
        open.set(null);
        resolve(given);
      },
    });
  });

export function Dialog(): VNode | null {
  const question = open.use();
  const element = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  useEffect(() => {
    setReason('');
    if (question) element.current?.showModal();
  }, [question]);
  if (!question) return null;
  const close = (given: { reason: string } | null): void => {
    // close() returns the focus to the button that opened the dialog; removing the element does not.
    element.current?.close();
    question.close(given);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    close({ reason: reason.trim() });
  };
  return html`
    <dialog ref=${element} aria-labelledby="dialog-title" onCancel=${() => close(null)}>
      <form onSubmit=${submit}>
        <h2 id="dialog-title">${question.title}</h2>
        ${question.text && html`<div class="lead">${question.text}</div>`}
        ${
          question.reason &&
          field({
            name: 'reason',
            label: question.reason === 'required' ? 'Reason' : 'Reason (optional)',
            value: reason,
            set: setReason,
            required: question.reason === 'required',
            hint: 'Stored with the record and shown to the other party, if there is one.',
          })
        }
        <div class="buttons">
          <button type="button" onClick=${() => close(null)}>Cancel</button>
          <button type="submit" class=${question.tone === 'danger' ? 'danger' : 'primary'}>${question.yes}</button>
        </div>
      </form>
    </dialog>
  `;
}
