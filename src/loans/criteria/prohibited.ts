import { normalizeHeader } from '../reading/header.ts';

/** Words that name a protected trait wherever they occur in a column name. */
const WORDS = new Set(
  (
    'race races racial ethnicity ethnic ethnicities sex gender religion religious creed nationality marital married marriage unmarried ' +
    'black hispan hispanic latino latina latinx minority male female pregnant pregnancy childbearing disability disabled handicap ' +
    'handicapped dob birthdate birthday welfare transgender homosexual'
  ).split(' '),
);

/** Whole names, blanks removed, that name a protected trait only as a whole. */
const NAMES = new Set(
  (
    'white asian color colour skincolor nativeamerican pacificislander nationalorigin countryofbirth placeofbirth birthplace ancestry ' +
    'dateofbirth birthdate birthyear yearofbirth birthmonth publicassistance publicassistanceincome receivespublicassistance ' +
    'maritalstatus familialstatus familystatus sexualorientation divorced widowed spouse borrowerrace borrowersex ' +
    'borrowergender borrowerethnicity applicantrace applicantsex applicantethnicity derivedrace derivedsex derivedethnicity'
  ).split(' '),
);

/** Words beside which "age" means the age of a person; beside any other ("loan_age_months", "vehicle_age_years") it does not. */
const PERSON_WORDS = new Set(
  (
    'age ages aged years year yrs months in of at the borrower borrowers coborrower co applicant applicants coapplicant obligor obligors customer ' +
    'client cardholder holder owner guarantor cosigner person primary secondary group band bucket range origination application above below over under and or 62'
  ).split(' '),
);

/**
 * Whether a column names an attribute that lenders may not select on (Equal Credit Opportunity Act, 15 U.S.C. 1691(a); Regulation B,
 * 12 CFR 1002.2(z); Fair Housing Act, 42 U.S.C. 3605): race, color, religion, national origin, sex, marital or familial status, age, disability,
 * public assistance. Coded headers of public tapes (`black`, `hispan`, `male`, `married`, `AGE`) count.
 */
export function isProhibitedField(name: string): boolean {
  const spaced = normalizeHeader(name.normalize('NFKC').replace(/([a-z0-9])([A-Z])/g, '$1_$2'));
  const words = spaced.split('_');
  if (words.some((word) => WORDS.has(word)) || NAMES.has(words.join(''))) return true;
  if (words.includes('public') && words.includes('assistance')) return true;
  if (words.includes('national') && words.includes('origin')) return true;
  if (/^(borrower|applicant|customer|obligor|client|cardholder)age(years|group|band)?$/.test(words.join(''))) return true;
  return (
    words.some((word) => word === 'age' || word === 'ages' || word === 'aged') && words.every((word) => PERSON_WORDS.has(word))
  );
}
