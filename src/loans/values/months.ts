/** Names of months in German, French, Spanish, Italian, Portuguese, Dutch and Polish, in full and as tapes shorten them, without accents. */
const NAMES: readonly [string, string][] = [
  ['Jan', 'januar janner janvier janv enero ene gennaio gen janeiro januari styczen stycznia sty'],
  ['Feb', 'februar fevrier fevr febrero febbraio fevereiro fev februari luty lutego lut'],
  ['Mar', 'marz mrz maerz mars marzo marco maart mrt marzec marca'],
  ['Apr', 'avril avr abril abr aprile kwiecien kwietnia kwi'],
  ['May', 'mai mayo maggio mag maio mei maj maja'],
  ['Jun', 'juni juin junio giugno giu junho czerwiec czerwca cze'],
  ['Jul', 'juli juillet juil julio luglio lug julho lipiec lipca lip'],
  ['Aug', 'aout agosto ago augustus sierpien sierpnia sie'],
  ['Sep', 'sept septembre septiembre settembre set setembro wrzesien wrzesnia wrz'],
  ['Oct', 'oktober okt octobre octubre ottobre ott outubro out pazdziernik pazdziernika paz'],
  ['Nov', 'novembre noviembre novembro listopad listopada lis'],
  ['Dec', 'dezember dez decembre diciembre dic dicembre dezembro grudzien grudnia gru'],
];

const ENGLISH: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(([month, names]) => [month.toLowerCase(), ...names.split(' ')].map((name) => [name, month] as const)),
);
const SHORT: ReadonlySet<string> = new Set(NAMES.map(([month]) => month.toLowerCase()));

/** The names of months in a text that the engine does not read as they are (`août`, `déc`, `Dec.`), in lower case and without accents. */
export function foreignMonths(text: string): string[] {
  const plain = withoutAccents(text);
  const words = [...plain.toLowerCase().matchAll(/([a-z]+)(\.(?: |$))?/g)];
  return words.flatMap(([, name = '', point]) =>
    ENGLISH.has(name) && (!SHORT.has(name) || point !== undefined || plain !== text) ? [name] : [],
  );
}

/** The text with foreign names of months as English ones: `5. März 2020` → `5 Mar 2020`, `1 de enero de 2020` → `1 Jan 2020`. */
export function withEnglishMonths(text: string): string {
  return withoutAccents(text)
    .replace(/\b([A-Za-z]+)\b(?:\.( |$))?/g, (word, name: string, end?: string) => {
      const month = ENGLISH.get(name.toLowerCase());
      return month ? `${month}${end ?? ''}` : word;
    })
    .replace(LINK, ' ')
    .replace(ORDINAL, '$1 ');
}

const LINK = / (?:de|del|do) /g;
const ORDINAL = /^(\d{1,2})(?:er|º|\.) +/;

/** `withEnglishMonths` as SQL, for a column in which these foreign names occur. */
export function withEnglishMonthsSql(text: string, names: readonly string[]): string {
  const named = names.reduce(
    (sql, name) => `regexp_replace(${sql}, '(?i)\\b${name}\\b(?:\\.( |$))?', '${ENGLISH.get(name) ?? name}\\1', 'g')`,
    `strip_accents(${text})`,
  );
  return `regexp_replace(regexp_replace(${named}, ' (?:de|del|do) ', ' ', 'g'), '^(\\d{1,2})(?:er|º|\\.) +', '\\1 ')`;
}

/** A text with the letters that its accents stand on. */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
}
