// Finds where a line of source can be broken so that it still runs: operators, limits, conditions, and the same in SQL text.
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Node, parse } from 'acorn';

/** One way to break a file: the text from `start` to `end` (UTF-16 offsets) becomes `replacement`. Lines count from 1. */
export type Break = { line: number; start: number; end: number; seen: string; replacement: string };

const OPERATORS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};

const SQL = /\b(select|update|insert into|delete from|where|join)\b/i;
const SQL_BREAKS: [RegExp, (seen: string) => string][] = [
  [/(?<=\s)(and|or)(?=\s)/gi, (seen) => (seen.toLowerCase() === 'and' ? 'or' : 'and')],
  [/(?<=\s)(<=|>=|<|>)(?=\s)/g, (seen) => OPERATORS[seen] ?? seen],
  [/\bis not null\b/gi, () => 'is null'],
  [/\bis null\b/gi, () => 'is not null'],
  [/(?<=\blimit )\d+/gi, (seen) => String(Number(seen) + 1)],
  [/\bnot exists\b/gi, () => 'exists'],
];

/** Every break of one TypeScript file. Types, imports and text that is not SQL have none. */
export function breaksOf(source: string): Break[] {
  const found: Break[] = [];
  const lineStarts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const lineOf = (offset: number): number => {
    let [low, high] = [0, lineStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const add = (start: number, end: number, replacement: string): void => {
    found.push({ line: lineOf(start), start, end, seen: source.slice(start, end), replacement });
  };
  // Types become spaces, so offsets in the tree are offsets in the source.
  const tree = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' });
  const visit = (node: AnyNode): void => {
    if (node.type === 'ImportDeclaration') return;
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const other = OPERATORS[node.operator];
      const text = node.operator === '+' && [node.left, node.right].some(isText);
      if (other !== undefined && !text) {
        const start = source.indexOf(node.operator, node.left.end);
        add(start, start + node.operator.length, other);
      }
    } else if (node.type === 'UnaryExpression' && node.operator === '!') {
      add(node.start, node.argument.start, '');
    } else if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      if (node.test.type === 'Identifier' || node.test.type === 'CallExpression' || node.test.type === 'MemberExpression')
        add(node.test.start, node.test.end, `!(${source.slice(node.test.start, node.test.end)})`);
    } else if (node.type === 'Literal' && (typeof node.value === 'number' || typeof node.value === 'boolean')) {
      const replacement = typeof node.value === 'number' ? String(node.value + 1) : String(!node.value);
      add(node.start, node.end, replacement);
    } else if (node.type === 'Literal' && typeof node.bigint === 'string') {
      add(node.start, node.end, `${BigInt(node.bigint) + 1n}n`);
    }
    if (isText(node) && node.type !== 'TemplateLiteral') sqlBreaks(node, add, source);
    if (node.type === 'TemplateLiteral' && SQL.test(source.slice(node.start, node.end)))
      for (const part of node.quasis) sqlBreaks(part, add, source, true);
    for (const child of children(node)) visit(child);
  };
  visit(tree);
  return found;
}

function sqlBreaks(
  node: Node,
  add: (start: number, end: number, replacement: string) => void,
  source: string,
  known = false,
): void {
  const text = source.slice(node.start, node.end);
  if (!known && !SQL.test(text)) return;
  for (const [pattern, replace] of SQL_BREAKS)
    for (const match of text.matchAll(pattern)) {
      const start = node.start + match.index;
      add(start, start + match[0].length, replace(match[0]));
    }
}

function isText(node: AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function children(node: AnyNode): AnyNode[] {
  return Object.values(node).flatMap((value: unknown) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;
}
