import { type Claims, ISSUER, signToken } from '../../src/platform/tokens.ts';
import { PRIME } from '../support/criteria.ts';
import type { Answer, Gateway, Holder } from '../support/gateway.ts';
import { type ListedDeal, listDeal } from '../support/market.ts';
import { approvedDeal, formPool, POOL_DATES, structureOver } from '../support/pools.ts';
import { autoTape, CSV, LOANS, put, seller, type Seller, TAPE, XLSX } from '../support/tapes.ts';

const ME = '/v1/api/me';
const SC = '/v1/api/originator/sc/criteria';
const POOLS = '/v1/api/originator/pools';
const INVESTOR = '/v1/api/investor';
const DAY = 86_400;

export type World = Awaited<ReturnType<typeof buildWorld>>;

/** What a newcomer does wrong, what the gateway answers, and the words of the message by which the newcomer mends it. */
export type Mistake = {
  name: string;
  send: (world: World) => Promise<Answer>;
  status: number;
  code: string;
  says: readonly (string | RegExp | ((world: World) => string))[];
};

/** The organizations, keys and records that the mistakes are made with. */
export async function buildWorld(gateway: Gateway) {
  const ours: Seller = await seller(gateway, 'Seller');
  const investor = await gateway.key('investor', 'Buyer');
  const operator = await gateway.key('operator', 'Platform');
  const staging = await gateway.key('originator', 'Elsewhere', { environment: 'staging' });
  const revoked = await gateway.key('originator', 'Revoked');
  const suspended = await gateway.key('originator', 'Suspended');
  const operate = (path: string, body: object = { reason: 'A test.' }) =>
    gateway.call('POST', `/v1/operator/${path}`, { as: operator, body });
  await operate(`keys/${revoked.key_id}/revoke`);
  await operate(`organizations/${suspended.organization_id}/suspend`);
  const draft = await ours.initiate({ loanType: 'Student' });
  const approved = await approvedDeal(gateway, ours.as, operator, { loanType: 'Auto' });
  const pool = await formPool(gateway, ours.as, [approved]);
  const unapproved = await ours.checked(autoTape(5), 'Personal');
  const listed: ListedDeal = await listDeal(gateway, ours.as);
  const closed: ListedDeal = await listDeal(gateway, ours.as, { market_status: 'CLOSED' });
  const claims = (holder: Holder, more: Partial<Claims> = {}): string => {
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: ISSUER, aud: 'development', sub: holder.organization_id, jti: holder.key_id, role: 'originator' };
    return signToken(gateway.deps.tokens, { ...own, iat: now, exp: now + DAY, ...more });
  };
  return {
    gateway,
    ours,
    investor,
    operator,
    staging,
    revoked,
    suspended,
    expired: claims(ours.as, { exp: 1_795_000_000 - 365 * DAY }),
    draft,
    draftId: draft.body.data.deal_id as string,
    approved,
    unapproved,
    poolId: pool.body.data.pool_id as string,
    poolBalance: pool.body.data.balance as number,
    listed,
    closed,
  };
}

type Options = { as?: Holder | string | null; body?: unknown; headers?: Record<string, string>; raw?: string | Buffer };

const call = (method: string, path: string | ((world: World) => string), options: Options | ((world: World) => Options) = {}) => {
  return (world: World): Promise<Answer> =>
    world.gateway.call(method, typeof path === 'string' ? path : path(world), {
      as: world.ours.as,
      ...(typeof options === 'function' ? options(world) : options),
    });
};

/** GET /me with this Authorization header. */
const authorized = (header: (world: World) => string) =>
  call('GET', ME, (world) => ({ as: null, headers: { authorization: header(world) } }));

const initiate = (body: object) => call('POST', `${LOANS}/initiate`, { body: { ...TAPE, ...body } });
const sendsJson = (raw: string | Buffer) =>
  call('POST', `${LOANS}/initiate`, { raw, headers: { 'content-type': 'application/json' } });
const invest = (path: string, body: object) =>
  call(
    'POST',
    (world) => `${INVESTOR}/deals/${world.listed.deal_id}/${path}`,
    ({ investor }) => ({ as: investor, body }),
  );
const criteria = (rule: object) => call('POST', SC, { body: { ...PRIME, loan_rules: [{ id: 'SCORE', rule }] } });
const structure = (change: (whole: Record<string, unknown>) => object) =>
  call(
    'PUT',
    ({ poolId }) => `${POOLS}/${poolId}/structure`,
    ({ poolBalance }) => ({ body: change(structureOver(poolBalance)) }),
  );

/** Opens an upload, does something with its address, and gives the last answer. */
const upload =
  (loanType: string, act: (world: World, initiated: Answer) => Promise<Answer>, body: object = {}) =>
  async (world: World): Promise<Answer> =>
    act(world, await world.ours.initiate({ loanType, ...body }));
const addressOf = (initiated: Answer): string => new URL(initiated.body.data.upload_url).pathname;
const completeOf = (world: World, initiated: Answer): Promise<Answer> =>
  world.ours.complete(initiated.body.data.deal_id, initiated.body.data.file_name);

const KEYS: Mistake[] = [
  {
    name: 'no Authorization header',
    send: call('GET', ME, { as: null }),
    status: 401,
    code: 'KEY_MISSING',
    says: ['no Authorization header', 'Authorization: Bearer <API_KEY>'],
  },
  {
    name: 'the key in X-API-Key',
    send: call('GET', ME, ({ ours }) => ({ as: null, headers: { 'x-api-key': ours.as.token } })),
    status: 401,
    code: 'KEY_MISSING',
    says: ['X-API-Key', 'Authorization: Bearer <API_KEY>'],
  },
  {
    name: 'the key in the query',
    send: call('GET', ({ ours }) => `${ME}?api_key=${ours.as.token}`, { as: null }),
    status: 401,
    code: 'KEY_MISSING',
    says: ['api_key', 'query', 'Authorization: Bearer <API_KEY>', 'log'],
  },
  {
    name: 'the key without Bearer',
    send: authorized(({ ours }) => ours.as.token),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['without the word Bearer', 'Authorization: Bearer <API_KEY>'],
  },
  {
    name: 'the key as a Basic password',
    send: authorized(({ ours }) => `Basic ${Buffer.from(`${ours.as.token}:`).toString('base64')}`),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['Basic', 'Authorization: Bearer <API_KEY>', 'curl -u'],
  },
  {
    name: 'the key in quotes',
    send: authorized(({ ours }) => `Bearer "${ours.as.token}"`),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['quotation marks', 'without'],
  },
  {
    name: 'the key with a newline at its end, as text',
    send: authorized(({ ours }) => `Bearer ${ours.as.token}\\n`),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['line break', 'end'],
  },
  {
    name: 'an empty variable in place of the key',
    send: authorized(() => 'Bearer '),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['nothing behind Bearer', 'variable'],
  },
  {
    name: 'a variable that the shell did not fill',
    send: authorized(() => 'Bearer $KEY'),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['placeholder or a variable', 'double quotes'],
  },
  {
    name: 'the id of the key in place of the key',
    send: authorized(({ ours }) => `Bearer ${ours.as.key_id}`),
    status: 401,
    code: 'KEY_MALFORMED',
    says: ['id of a key', 'three parts'],
  },
  {
    name: 'a key that was cut in copying',
    send: authorized(({ ours }) => `Bearer ${ours.as.token.slice(0, -20)}`),
    status: 401,
    code: 'KEY_UNKNOWN',
    says: ['signature', 'whole'],
  },
  {
    name: 'a key that has expired',
    send: authorized(({ expired }) => `Bearer ${expired}`),
    status: 401,
    code: 'KEY_EXPIRED',
    says: [/expired on 2025-11-\d\dT[\d:.]+Z/, 'new one', 'operator'],
  },
  {
    name: 'a key that was revoked',
    send: call('GET', ME, ({ revoked }) => ({ as: revoked })),
    status: 401,
    code: 'KEY_REVOKED',
    says: [({ revoked }) => revoked.key_id, /revoked on 20\d\d-/, 'new one', 'operator'],
  },
  {
    name: 'a key of staging',
    send: call('GET', ME, ({ staging }) => ({ as: staging })),
    status: 401,
    code: 'KEY_WRONG_ENVIRONMENT',
    says: ['staging', 'development', 'address'],
  },
  {
    name: 'a key of a suspended organization',
    send: call('GET', ME, ({ suspended }) => ({ as: suspended })),
    status: 401,
    code: 'ORGANIZATION_SUSPENDED',
    says: ['suspended', 'operator'],
  },
  {
    name: 'the investor’s key on an originator’s path',
    send: call('GET', LOANS, ({ investor }) => ({ as: investor })),
    status: 403,
    code: 'ROLE_FORBIDDEN',
    says: ['role investor', 'originator or both', `GET ${LOANS}`],
  },
  {
    name: 'a customer’s key on an operator’s path',
    send: call('POST', ({ unapproved }) => `/v1/operator/deals/${unapproved}/approve`),
    status: 403,
    code: 'ROLE_FORBIDDEN',
    says: ['role originator', 'needs a key with the role operator'],
  },
];

const PATHS: Mistake[] = [
  {
    name: 'a path without /v1',
    send: call('GET', '/api/originator/loans'),
    status: 404,
    code: 'NOT_FOUND',
    says: ['/v1/api/originator/loans', '/v1 is missing'],
  },
  {
    name: 'a path with /v1/api twice',
    send: call('GET', '/v1/api/v1/api/originator/loans'),
    status: 404,
    code: 'NOT_FOUND',
    says: ['twice', 'GET /v1/api/originator/loans'],
  },
  {
    name: 'a slash at the end',
    send: call('GET', `${LOANS}/`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['slash at its end', `GET ${LOANS}`],
  },
  {
    name: 'a singular',
    send: call('GET', '/v1/api/originator/loan'),
    status: 404,
    code: 'NOT_FOUND',
    says: ['/v1/api/originator/loan,', `GET ${LOANS}`, '"loans"'],
  },
  {
    name: 'capitals',
    send: call('GET', '/v1/api/Originator/Loans'),
    status: 404,
    code: 'NOT_FOUND',
    says: ['lower case', `GET ${LOANS}`],
  },
  {
    name: 'an id in a misspelt path',
    send: call('GET', ({ draftId }) => `/v1/api/originator/loans/${draftId}/isues`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['GET /v1/api/originator/loans/{dealId}/issues'],
  },
  {
    name: 'GET in place of POST',
    send: call('GET', `${LOANS}/complete/`),
    status: 404,
    code: 'NOT_FOUND',
    says: [`POST ${LOANS}/complete`],
  },
  {
    name: 'PUT in place of POST',
    send: call('PUT', `${LOANS}/initiate`, { body: TAPE }),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    says: ['PUT', 'POST'],
  },
  {
    name: 'GET with a body in place of POST',
    send: call('GET', `${LOANS}/complete`, { body: { dealId: 'deal_1', fileName: 'tape.csv' } }),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    says: ['GET', `${LOANS}/complete`, 'POST'],
  },
  {
    name: 'the id of a pool in the path of a deal',
    send: call('GET', ({ poolId }) => `${LOANS}/${poolId}`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['dealId', 'another kind of record', 'pool_', 'deal_'],
  },
  {
    name: 'an id that was cut',
    send: call('GET', ({ draftId }) => `${LOANS}/${draftId.slice(0, -3)}`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['dealId', '23 characters', '26'],
  },
  {
    name: 'an id in upper case',
    send: call('GET', ({ draftId }) => `${LOANS}/${draftId.toUpperCase()}`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['dealId', 'lower case'],
  },
  {
    name: 'a path as the reference writes it',
    send: call('GET', `${LOANS}/{dealId}`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['dealId', 'placeholder', 'deal_'],
  },
  {
    name: 'the name of a deal in place of its id',
    send: call('GET', `${LOANS}/auto-2026-10`),
    status: 404,
    code: 'NOT_FOUND',
    says: ['dealId', 'deal_'],
  },
];

const BODIES: Mistake[] = [
  {
    name: 'a body without Content-Type',
    send: call('POST', `${LOANS}/initiate`, { raw: JSON.stringify(TAPE) }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    says: ['no Content-Type', 'Content-Type: application/json'],
  },
  {
    name: 'the form that curl -d sends',
    send: call('POST', `${LOANS}/initiate`, {
      raw: JSON.stringify(TAPE),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    says: ['application/x-www-form-urlencoded', 'Content-Type: application/json', 'curl'],
  },
  {
    name: 'a form that says it is JSON',
    send: sendsJson('loanType=Auto&fileName=tape.csv'),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['form', 'line 1, column 1', '{"name": "value"}'],
  },
  {
    name: 'an empty body',
    send: call('POST', `${LOANS}/initiate`, { headers: { 'content-type': 'application/json' } }),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['empty', 'loanType', 'fileFormat', 'fileName'],
  },
  {
    name: 'a comma behind the last field',
    send: sendsJson('{"loanType": "Auto",\n "fileName": "tape.csv",\n}'),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['line 3, column 1', 'comma'],
  },
  {
    name: 'single quotes',
    send: sendsJson(`{'loanType': 'Auto'}`),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['line 1, column 2', 'double quotes'],
  },
  {
    name: 'NaN',
    send: sendsJson('{"loanType": "Auto", "fileSize": NaN}'),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['NaN', 'line 1, column 34', 'null'],
  },
  {
    name: 'True of Python',
    send: sendsJson('{"loanType": True}'),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['True', 'true', 'json.dumps'],
  },
  {
    name: 'a field twice',
    send: sendsJson('{"loanType": "Auto", "fileName": "a.csv", "loanType": "Student"}'),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['"loanType"', 'twice', 'line 1, column 43'],
  },
  {
    name: 'a byte order mark',
    send: sendsJson(Buffer.from(`\ufeff${JSON.stringify(TAPE)}`)),
    status: 400,
    code: 'MALFORMED_JSON',
    says: ['byte order mark', 'UTF-8 without'],
  },
  {
    name: 'a list in place of an object',
    send: sendsJson(JSON.stringify([TAPE])),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['body', 'a list of 1', 'an object'],
  },
  {
    name: 'a misspelt field',
    send: call('POST', `${LOANS}/initiate`, { body: { loan_typ: 'Auto', fileFormat: CSV, fileName: 'tape.csv' } }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['loanType', 'missing', 'you sent "loan_typ"', 'Auto, Personal'],
  },
  {
    name: 'a field in camelCase where the path has snake_case',
    send: invest('subscribe', { subscriptionAmount: 1_000_000 }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['subscription_amount', 'missing', 'you sent "subscriptionAmount"'],
  },
  {
    name: 'a loan type with an underscore',
    send: initiate({ loanType: 'credit_card' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['loanType', '"credit_card"', 'did you mean "Credit Card"', 'Mortgage'],
  },
  {
    name: 'a loan type in capitals',
    send: initiate({ loanType: 'CREDIT CARD' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['loanType', '"CREDIT CARD"', 'did you mean "Credit Card"'],
  },
  {
    name: 'a loan type that there is not',
    send: initiate({ loanType: 'Boat' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['loanType', '"Boat"', 'Auto, Personal, Mortgage, Student, Business, Credit Card'],
  },
  {
    name: 'the short name of a file format',
    send: initiate({ fileFormat: 'csv' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['fileFormat', '"csv"', 'did you mean "text/csv"'],
  },
  {
    name: 'a workbook by its extension',
    send: initiate({ fileFormat: '.xlsx' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['fileFormat', `did you mean "${XLSX}"`],
  },
  {
    name: 'a number in quotes',
    send: invest('subscribe', { subscription_amount: '1000000' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['subscription_amount', '"1000000"', 'without quotes'],
  },
  {
    name: 'a number with commas',
    send: invest('subscribe', { subscription_amount: '1,000,000.00' }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['subscription_amount', '"1,000,000.00"', 'send 1000000', 'without quotes'],
  },
  {
    name: 'an amount with three decimals',
    send: invest('subscribe', { subscription_amount: 1_000_000.125 }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['subscription_amount', '1000000.125', 'at most 2 decimals'],
  },
  {
    name: 'a negative amount',
    send: invest('subscribe', { subscription_amount: -5 }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['subscription_amount', '-5', 'above 0'],
  },
  {
    name: 'a date as MM/DD/YYYY',
    send: call('POST', POOLS, ({ approved }) => ({
      body: { name: 'P', deal_ids: [approved], ...POOL_DATES, closing_date: '12/15/2026' },
    })),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['closing_date', '"12/15/2026"', 'YYYY-MM-DD', '2026-12-15'],
  },
  {
    name: 'a date with a time',
    send: call('POST', POOLS, ({ approved }) => ({
      body: { name: 'P', deal_ids: [approved], ...POOL_DATES, closing_date: '2026-12-15T00:00:00Z' },
    })),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['closing_date', '"2026-12-15T00:00:00Z"', 'send "2026-12-15"'],
  },
  {
    name: 'an operator of a rule misspelt',
    send: criteria({ field: 'credit_score', op: 'gteq', value: 640 }),
    status: 422,
    code: 'INVALID_RULE',
    says: ['gteq', 'gte'],
  },
  {
    name: 'a field of a rule misspelt',
    send: criteria({ field: 'credit_scor', op: 'gte', value: 640 }),
    status: 422,
    code: 'UNKNOWN_FIELD',
    says: ['credit_scor', 'credit_score'],
  },
  {
    name: 'a step of a structure misspelt',
    send: structure((whole) => ({ ...whole, waterfall: [{ pay: 'INTERST', to: ['A-1'] }] })),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['waterfall.0.pay', '"INTERST"', 'did you mean "INTEREST"'],
  },
  {
    name: 'a rate as text with its percent sign',
    send: structure((whole) => ({
      ...whole,
      tranches: [{ tranche: 'A-1', class: 'A', balance: 1_000, coupon: { type: 'FIXED', rate: '9.21%' } }],
    })),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['tranches.0.coupon.rate', '"9.21%"', 'send 9.21 without quotes'],
  },
  {
    name: 'a kind of coupon that there is not',
    send: structure((whole) => ({
      ...whole,
      tranches: [{ tranche: 'A-1', class: 'A', balance: 1_000, coupon: { type: 'FLOAT', index: 'SOFR', margin_bp: 90 } }],
    })),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['tranches.0.coupon.type', '"FLOAT"', 'did you mean "FLOATING"'],
  },
  {
    name: 'a word of a structure misspelt',
    send: structure((whole) => ({ ...whole, trigers: [] })),
    status: 422,
    code: 'UNKNOWN_FIELD',
    says: ['trigers', 'did you mean triggers'],
  },
];

const QUERIES: Mistake[] = [
  {
    name: 'page 0',
    send: call('GET', `${LOANS}?page=0`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['page', 'seen 0', 'from 1'],
  },
  {
    name: 'a limit of 1000',
    send: call('GET', `${LOANS}?limit=1000`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['limit', 'seen 1000', 'from 1 to 100'],
  },
  {
    name: 'a misspelt parameter',
    send: call('GET', `${LOANS}?pagesize=50&stauts=DRAFT`),
    status: 400,
    code: 'UNKNOWN_PARAMETER',
    says: ['pagesize', 'status', 'limit'],
  },
  {
    name: 'page and cursor',
    send: call('GET', `${LOANS}?page=2&cursor=abc`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['page', 'cursor', 'one of them'],
  },
  {
    name: 'a cursor that was made up',
    send: call('GET', `${LOANS}?cursor=2`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['cursor', 'next_cursor'],
  },
  {
    name: 'a status in lower case',
    send: call('GET', `${LOANS}?status=draft`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['status', '"draft"', 'did you mean "DRAFT"'],
  },
  {
    name: 'an instant without a zone',
    send: call('GET', `${LOANS}?from=2026-11-01T00:00:00`),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['from', '"2026-11-01T00:00:00"', 'time zone', '2026-11-01T00:00:00Z'],
  },
  {
    name: 'from after to',
    send: call('GET', `${LOANS}?from=2026-12-01&to=2026-11-01`),
    status: 422,
    code: 'RANGE_REVERSED',
    says: ['from is after to', '2026-12-01', '2026-11-01'],
  },
];

const FLOWS: Mistake[] = [
  {
    name: 'complete before the upload',
    send: upload('Mortgage', completeOf),
    status: 422,
    code: 'FILE_NOT_UPLOADED',
    says: ['PUT', 'upload_url'],
  },
  {
    name: 'complete with another file name',
    send: call('POST', `${LOANS}/complete`, ({ draftId }) => ({ body: { dealId: draftId, fileName: 'other.csv' } })),
    status: 400,
    code: 'FILE_NAME_MISMATCH',
    says: ['fileName', '"other.csv"', '"tape.csv"'],
  },
  {
    name: 'a second draft of a loan type',
    send: initiate({ loanType: 'Student' }),
    status: 409,
    code: 'DRAFT_EXISTS',
    says: [({ draftId }) => draftId, 'Student', 'complete', 'DELETE'],
  },
  {
    name: 'an upload with another Content-Type',
    send: (world) =>
      world.gateway.call('PUT', addressOf(world.draft), { headers: { 'content-type': 'multipart/form-data' }, raw: 'x' }),
    status: 403,
    code: 'SIGNATURE_INVALID',
    says: ['multipart/form-data', CSV, 'upload_headers'],
  },
  {
    name: 'an upload to an address that has expired',
    send: async (world) => {
      await world.gateway.call('PATCH', `${LOANS}/${world.draftId}`, { as: world.ours.as });
      return world.gateway.call('PUT', addressOf(world.draft), { headers: { 'content-type': CSV }, raw: 'x' });
    },
    status: 403,
    code: 'SIGNATURE_INVALID',
    says: ['newer address', 'upload_url'],
  },
  {
    name: 'POST to the address of an upload',
    send: (world) => world.gateway.call('POST', addressOf(world.draft), { headers: { 'content-type': CSV }, raw: 'x' }),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    says: ['POST', 'PUT'],
  },
  {
    name: 'an upload address that was cut',
    send: (world) =>
      world.gateway.call('PUT', addressOf(world.draft).slice(0, -4), { headers: { 'content-type': CSV }, raw: 'x' }),
    status: 403,
    code: 'SIGNATURE_INVALID',
    says: ['whole', 'exactly as it was given'],
  },
  {
    name: 'an upload to an address whose time is up',
    send: ({ gateway, ours }) => {
      const { organization_id, key_id } = ours.as;
      const ids = [organization_id, 'upl_01m7xj4nfq000wh40xa84xpckd', key_id];
      const token = gateway.deps.addresses.sign({ act: 'put', ids, generation: 1, expires: Date.parse('2026-11-01T12:00:00Z') });
      return gateway.call('PUT', `/v1/uploads/${token}`, { headers: { 'content-type': CSV }, raw: 'x' });
    },
    status: 403,
    code: 'SIGNATURE_INVALID',
    says: ['expired at 2026-11-01T12:00:00.000Z', 'request a new one'],
  },
  {
    name: 'an upload after its completion',
    send: upload('Business', async (world, initiated) => {
      await put(world.gateway, initiated, autoTape(3));
      await completeOf(world, initiated);
      return put(world.gateway, initiated, autoTape(4));
    }),
    status: 409,
    code: 'ALREADY_COMPLETED',
    says: ['completed', '/tapes'],
  },
  {
    name: 'a tape without a header',
    send: upload('Mortgage', async (world) => {
      const loans = autoTape(3).split('\n').slice(1).join('\n');
      const [first] = (await world.gateway.call('GET', `${LOANS}?status=DRAFT&type=Mortgage`, { as: world.ours.as })).body.data;
      const renewed = await world.gateway.call('PATCH', `${LOANS}/${first.id}`, { as: world.ours.as });
      await put(world.gateway, renewed, loans);
      return completeOf(world, renewed);
    }),
    status: 422,
    code: 'UNREADABLE_FILE',
    says: ['header'],
  },
  {
    name: 'an empty file',
    send: upload('Personal', async (world, initiated) => {
      await put(world.gateway, initiated, '');
      return completeOf(world, initiated);
    }),
    status: 422,
    code: 'EMPTY_FILE',
    says: ['0 bytes', 'PUT', '--data-binary'],
  },
  {
    name: 'a version tag without quotes',
    send: call('PATCH', ({ draftId }) => `${LOANS}/${draftId}`, {
      body: {},
      headers: { 'if-match': '8c7dd922ad47494fc02c388e12c00eac' },
    }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['If-Match', 'quotes', '"8c7dd922ad47494fc02c388e12c00eac"'],
  },
  {
    name: 'an Idempotency-Key for another request',
    send: async (world) => {
      const headers = { 'idempotency-key': 'once' };
      const path = `${INVESTOR}/deals/${world.listed.deal_id}/ioi`;
      await world.gateway.call('POST', path, { as: world.investor, headers, body: { interest_amount: 1_000_000 } });
      return world.gateway.call('POST', path, { as: world.investor, headers, body: { interest_amount: 2_000_000 } });
    },
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    says: ['Idempotency-Key', 'new key', 'same body'],
  },
  {
    name: 'a pool of a deal that is not approved',
    send: call('POST', POOLS, ({ unapproved }) => ({ body: { name: 'P', deal_ids: [unapproved], ...POOL_DATES } })),
    status: 409,
    code: 'CONFLICT',
    says: [({ unapproved }) => unapproved, 'QC_COMPLETED', 'APPROVED'],
  },
  {
    name: 'a subscription below the minimum',
    send: invest('subscribe', { subscription_amount: 500 }),
    status: 422,
    code: 'COMPLIANCE_FAILED',
    says: ['$500', '$1,000'],
  },
  {
    name: 'a subscription between two increments',
    send: invest('subscribe', { subscription_amount: 1_000_500 }),
    status: 422,
    code: 'COMPLIANCE_FAILED',
    says: ['$1,000,000', '$1,001,000'],
  },
  {
    name: 'a subscription before eligibility',
    send: async (world) => {
      const stranger = await world.gateway.key('investor', 'Stranger', { profile: 'none' });
      const path = `${INVESTOR}/deals/${world.listed.deal_id}/subscribe`;
      return world.gateway.call('POST', path, { as: stranger, body: { subscription_amount: 1_000_000 } });
    },
    status: 422,
    code: 'COMPLIANCE_FAILED',
    says: ['profile', 'operator'],
  },
  {
    name: 'an indication for a deal whose books are closed',
    send: call(
      'POST',
      ({ closed }) => `${INVESTOR}/deals/${closed.deal_id}/ioi`,
      ({ investor }) => ({
        as: investor,
        body: { interest_amount: 1_000_000 },
      }),
    ),
    status: 409,
    code: 'BOOKS_CLOSED',
    says: ['market_status', 'MARKETING'],
  },
  {
    name: 'an event that there is not',
    send: call('POST', '/v1/api/webhooks/subscriptions', {
      body: { url: 'https://example.com/hook', events: ['deal.approved'] },
    }),
    status: 400,
    code: 'VALIDATION_FAILED',
    says: ['events', '"deal.approved"', 'loan.approved'],
  },
];

export const MISTAKES: readonly Mistake[] = [...KEYS, ...PATHS, ...BODIES, ...QUERIES, ...FLOWS];
