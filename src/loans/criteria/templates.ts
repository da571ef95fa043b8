import { AUTO_TEMPLATES } from './templates/auto.ts';
import { BUSINESS_TEMPLATES } from './templates/business.ts';
import { CARD_TEMPLATES, PERSONAL_TEMPLATES, STUDENT_TEMPLATES } from './templates/consumer.ts';
import { ANY_TEMPLATES, MORTGAGE_TEMPLATES } from './templates/mortgage.ts';
import type { Template } from './templates/template.ts';

/** Criteria of real deals and lenders, with their sources. */
export const TEMPLATES: readonly Template[] = [
  ...AUTO_TEMPLATES,
  ...BUSINESS_TEMPLATES,
  ...PERSONAL_TEMPLATES,
  ...STUDENT_TEMPLATES,
  ...CARD_TEMPLATES,
  ...MORTGAGE_TEMPLATES,
  ...ANY_TEMPLATES,
];
