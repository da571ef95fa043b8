import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';
import { FORMATS } from './schemas.ts';
import { MOST_FINDINGS } from './validation-error.ts';

type Validator = ReturnType<Parameters<FastifyInstance['setValidatorCompiler']>[0]>;

export const ajvOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allErrors: true,
  // A finding carries the value and the schema, for its message.
  verbose: true,
  formats: FORMATS,
  strict: false,
  code: { process: stopAtMost },
} as const;

/**
 * The code of a validator with every loop ending once it has made as many findings as are read: of a body of millions of bad entries it would
 * make some for each of them, which takes gigabytes and half a minute of every other request. A loop counts its own: the findings of one
 * alternative say nothing of the next, which would else be left unread and count as met.
 */
export function stopAtMost(code: string): string {
  return code
    .replace(
      /for\(let (\w+)=0; \1<(\w+); \1\+\+\)/g,
      `for(let $1=0, $1_of=errors; $1<$2 && errors-$1_of < ${MOST_FINDINGS}; $1++)`,
    )
    .replace(/for\(const (\w+) in \w+\)\{/g, `const $1_of=errors;$&if(errors-$1_of >= ${MOST_FINDINGS})break;`);
}

/**
 * The schemas of a route are compiled at its first request: compiling all of them takes most of the start of a process, and most
 * processes serve few of the routes.
 */
export function compileLazily(app: FastifyInstance): void {
  const validator = AjvCompiler()(
    {},
    {
      customOptions: ajvOptions,
      // The compiler puts formats of its own in the place of those of the options, and its dates have a year 0.
      onCreate: (ajv) => {
        for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
      },
    },
  );
  app.setValidatorCompiler((definition) => {
    let compiled: ReturnType<typeof validator> | undefined;
    const validate: Validator = (data) => {
      compiled ??= validator(definition);
      const valid = compiled(data) === true;
      validate.errors = compiled.errors ?? null;
      return valid;
    };
    return validate;
  });
  // The serializer validates alternatives by schemas of its own, which need the same formats.
  const serializer = SerializerSelector()({}, { ajv: { formats: FORMATS } });
  app.setSerializerCompiler((definition) => {
    let compiled: ReturnType<typeof serializer> | undefined;
    return (data) => {
      compiled ??= serializer({ httpStatus: '', ...definition });
      return compiled(data);
    };
  });
}
