/*
 * A small assembler for WebAssembly with vectors of two doubles. Its instructions are those of IEEE 754, so a kernel computes the same bits
 * as the same operations in JavaScript, two at a time. An expression is a tree whose leaves are its bytes.
 */

export type Code = readonly (number | Code)[];
/** A parameter or variable of a function, by its index. */
export type Local = number;

/** The part of the global that this module uses; the types of Node do not declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: { own: { memory: object } },
  ) => { exports: Record<string, (...args: number[]) => void> };
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
};

export type WasmModule = { module: object; pages: number };

const PAGE_BYTES = 65_536;
const [I32, V128] = [0x7f, 0x7b];
const VECTOR = 0xfd;

export const get = (local: Local): Code => [0x20, leb(local)];
export const set = (local: Local, value: Code): Code => [value, 0x21, leb(local)];

export const i32 = {
  const: (value: number): Code => [0x41, signedLeb(value)],
  add: (a: Code, b: Code): Code => [a, b, 0x6a],
  sub: (a: Code, b: Code): Code => [a, b, 0x6b],
  load: (address: Code, offset: number): Code => [address, 0x28, 0, leb(offset)],
};

/** Two doubles. An address is a number of bytes, to which a constant offset is added. */
export const pair = {
  load: (address: Code, offset: number): Code => [address, VECTOR, 0x00, 0, leb(offset)],
  store: (address: Code, offset: number, value: Code): Code => [address, value, VECTOR, 0x0b, 0, leb(offset)],
  /** One double twice. */
  splat: (address: Code, offset: number): Code => [address, VECTOR, 0x0a, 0, leb(offset)],
  /** One double to each of two places. */
  scatter: (address: Code, first: number, second: number, value: Code): Code => [
    [address, value, VECTOR, 0x5b, 0, leb(first), 0],
    [address, value, VECTOR, 0x5b, 0, leb(second), 1],
  ],
  add: (a: Code, b: Code): Code => [a, b, VECTOR, leb(0xf0)],
  sub: (a: Code, b: Code): Code => [a, b, VECTOR, leb(0xf1)],
  mul: (a: Code, b: Code): Code => [a, b, VECTOR, leb(0xf2)],
  /** `b` where it is less than `a`, else `a`: the minimum of numbers. */
  min: (a: Code, b: Code): Code => [a, b, VECTOR, leb(0xf6)],
  max: (a: Code, b: Code): Code => [a, b, VECTOR, leb(0xf7)],
};

/** Repeats a body while its condition, computed after it, is not zero. */
export const repeatWhile = (body: Code, condition: Code): Code => [0x03, 0x40, body, condition, 0x0d, 0, 0x0b];
export const when = (condition: Code, body: Code): Code => [condition, 0x04, 0x40, body, 0x0b];
export const isLess = (a: Code, b: Code): Code => [a, b, 0x49];

/** A function of whole numbers; its variables follow its parameters. */
export type WasmFunction = { name: string; parameters: number; wholes: number; pairs: number; body: Code };

/** Compiles functions over one memory, which holds `bytes`. */
export function assemble(functions: readonly WasmFunction[], bytes: number): WasmModule {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const text = (value: string) => vector([...Buffer.from(value)]);
  const types = functions.map(({ parameters }) => [0x60, vector(Array(parameters).fill([I32])), vector([])]);
  const memory = [text('own'), text('memory'), 0x02, 0x01, leb(pages), leb(pages)];
  const exported = functions.map(({ name }, index) => [text(name), 0x00, leb(index)]);
  const code = functions.map(({ wholes, pairs, body }) => {
    const locals = [
      [leb(wholes), I32],
      [leb(pairs), V128],
    ];
    return sized([vector(locals), body, 0x0b]);
  });
  const sections = [
    section(1, vector(types)),
    section(2, vector([memory])),
    section(3, vector(functions.map((_, index) => leb(index)))),
    section(7, vector(exported)),
    section(10, vector(code)),
  ];
  const module = new WebAssembly.Module(Uint8Array.from(bytesOf([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, sections])));
  return { module, pages };
}

/** A memory of zeros of its own, and the functions over it. */
export function instantiate({ module, pages }: WasmModule) {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { exports } = new WebAssembly.Instance(module, { own: { memory } });
  return { buffer: memory.buffer, functions: exports };
}

function section(id: number, content: Code): Code {
  return [id, sized(content)];
}

function sized(content: Code): Code {
  const bytes = bytesOf(content);
  return [leb(bytes.length), bytes];
}

function vector(items: Code): Code {
  return [leb(items.length), items];
}

function bytesOf(code: Code, bytes: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === 'number') bytes.push(part);
    else bytesOf(part, bytes);
  }
  return bytes;
}

function leb(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, leb(value >>> 7)];
}

function signedLeb(value: number): Code {
  const rest = value >> 7;
  const last = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return last ? [value & 0x7f] : [(value & 0x7f) | 0x80, signedLeb(rest)];
}
