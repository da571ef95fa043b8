import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AjvCompiler } from '@fastify/ajv-compiler';
import Type from 'typebox';
import { ROUTES } from '../../app.ts';
import { ajvOptions, stopAtMost } from './lazy-compilers.ts';
import { FORMATS } from './schemas.ts';
import { MOST_FINDINGS } from './validation-error.ts';

const Loan = Type.Object({ id: Type.String(), balance: Type.Number(), coupon: Type.Union([Type.Number(), Type.Null()]) });
const Body = Type.Object({
  loans: Type.Optional(Type.Array(Loan, { maxItems: 1_000 })),
  names: Type.Optional(Type.Record(Type.String(), Type.Integer(), { propertyNames: { maxLength: 3 }, maxProperties: 20 })),
  acts: Type.Optional(Type.Object({ CLOSE: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
});
const { code: _, ...unbounded } = ajvOptions;
const compile = AjvCompiler()({}, { customOptions: ajvOptions });
const findingsOf = (body: object) => {
  const validate = compile({ schema: Body, method: 'POST', url: '/', httpPart: 'body' });
  assert.equal(validate(body), false);
  return validate.errors ?? [];
};

const named = (count: number): object => Object.fromEntries(Array.from({ length: count }, (__, index) => [`name${index}`, 'x']));

test('the findings of a body of any number of bad entries are a few times those that are read', () => {
  const loans = Array.from({ length: 20_000 }, () => ({}));
  for (const body of [{ loans }, { loans: [1, ...loans] }, { names: named(20_000) }, { acts: named(20_000) }]) {
    const count = findingsOf(body).length;
    assert.ok(count >= MOST_FINDINGS && count < 3 * MOST_FINDINGS, `${Object.keys(body)[0]}: ${count} findings`);
  }
});

test('the findings that are read are those of a validator that ends nowhere', () => {
  const whole = AjvCompiler()({}, { customOptions: unbounded })({ schema: Body, method: 'POST', url: '/', httpPart: 'body' });
  const loans = Array.from({ length: 400 }, (__, index) => (index % 3 === 0 ? {} : { id: index, balance: 1, coupon: 'x' }));
  const body = { loans, names: named(30), acts: named(2) };
  whole(body);
  assert.ok((whole.errors?.length ?? 0) > MOST_FINDINGS);
  assert.deepEqual(findingsOf(body).slice(0, MOST_FINDINGS), whole.errors?.slice(0, MOST_FINDINGS));
});

test('an alternative is read whole, whatever number of findings the one before it made', () => {
  const Act = Type.Union([
    Type.Object({ kind: Type.Literal('CLOSE'), ids: Type.Array(Type.Integer()) }, { additionalProperties: false }),
    Type.Object({ kind: Type.Literal('OPEN'), ids: Type.Array(Type.String()) }, { additionalProperties: false }),
  ]);
  const validate = compile({ schema: Act, method: 'POST', url: '/', httpPart: 'body' });
  const strings = Array.from({ length: 2 * MOST_FINDINGS }, String);
  assert.equal(validate({ kind: 'OPEN', ids: strings }), true);
  for (const body of [{ ids: [...strings, 1] }, { ids: strings, ...named(1) }, { ids: [1], ...named(2 * MOST_FINDINGS) }])
    assert.equal(validate({ kind: 'OPEN', ...body }), false);
});

test('every loop over a list or an object of any body ends with the findings, and none compares each entry with each', () => {
  const open: string[] = [];
  const process = (code: string) => {
    const bounded = stopAtMost(code);
    // One that counts down looks whether entries all differ, and sees each once.
    open.push(
      ...(bounded.match(
        /\b(?:for|while|do)\b *[({](?!;i\d+--;|let (\w+)=0, \1_of=errors; \1<\w+ && errors-\1_of <|const (\w+) in \w+\)\{if\(errors-\2_of >=).{40}/g,
      ) ?? []),
    );
    return bounded;
  };
  const watching = AjvCompiler()(
    {},
    {
      customOptions: { ...ajvOptions, validateSchema: false, code: { process } },
      onCreate: (ajv) => {
        for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
      },
    },
  );
  for (const { body, method, path } of ROUTES) if (body) watching({ schema: body, method, url: path, httpPart: 'body' });
  assert.deepEqual(open, []);
});
