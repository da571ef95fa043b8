import { useAction } from '../lib/load.ts';
import { type Content, h, html, type VNode } from '../lib/view.ts';
import { confirmFirst, type Question } from './dialog.ts';
import { notify } from './notice.ts';
import { problem } from './problem.ts';

export type ActOptions = {
  text: Content;
  tone?: 'primary' | 'danger' | 'link';
  /** Dialog that confirms the action first. */
  question?: Question;
  act: (reason: string) => Promise<unknown>;
  done?: string;
  after?: () => void;
};

/** A button with one action, a confirmation where it matters, and a message about the outcome. */
export const act = (options: ActOptions): VNode => h(Act, options);

function Act({ text, tone, question, act: work, done, after }: ActOptions): VNode {
  const action = useAction(async (reason: string) => {
    await work(reason);
    if (done) notify(done);
    after?.();
  });
  // The button stays enabled while the dialog is open: a disabled one could not take the focus back.
  const press = async (): Promise<void> => {
    const confirmed = question ? await confirmFirst(question) : { reason: '' };
    if (confirmed) await action.run(confirmed.reason);
  };
  return html`
    <span class="deed">
      <button type="button" class=${tone} disabled=${action.busy} onClick=${() => void press()}>${text}</button>
      ${problem(action.problem)}
    </span>
  `;
}
