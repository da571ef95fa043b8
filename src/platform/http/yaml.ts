import { isJson } from './openapi-components.ts';

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/** Plain words that YAML 1.1 or 1.2 reads as something else than text. */
const READ_OTHERWISE = /^(y|n|yes|no|on|off|true|false|null)$/i;

/** JSON data as YAML. Texts stand in double quotes, whose escapes are those of JSON. */
export function toYaml(value: unknown): string {
  return `${block(value, '')}\n`;
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((each) => `${indent}- ${block(each, `${indent}  `).trimStart()}`).join('\n');
  if (isJson(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    if (fields.length > 0) return fields.map(([key, field]) => `${indent}${keyOf(key)}:${below(field, indent)}`).join('\n');
  }
  return `${indent}${JSON.stringify(value)}`;
}

function below(value: unknown, indent: string): string {
  const nested = Array.isArray(value) ? value.length > 0 : isJson(value) && Object.keys(value).length > 0;
  return nested ? `\n${block(value, `${indent}  `)}` : ` ${JSON.stringify(value)}`;
}

const keyOf = (key: string): string => (PLAIN_KEY.test(key) && !READ_OTHERWISE.test(key) ? key : JSON.stringify(key));
