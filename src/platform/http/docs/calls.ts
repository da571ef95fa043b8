import type { Description, Parameter, Placed } from './described.ts';

const isMessage = ({ path }: Placed): boolean => path === '';

/** The path with the examples of its parameters and of the query parameters that it needs. */
function examplePath({ path, parameters }: Placed): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(valueOf(parameters, name))));
  const needed = parameters.filter((each) => each.in === 'query' && each.required);
  const query = new URLSearchParams(needed.map(({ name }) => [name, String(valueOf(parameters, name))]));
  return needed.length > 0 ? `${filled}?${query.toString()}` : filled;
}

const valueOf = (parameters: readonly Parameter[], name: string): unknown =>
  parameters.find((each) => each.name === name)?.example ?? name;

export function exampleBody(description: Description, { requestBody }: Placed): unknown {
  const json = requestBody?.content?.['application/json'];
  return json && description.example(json);
}

/** The call of an operation on a command line; null for a message, which the platform sends. */
export function curlOf(description: Description, operation: Placed): string | null {
  if (isMessage(operation)) return null;
  const body = exampleBody(description, operation);
  const raw = operation.requestBody?.content?.['*/*'];
  const data = raw ? '--data-binary @tape.csv' : body === undefined ? null : `-d '${quoted(JSON.stringify(body))}'`;
  const lines = [
    `curl ${operation.method === 'GET' ? '' : `-X ${operation.method} `}"$BASE${examplePath(operation)}"`,
    ...(operation.security?.length === 0 ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(data === null ? [] : [data]),
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => text.replaceAll("'", "'\\''");

/** The same call with the TypeScript client. */
export function clientCallOf(description: Description, operation: Placed): string | null {
  if (isMessage(operation)) return null;
  const params = Object.fromEntries(
    (['path', 'query'] as const).flatMap((place) => {
      const needed = operation.parameters.filter((each) => each.in === place && (place === 'path' || each.required));
      return needed.length > 0 ? [[place, Object.fromEntries(needed.map(({ name, example }) => [name, example ?? name]))]] : [];
    }),
  );
  const body = exampleBody(description, operation);
  const options = { ...(Object.keys(params).length > 0 ? { params } : {}), ...(body === undefined ? {} : { body }) };
  const given = Object.keys(options).length > 0 ? `, ${literal(options)}` : '';
  return `const result = await sluice.${operation.method.toLowerCase()}('${operation.path}'${given});`;
}

/** JSON with bare names of fields and single quotes, as the code of the project is written. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\']|\\.)*)"/g, "'$1'");
}
