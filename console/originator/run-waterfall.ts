import { count, roundMoney, share } from '../lib/format.ts';
import { html, type VNode } from '../lib/view.ts';
import { bar } from '../parts/bars.ts';
import type { CriteriaRun, WaterfallStep } from '../wire/api.ts';
import type { CriteriaSet } from '../wire/contents.ts';

/**
 * From all loans to the eligible ones, rule by rule in their order: what each rule removes after the previous ones, and what it would
 * remove alone.
 */
export function runWaterfall(run: CriteriaRun, set: CriteriaSet): VNode {
  const total = run.waterfall[0]?.balance ?? 0;
  return html`
    <ol class="waterfall">
      ${run.waterfall.map(
        (step) => html`
          <li class=${step.step.toLowerCase()}>
            <span class="name">${nameOf(step, set)}${step.rule_id && html`<small><code>${step.rule_id}</code>${aloneOf(step, run)}</small>`}</span>
            ${bar(step.balance / Math.max(1, total), step.removed_balance / Math.max(1, total), step.step === 'RULE' ? '' : 'strong')}
            <span class="value">
              ${
                step.step === 'RULE'
                  ? step.removed > 0
                    ? html`<span class="fault">−${count(step.removed)}</span><small>${roundMoney(step.removed_balance)}</small>`
                    : html`<span class="fine">takes none</span>`
                  : html`${count(step.loans)}<small>${roundMoney(step.balance)}${step.step === 'ELIGIBLE' && ` · ${share(step.balance / Math.max(1, total))}`}</small>`
              }
            </span>
          </li>
        `,
      )}
    </ol>
  `;
}

function nameOf(step: WaterfallStep, set: CriteriaSet): string {
  if (step.step === 'TOTAL') return 'All loans';
  if (step.step === 'ELIGIBLE') return 'Eligible';
  return set.loan_rules.find((rule) => rule.id === step.rule_id)?.description ?? step.rule_id ?? step.step;
}

function aloneOf(step: WaterfallStep, run: CriteriaRun): string {
  const result = run.rule_results.find((each) => each.rule_id === step.rule_id);
  if (!result || result.failed === 0) return '';
  return ` · ${count(result.failed)} fail it, ${count(result.only_reason)} for no other reason${result.missing > 0 ? `, ${count(result.missing)} have no value` : ''}`;
}
