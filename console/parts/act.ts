import { useAction } from '../lib/load.ts';
import { type Content, h, html, type VNode } from '../lib/view.ts';
import { askFirst, type Question } from './dialog.ts';
import { notify } from './notice.ts';
import { problem } from './problem.ts';

export type ActOptions = {
  text: Content;
  tone?: 'primary' | 'danger' | 'link';
  /** Asked before it is done. */
  question?: Question;
  act: (reason: string) => Promise<unknown>;
  done?: string;
  after?: () => void;
};

/** A button that does one thing, after a question where it matters, and says how it went. */
export const act = (options: ActOptions): VNode => h(Act, options);

function Act({ text, tone, question, act: work, done, after }: ActOptions): VNode {
  const action = useAction(async (reason: string) => {
    await work(reason);
    if (done) notify(done);
    after?.();
  });
  // The button stays enabled while the question is open: a disabled one could not have the focus back.
  const press = async (): Promise<void> => {
    const answer = question ? await askFirst(question) : { reason: '' };
    if (answer) await action.run(answer.reason);
  };
  return html`
    <span class="deed">
      <button type="button" class=${tone} disabled=${action.busy} onClick=${() => void press()}>${text}</button>
      ${problem(action.problem)}
    </span>
  `;
}
