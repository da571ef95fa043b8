import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/property.ts';
import { unescapeXml, withoutEscapes, XmlScanner, xmlTags } from './xml-scanner.ts';

const MIB = 1024 * 1024;

/** Writes down all that a scanner passes on. */
class Recorder extends XmlScanner {
  readonly seen: string[] = [];

  constructor() {
    super('a part');
    this.wantsText = true;
  }

  silence(): void {
    this.wantsText = false;
  }

  stop(): void {
    this.stopped = true;
  }

  protected override open(nameStart: number, nameEnd: number, tagEnd: number, isEmpty: boolean): void {
    const name = this.bytes.toString('utf8', nameStart, nameEnd);
    const id = this.attribute('id', nameEnd, tagEnd);
    this.seen.push(`<${name}${id === null ? '' : ` ${id}`}${isEmpty ? '/' : ''}`);
  }

  protected override close(nameStart: number, nameEnd: number): void {
    this.seen.push(`>${this.bytes.toString('utf8', nameStart, nameEnd)}`);
  }

  protected override text(start: number, end: number, isLiteral: boolean): void {
    this.seen.push(`${isLiteral ? '!' : ''}${this.resolved(start, end, isLiteral).toString()}`);
  }
}

function scanned(xml: string, cuts: readonly number[] = []): string[] {
  const scanner = new Recorder();
  const bytes = Buffer.from(xml);
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    scanner.feed(bytes.subarray(from, cut));
    from = cut;
  }
  scanner.end();
  return scanner.seen;
}

test('tags and texts come in their order, names without their prefix', () => {
  assert.deepEqual(scanned('<x:a id="1">one<b/>two</x:a>'), ['<a 1', 'one', '<b/', '>b', 'two', '>a']);
  assert.deepEqual(scanned('<a\n id = "1"\t/>'), ['<a 1/', '>a']);
  assert.deepEqual(scanned("<a x:id='1' />"), ['<a 1/', '>a']);
  assert.deepEqual(scanned('<a ids="1" xid="2" data-id="3"/>'), ['<a/', '>a']);
  assert.deepEqual(scanned('<a></a >'), ['<a', '>a']);
});

test('a > within an attribute ends no tag', () => {
  assert.deepEqual(scanned('<a id="x>y"/><b id=\'>"\'>t</b>'), ['<a x>y/', '>a', '<b >"', 't', '>b']);
});

test('comments and instructions are passed over, literal sections are text without entities', () => {
  assert.deepEqual(scanned('<?xml version="1.0"?><!-- <a> --><a>1<!-- - -->2<?pi <b>?>3</a>'), ['<a', '1', '2', '3', '>a']);
  assert.deepEqual(scanned('<a>x<![CDATA[<b> & ]] &amp; >]]>y</a>'), ['<a', 'x', '!<b> & ]] &amp; >', 'y', '>a']);
  assert.deepEqual(scanned('<a><![CDATA[]]></a>'), ['<a', '!', '>a']);
});

test('whatever the chunks are, the tags and texts are the same', () => {
  const pieces = [
    '<a id="é">',
    '</a>',
    '<b/>',
    'text ü',
    '&amp;',
    '<!-- <x> -->',
    '<![CDATA[ <y> ]]>',
    '<?p ?>',
    '<x:c x="/>"/>',
    ' ',
  ];
  const documents = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 20 })
    .map((list) => `<r>${list.join('')}</r>`);
  fc.assert(
    fc.property(documents, fc.array(fc.nat(), { maxLength: 6 }), (xml, wanted) => {
      const cuts = wanted.map((cut) => cut % Buffer.byteLength(xml)).sort((a, b) => a - b);
      assert.deepEqual(scanned(xml, cuts), scanned(xml));
    }),
    { numRuns: 300 },
  );
});

test('a part that ends within a tag, a comment or a literal section is cut off', () => {
  for (const rest of ['<b', '<b id="', '</b', '<!-- x', '<![CDATA[ x', '<?pi', '<'])
    assert.throws(() => scanned(`<a>x</a>${rest}`), /ends within a tag/, rest);
  assert.deepEqual(scanned('<a/>  \n'), ['<a/', '>a']);
});

test('a document type is refused wherever it stands, and in whatever case', () => {
  for (const xml of ['<!DOCTYPE x><a/>', '<a/><!doctype x>', '<!ELEMENT a ANY>', '<a><!ENTITY b "c"></a>'])
    assert.throws(() => scanned(xml), /document type/, xml);
});

test('one tag or text may have a mebibyte and no more', () => {
  const feed = (...chunks: string[]) => {
    const scanner = new Recorder();
    scanner.silence();
    for (const chunk of chunks) scanner.feed(Buffer.from(chunk));
  };
  feed('<a>', 'x'.repeat(MIB));
  assert.throws(() => feed('<a>', 'x'.repeat(MIB + 1)), /more than 1048576 bytes/);
  assert.throws(() => feed(`<a id="${'x'.repeat(MIB)}`), /more than 1048576 bytes/);
  feed('<a>', 'x'.repeat(MIB), '</a>', 'y'.repeat(MIB));
});

test('a scan that was stopped passes on nothing more and misses no end', () => {
  const scanner = new Recorder();
  scanner.feed(Buffer.from('<a>one</a>'));
  scanner.stop();
  scanner.feed(Buffer.from('<b>two</b><c'));
  scanner.end();
  assert.deepEqual([scanner.seen, scanner.isStopped], [['<a', 'one', '>a'], true]);
});

test('line ends of a text are line feeds, and bytes that are no UTF-8 are the replacement character', () => {
  assert.deepEqual(scanned('<a>1\r\n2\r3\n4</a>'), ['<a', '1\n2\n3\n4', '>a']);
  assert.deepEqual(scanned('<a><![CDATA[1\r\n2]]></a>'), ['<a', '!1\n2', '>a']);
  const scanner = new Recorder();
  scanner.feed(Buffer.concat([Buffer.from('<a>Z'), Buffer.from([0xfc]), Buffer.from('rich</a>')]));
  assert.deepEqual(scanner.seen, ['<a', 'Z\ufffdrich', '>a']);
});

test('the five entities and characters by number are resolved, once', () => {
  const cases: [string, string][] = [
    ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['&amp;lt;', '&lt;'],
    ['&#65;&#x42;&#X43;&#0067;', 'ABCC'],
    ['&#x1F3E6;', '🏦'],
    ['&#x10ffff;', '\u{10ffff}'],
    ['&#x110000;&#0;&#xD800;&#xdfff;', '\ufffd\ufffd\ufffd\ufffd'],
    ['&#xD7FF;&#xE000;', '\ud7ff\ue000'],
    ['none', 'none'],
  ];
  for (const [text, meant] of cases) assert.equal(unescapeXml(text, 'a part'), meant, text);
});

test('any other entity is refused by its name', () => {
  for (const text of [
    '&nbsp;',
    '&a;',
    '&',
    '& ',
    '&lt',
    '&;',
    '&#;',
    '&#x;',
    '&#xZ;',
    '&#1234567890;',
    '&constructor;',
    '&__proto__;',
    '&lt ;',
  ])
    assert.throws(() => unescapeXml(text, 'a part'), /"a part" uses the unknown entity &/, text);
});

test('characters that XML cannot hold come back from their escapes, half a pair is the replacement character', () => {
  const meant = (text: string) => withoutEscapes(Buffer.from(text)).toString();
  const cases: [string, string][] = [
    ['a_x000D_b', 'a\rb'],
    ['_x0009__x000a_', '\t\n'],
    ['_x005F_x0041_', '_x0041_'],
    ['_xD83C__xDFE6_', '🏦'],
    ['_xD83C_', '\ufffd'],
    ['_x41_', '_x41_'],
    ['_X0041_', '_X0041_'],
    ['_x004G_', '_x004G_'],
    ['_x0041', '_x0041'],
    ['_x0041_', 'A'],
    ['plain_text', 'plain_text'],
  ];
  for (const [text, expected] of cases) assert.equal(meant(text), expected, text);
});

test('the tags of a small part have their attributes without prefix, with entities resolved', () => {
  const xml = `<?xml version="1.0"?><!-- <no/> --><x:book xmlns:x="u" r:id="rId1" name='A &amp; "B"'><sheet a="x>y"/></x:book>`;
  const tags = [...xmlTags(xml, 'a part')].map(({ name, isClosing, attributes }) => [
    name,
    isClosing,
    Object.fromEntries(attributes),
  ]);
  assert.deepEqual(tags, [
    ['book', false, { x: 'u', id: 'rId1', name: 'A & "B"' }],
    ['sheet', false, { a: 'x>y' }],
    ['book', true, {}],
  ]);
  assert.throws(() => [...xmlTags('<!DOCTYPE a><a/>', 'a part')], /document type/);
  assert.throws(() => [...xmlTags('<a><!entity b "c"></a>', 'a part')], /document type/);
  assert.throws(() => [...xmlTags('<a b="&c;"/>', 'a part')], /unknown entity &c;/);
});

test('what is no tag is none, whatever is in it, and a > in quotes ends none', () => {
  const xml = `<a><!-- <b> ' -- <c> --><![CDATA[ <d> " ]]><?e <f> ' ?><p:g r:h=">'" i = '"<j>'/></a>`;
  assert.deepEqual(
    [...xmlTags(xml, 'a part')].map(({ name, isClosing, attributes }) => [name, isClosing, [...attributes]]),
    [
      ['a', false, []],
      [
        'g',
        false,
        [
          ['h', ">'"],
          ['i', '"<j>'],
        ],
      ],
      ['a', true, []],
    ],
  );
});
