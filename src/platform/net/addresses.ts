import { BlockList, isIP } from 'node:net';

/**
 * The kind of an address. `never`: link-local, metadata services, unspecified and multicast addresses, which no setting opens.
 * `reserved`: documentation, benchmarks, translation and tunnels, which could lead to another address than the one that was checked.
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'reserved' | 'never';

/** True when a connection to the address is allowed. */
export type AddressPolicy = (address: string) => boolean;

const V4: [AddressKind, string[]][] = [
  ['never', ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32', '100.100.100.200/32', '168.63.129.16/32']],
  ['loopback', ['127.0.0.0/8']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
    ],
  ],
];
// Everything outside 2000::/3 is reserved unless listed here; ::/8 holds the mapped and translated forms of IPv4.
const V6: [AddressKind, string[]][] = [
  ['loopback', ['::1/128']],
  ['never', ['::/8', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::254/128', 'fd20:ce::254/128']],
  ['private', ['fc00::/7']],
  ['reserved', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']],
  ['public', ['2000::/3']],
];

type Lists = [AddressKind, BlockList][];
/** Made at their first use: most commands look at no address. */
function lists(table: [AddressKind, string[]][]): () => Lists {
  let made: Lists | undefined;
  return () => (made ??= table.map(([kind, nets]) => [kind, listOf(nets)]));
}
const v4Lists = lists(V4);
const v6Lists = lists(V6);

/** Kind of an address in its written form; anything that is not an address is `never`. */
export function kindOf(address: string): AddressKind {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 4) return v4Lists().find(([, list]) => list.check(plain, 'ipv4'))?.[0] ?? 'public';
  if (version === 6) return v6Lists().find(([, list]) => list.check(plain, 'ipv6'))?.[0] ?? 'reserved';
  return 'never';
}

const PUBLIC_METADATA_NAMES = ['metadata.goog', 'metadata.tencentyun.com', 'metadata.packet.net', 'metadata.platformequinix.com'];

/**
 * Whether a name belongs to a service that gives cloud machines their credentials, whatever it resolves to here: a sender in that cloud
 * would reach the service.
 */
export function isMetadataName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return (
    /^(metadata|instance-data)(\..+)?\.internal$|^(metadata|instance-data)$/.test(name) || PUBLIC_METADATA_NAMES.includes(name)
  );
}

const WORDS = ['loopback', 'private', 'none'] as const;

/** The problem of a list of networks, or null. Valid are the words `loopback`, `private`, `none`, and networks such as `10.1.0.0/16`. */
export function problemOfNets(nets: readonly string[]): string | null {
  const bad = nets.find((net) => !(WORDS as readonly string[]).includes(net) && !isNet(net));
  return bad === undefined ? null : 'expected loopback, private, none or networks such as 10.1.0.0/16';
}

/** Whether a text is a network such as `10.1.0.0/16` or `2001:db8::/32`. */
export function isNet(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  const version = isIP(address);
  return version > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Whether an address is in one of the networks; what is no address is in none. */
export function isInNets(address: string, nets: readonly string[]): boolean {
  const plain = plainAddress(address);
  const version = isIP(plain);
  return version > 0 && listOf(nets).check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The network that stands for one sender: an address of IPv4, or the /64 of one of IPv6, in which a single machine may use any address.
 * All that is no address, as a proxy may name a sender that it does not know, is one.
 */
export function senderNetwork(address: string): string {
  const plain = plainAddress(address);
  const version = isIP(plain);
  if (version !== 6) return version === 4 ? plain : 'unknown';
  const [before = '', after] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(before), groups(after ?? '')];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/** An address as a socket or a proxy names it, without its port and zone; one of IPv4 that is written as one of IPv6 is what it stands for. */
function plainAddress(text: string): string {
  const [, v4, v6] = /^([\d.]+):\d+$|^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  return (v4 ?? v6 ?? text).replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * The policy of an environment. Public addresses are always allowed, `never` ones never; `nets` opens others: null means loopback and
 * private networks outside production and nothing in production.
 */
export function addressPolicy(nets: readonly string[] | null, environment: string): AddressPolicy {
  const named = nets ?? (environment === 'production' ? [] : ['loopback', 'private']);
  const list = listOf(named.filter((net) => net.includes('/')));
  return (address) => {
    const kind = kindOf(address);
    if (kind === 'public') return true;
    if (kind === 'never') return false;
    return named.includes(kind) || list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
}

const SYSTEM_PORTS_END = 1_024;
const WEB_PORTS = ['', '80', '443'];

/** Whether the port of an address may be used: the web ports, and ports outside the range that system services reserve. */
export const isPortAllowed = (url: URL): boolean => WEB_PORTS.includes(url.port) || Number(url.port) >= SYSTEM_PORTS_END;

function listOf(nets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = '', bits] = net.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
