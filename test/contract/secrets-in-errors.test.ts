import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway } from '../support/gateway.ts';
import { LOANS, TAPE } from '../support/tapes.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('an error repeats no credential, wherever in the request it stands', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('both', 'Careless');
  const initiated = await gateway.call('POST', `${LOANS}/initiate`, { as, body: TAPE });
  const address = new URL(initiated.body.data.upload_url).pathname;
  const token = address.split('/').at(-1) ?? '';
  const other = await gateway.key('both', 'Elsewhere', { environment: 'staging' });
  const post = (body: unknown) => gateway.call('POST', `${LOANS}/initiate`, { as, body });
  const answers: [string, string, Answer][] = [];
  for (const text of [as.token, other.token, SECRET, token]) {
    const quoted = encodeURIComponent(text);
    const sent: [string, Promise<Answer>][] = [
      ['Authorization', gateway.call('GET', '/v1/api/me', { headers: { authorization: text } })],
      ['a damaged key', gateway.call('GET', '/v1/api/me', { as: `${text}x` })],
      ['a quoted key', gateway.call('GET', '/v1/api/me', { headers: { authorization: `Bearer "${text}"` } })],
      ['another header', gateway.call('GET', '/v1/api/me', { headers: { 'x-api-key': text } })],
      ['the query', gateway.call('GET', `/v1/api/me?api_key=${quoted}`)],
      ['a parameter', gateway.call('GET', `${LOANS}?status=${quoted}`, { as })],
      ['a number of the query', gateway.call('GET', `${LOANS}?page=${quoted}`, { as })],
      ['an id', gateway.call('GET', `${LOANS}/${quoted}`, { as })],
      ['a path', gateway.call('GET', `/v1/api/${quoted}`, { as })],
      ['a path outside', gateway.call('GET', `/api/${quoted}`)],
      ['a field', post({ ...TAPE, loanType: text })],
      ['a missing field', post({ loanType: 'Auto', [text]: 1 })],
      [
        'a name of the body, twice',
        gateway.call('POST', `${LOANS}/initiate`, {
          as,
          raw: `{"${text}":1,"${text}":1}`,
          headers: { 'content-type': 'application/json' },
        }),
      ],
      [
        'broken JSON',
        gateway.call('POST', `${LOANS}/initiate`, {
          as,
          raw: `{"loanType": ${text}}`,
          headers: { 'content-type': 'application/json' },
        }),
      ],
      ['a content type', gateway.call('POST', `${LOANS}/initiate`, { as, raw: 'x', headers: { 'content-type': text } })],
      ['If-Match', gateway.call('PATCH', `${LOANS}/deal_1`, { as, body: {}, headers: { 'if-match': text } })],
      [
        'a file name',
        gateway.call('POST', `${LOANS}/complete`, { as, body: { dealId: initiated.body.data.deal_id, fileName: text } }),
      ],
    ];
    for (const [place, sending] of sent) answers.push([place, text, await sending]);
  }
  answers.push(['a signed address', token, await gateway.call('PUT', `${address}/more`, { as })]);
  for (const [place, text, answer] of answers) {
    assert.ok(answer.status >= 400, `${place}: ${answer.status}`);
    for (const part of [text, text.slice(8, 40), text.slice(-24)])
      assert.ok(!answer.text.includes(part), `${place}: ${answer.text}`);
  }
});

test('an error repeats at most a line of what was sent, without invisible characters', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Long');
  const long = `${'long words '.repeat(300)}\u202e`;
  for (const answer of [
    await gateway.call('POST', `${LOANS}/initiate`, { as, body: { ...TAPE, loanType: long } }),
    await gateway.call('POST', `${LOANS}/initiate`, { as, body: { [long]: 1 } }),
    await gateway.call('GET', `/v1/api/${encodeURIComponent(long)}`, { as }),
    await gateway.call('GET', `${LOANS}/${encodeURIComponent(`deal_${'x'.repeat(1_500)}`)}`, { as }),
    await gateway.call('GET', `${LOANS}?${encodeURIComponent(long)}=1`, { as }),
  ]) {
    assert.ok(answer.status >= 400 && answer.text.length < 2_500, `${answer.text.length}: ${answer.text}`);
    assert.doesNotMatch(answer.text, /\u202e/);
    assert.ok(!answer.text.includes('long words '.repeat(20)));
  }
});
