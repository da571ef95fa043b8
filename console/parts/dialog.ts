import { createStore } from '../lib/store.ts';
import { type Content, html, useEffect, useRef, useState, type VNode } from '../lib/view.ts';
import { field } from './form.ts';

export type Question = {
  title: string;
  text?: Content;
  yes: string;
  tone?: 'danger';
  /** Asks for a reason that goes into the record. */
  reason?: 'required' | 'optional';
};
type Open = Question & { answer: (given: { reason: string } | null) => void };

const open = createStore<Open | null>(null);

/** Asks before something that cannot be taken back. Null: the reader thought better of it. */
export const askFirst = (question: Question): Promise<{ reason: string } | null> =>
  new Promise((resolve) => {
    open.set({
      ...question,
      answer: (given) => {
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
  const answer = (given: { reason: string } | null): void => {
    // Closing gives the focus back to what asked; an element that is only taken away does not.
    element.current?.close();
    question.answer(given);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    answer({ reason: reason.trim() });
  };
  return html`
    <dialog ref=${element} aria-labelledby="dialog-title" onCancel=${() => answer(null)}>
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
            hint: 'Kept in the record, and told to the other side where there is one.',
          })
        }
        <div class="buttons">
          <button type="button" onClick=${() => answer(null)}>Cancel</button>
          <button type="submit" class=${question.tone === 'danger' ? 'danger' : 'primary'}>${question.yes}</button>
        </div>
      </form>
    </dialog>
  `;
}
