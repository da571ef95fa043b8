import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';
import { FORMATS } from './schemas.ts';

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
} as const;

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
