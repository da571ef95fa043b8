import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf } from './content.ts';
import { personalData } from './personal-data.ts';

const isPersonal = (header: string, ...values: string[]) => personalData(header, sampleOf(values), 'vehicle_make') !== null;

test('headers that name data of a person are recognised in any spelling', () => {
  const headers =
    'Name|SSN|Borrower SSN|Tax ID|TaxId|Tax Identification Number|E-Mail|EMAIL_ADDRESS|borrowerName|First Name|Customer Full Name|Phone|Mobile No|Date of Birth|DOB|Street|Mailing Address|Driver License Number|Last_Name'.split(
      '|',
    );
  assert.deepEqual(
    headers.filter((header) => !isPersonal(header)),
    [],
  );
});

test('headers of things that are no persons are not', () => {
  const headers =
    'Loan Number|Originator Name|Dealer Name|Servicer Name|Product Name|Model Name|State|Zip|FICO|Income|Tax Amount|Obligor State|Obligor ID|Collateral Number'.split(
      '|',
    );
  assert.deepEqual(
    headers.filter((header) => isPersonal(header)),
    [],
  );
});

test('values give a column away whatever its header is', () => {
  for (const value of [
    'ann@example.com',
    'write to a.b@c.de',
    '123-45-6789',
    '(212) 555-0101',
    '212-555-0101',
    '+44 20 7946 0958',
  ])
    assert.ok(isPersonal('Zeta', 'x', value), value);
  for (const value of ['12-345', '2021-04-01', '04/05/2021', '1,234.56', '735-739', 'A-123-45', '12345.123 4567', '1.212.555'])
    assert.ok(!isPersonal('Zeta', value), value);
  assert.ok(!isPersonal('Zeta', 'n/a', ''), 'an empty column');
});

test('a name of an obligor is data of a person under any header', () => {
  assert.match(personalData('Zeta', sampleOf([]), 'obligor_name') ?? '', /tokens/);
});
