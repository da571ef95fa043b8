import { withoutBlanks } from './text.ts';

/** What a vehicle identification number consists of: I, O and Q are left out (49 CFR 565.13). */
export const VIN_FORM = '[A-HJ-NPR-Z0-9]{17}';

/** SQL of a vehicle identification number in the form in which it is compared: upper case, without blanks and what nobody sees. */
export const normalizedVin = (value: string): string => `upper(${withoutBlanks(value)})`;
