/** How many lines a function has. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const top = fileURLToPath(new URL('..', import.meta.url));
/** Lines of a function, and of one that holds others, as a factory of closures does. */
const MOST_LINES = 70;
const MOST_OF_FACTORY = 150;

/** What is larger, with the lines that it may have at most until it is made smaller. */
const LARGE: Readonly<Record<string, number>> = {
  'src/chain/queue/advance.ts createAdvance': 168,
  'src/chain/queue/pending-transactions.ts createPendingTransactions': 174,
  'src/chain/watch/watcher.ts createWatcher': 157,
  'src/inspector-page/network/page.tsx Network': 79,
  'src/inspector-page/views/chart/chart.tsx Chart': 74,
  'src/node/runtime/outbox/outbox.ts createOutbox': 247,
  'src/replica/sender.ts createRecordSender': 201,
  'src/replica/standby.ts createStandby': 194,
  'src/services/monitoring/book.ts createMonitoringBook': 188,
  'src/simulation/inspect/timeline.ts createTimeline': 188,
  'src/simulation/node/machine.ts createMachine': 256,
  'src/simulation/run/build.ts build': 222,
  'src/simulation/run/world.ts createWorld': 235,
};

const files = ['src', 'machines']
  .flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('/generated/'));

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const isFunction = ({ type }: Node) => /^(Arrow)?Function(Declaration|Expression)$/.test(type);
const hasBody = ({ body }: Node) => isNode(body) && body.type === 'BlockStatement';
const nameIn = (value: unknown): string | null =>
  isNode(value) && typeof value['name'] === 'string' ? value['name'] : null;

/** The functions of a file that are too long, each as `[name, lines]`. */
function longOnes(file: string, text: string): [string, number][] {
  const linesOf = ({ start, end }: Node) => text.slice(start, end).split('\n').length;
  const holdsOthers = (node: Node): boolean =>
    childrenOf(node).some(
      (inner) => (isFunction(inner) && hasBody(inner) && linesOf(inner) > 2) || holdsOthers(inner),
    );
  const found: [string, number][] = [];
  const visit = (node: Node, given: string) => {
    const name = nameIn(node['id']) ?? nameIn(node['key']) ?? given;
    if (isFunction(node)) {
      const lines = linesOf(node);
      if (lines > MOST_LINES && lines > (holdsOthers(node) ? MOST_OF_FACTORY : MOST_LINES))
        found.push([`${file} ${name}`, lines]);
    }
    for (const inner of childrenOf(node)) visit(inner, name);
  };
  for (const node of parseSync(file, text).program.body) if (isNode(node)) visit(node, '');
  return found;
}

describe('the house', () => {
  it('gives no two files of a folder one name', () => {
    const names = files.map((file) => `${dirname(file)}/${basename(file).replace(/\.tsx?$/, '')}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('has short functions, and names those that are not', () => {
    const long = files.flatMap((file) => longOnes(file, readFileSync(join(top, file), 'utf8')));
    const known = new Map(long);
    expect(long.filter(([name, lines]) => lines > (LARGE[name] ?? 0))).toEqual([]);
    expect(Object.keys(LARGE).filter((name) => !known.has(name))).toEqual([]);
  });

  it('finds a function that is too long', () => {
    const body = 'call();\n'.repeat(MOST_LINES);
    expect(longOnes('a.ts', `function long() {\n${body}}\n`)).toEqual([
      ['a.ts long', MOST_LINES + 2],
    ]);
    const factory = `const make = () => {\n${body}return {\n go() {\n call();\n },\n };\n};\n`;
    expect(longOnes('a.ts', factory)).toEqual([]);
  });
});
