import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressPolicy, isInNets, isMetadataName, kindOf, problemOfNets, senderNetwork } from './addresses.ts';

const NEVER_IN_PRODUCTION = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.0.8',
  '198.18.0.1',
  '198.19.255.255',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  '5f00::1',
  'not an address',
];

test('in production only public addresses are allowed', () => {
  const allowed = addressPolicy(null, 'production');
  for (const address of NEVER_IN_PRODUCTION) assert.equal(allowed(address), false, address);
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.equal(allowed(address), true, address);
});

test('elsewhere loopback and private networks are open, and nothing else', () => {
  const allowed = addressPolicy(null, 'development');
  for (const address of ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', 'fd12::1']) assert.equal(allowed(address), true, address);
  for (const address of ['169.254.169.254', '0.0.0.0', '::', 'fe80::1', '224.0.0.1', '::ffff:127.0.0.1', '64:ff9b::a00:1'])
    assert.equal(allowed(address), false, address);
});

test('no setting opens link-local addresses and metadata services', () => {
  const allowed = addressPolicy(['private', 'loopback', '0.0.0.0/0', '::/0'], 'development');
  for (const address of [
    '169.254.169.254',
    'fd00:ec2::254',
    '100.100.100.200',
    '0.0.0.0',
    '::',
    'fe80::1',
    '::ffff:169.254.169.254',
  ])
    assert.equal(allowed(address), false, address);
});

test('the names of metadata services are known in every spelling, and no others are taken for them', () => {
  for (const name of [
    'metadata.google.internal',
    'METADATA.google.internal.',
    'metadata',
    'metadata.goog',
    'instance-data.ec2.internal',
    'metadata.tencentyun.com',
  ])
    assert.equal(isMetadataName(name), true, name);
  for (const name of ['metadata.example.com', 'my-metadata.internal', 'metadata.google.internal.example.com', 'hooks.internal'])
    assert.equal(isMetadataName(name), false, name);
});

test('a named network is open in production, its neighbours are not', () => {
  const allowed = addressPolicy(['10.1.0.0/16'], 'production');
  assert.deepEqual(['10.1.2.3', '10.2.0.1', '127.0.0.1', '8.8.8.8'].map(allowed), [true, false, false, true]);
  assert.equal(addressPolicy(['none'], 'development')('127.0.0.1'), false);
});

test('a list of networks that cannot be read is named', () => {
  assert.equal(problemOfNets(['loopback', '10.0.0.0/8', 'fd00::/8']), null);
  for (const bad of ['10.0.0.0', '10.0.0.0/33', 'example.com/8', 'everything'])
    assert.match(problemOfNets([bad]) ?? '', /expected/);
});

test('every spelling of an address that a URL allows is judged as the address that it is', () => {
  for (const host of ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0x7f000001', '127。0。0。1', '①②⑦.0.0.1'])
    assert.equal(kindOf(new URL(`http://${host}/`).hostname), 'loopback', host);
});

test('addresses of one sender are one network, however they are written', () => {
  const groups: [string, string[]][] = [
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7', '192.0.2.7:50123', '[::ffff:192.0.2.7]:443']],
    [
      '2001:db8:1:2::/64',
      [
        '2001:db8:1:2::1',
        '2001:DB8:1:2:ffff:ffff:ffff:ffff',
        '2001:0db8:0001:0002:0:0:0:1',
        '2001:db8:1:2:3:4:192.0.2.7',
        '[2001:db8:1:2::9]',
        '[2001:db8:1:2::9]:443',
      ],
    ],
    ['2001:db8:0:0::/64', ['2001:db8::1', '2001:db8::ffff:0:0:1']],
    ['0:0:0:0::/64', ['::1', '::']],
    ['fe80:0:0:0::/64', ['fe80::1%eth0', 'fe80::2%eth1']],
    ['unknown', ['', 'unknown', '_hidden', 'x'.repeat(5_000), '1.2.3', '1.2.3.4:x', '[]', '[1::2', '1::2]', '::ffff:1.2.3']],
  ];
  for (const [network, addresses] of groups)
    for (const address of addresses) assert.equal(senderNetwork(address), network, address);
  assert.notEqual(senderNetwork('2001:db8:1:3::1'), '2001:db8:1:2::/64');
  assert.notEqual(senderNetwork('192.0.2.8'), '192.0.2.7');
});

test('an address is in its networks also where a proxy names its port', () => {
  const nets = ['10.1.0.0/16', '2001:db8::/32'];
  for (const address of ['10.1.2.3', '10.1.2.3:50123', '::ffff:10.1.2.3', '2001:db8::5', '[2001:db8::5]:443'])
    assert.equal(isInNets(address, nets), true, address);
  for (const address of ['10.2.0.1:50123', '[2001:db9::5]:443', '10.1.2.3:', '10.1.2.3:1:2', 'x[10.1.2.3]', 'unknown', ''])
    assert.equal(isInNets(address, nets), false, address);
});
