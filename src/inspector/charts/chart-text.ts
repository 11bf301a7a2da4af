/** The words of a drawn chart: what is written in its boxes and on its edges, broken into rows. */
import type { EdgeDefinition, StateDefinition } from '../wire.ts';

/** What a text is, which decides its font: the page and the SVG use the same font for each role. */
export type TextRole = 'name' | 'event' | 'guard' | 'action' | 'mark';
/** The width in px of a text in the font of its role. */
export type Measure = (text: string, role: TextRole) => number;

/** One piece of text; `y` is its baseline. */
export type TextRun = { x: number; y: number; role: TextRole; text: string };
/**
 * The text of one transition (or of several that say the same), on one row or more. `edges` is empty for entry and
 * exit.
 */
export type TextLine = {
  edges: readonly string[];
  y: number;
  height: number;
  runs: readonly TextRun[];
};
/** Lines below each other; coordinates are from the block's upper left corner. */
export type TextBlock = { width: number; height: number; lines: readonly TextLine[] };

/** Height of one row, and of the font's part above the baseline in it. */
export const ROW = 15;
const BASELINE = 11;
const INDENT = 12;
/** Space after the text of a transition, where the page writes how often it was taken. */
const COUNT_ROOM = 24;
const EMPTY: TextBlock = { width: 0, height: 0, lines: [] };

type Word = { text: string; role: TextRole };
type Sentence = { edges: readonly string[]; words: readonly Word[]; indent: number };

/** The text inside a state's box: entry, exit, and the transitions that do not leave the state. */
export function innerText(state: StateDefinition, measure: Measure, maxWidth: number): TextBlock {
  const inner = state.edges.filter(isInner);
  const sentences = [
    ...always('entry', state.entry),
    ...always('exit', state.exit),
    ...byEvents(inner).flatMap(innerSentences),
  ];
  return blockOf(sentences, measure, maxWidth);
}

/** The text on the edge from one state to another: all transitions between the two. */
export function labelText(
  edges: readonly EdgeDefinition[],
  measure: Measure,
  maxWidth: number,
): TextBlock {
  const alike = grouped(edges, ({ guards, actions }) => JSON.stringify([guards, actions]));
  const sentences = alike.map((same): Sentence => {
    const [first] = same;
    const words = first === undefined ? [] : outcome(first, false);
    return { edges: same.map(({ id }) => id), words: [...events(same), ...words], indent: 0 };
  });
  return blockOf(sentences, measure, maxWidth);
}

/** Whether the transition stays within its own state: it is then written in the state's box, not drawn as an edge. */
export function isInner({ source, targets }: EdgeDefinition): boolean {
  return targets.every(
    (target) => target === source || source === '' || target.startsWith(`${source}.`),
  );
}

function always(word: string, actions: readonly string[]): Sentence[] {
  if (actions.length === 0) return [];
  return [{ edges: [], words: [{ text: word, role: 'mark' }, ...actionWords(actions)], indent: 0 }];
}

/** The transitions of each event in order; events with exactly the same transitions are grouped. */
function byEvents(edges: readonly EdgeDefinition[]): EdgeDefinition[][][] {
  const says = (ways: readonly EdgeDefinition[]) =>
    JSON.stringify(ways.map(({ guards, actions, targets }) => [guards, actions, targets]));
  return grouped(
    grouped(edges, ({ event }) => event),
    says,
  );
}

/** The items with the same key together, groups in the order of their first item. */
function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/**
 * One sentence when the events have one transition; else a line with the events and, indented, one for each
 * transition.
 */
function innerSentences(alike: readonly EdgeDefinition[][]): Sentence[] {
  const [ways = []] = alike;
  const ids = (index: number) => alike.flatMap((others) => others[index]?.id ?? []);
  const head = events(alike.flat());
  const [first, second] = ways;
  if (first !== undefined && second === undefined)
    return [{ edges: ids(0), words: [...head, ...outcome(first, true)], indent: 0 }];
  const sentences = ways.map((way, index): Sentence => {
    return { edges: ids(index), words: outcome(way, true), indent: INDENT };
  });
  return [{ edges: alike.flat().map(({ id }) => id), words: head, indent: 0 }, ...sentences];
}

function events(edges: readonly EdgeDefinition[]): Word[] {
  const names = [...new Set(edges.map(({ event }) => (event === '' ? 'always' : event)))];
  return names.map((name, index) => {
    const comma = index === names.length - 1 ? '' : ',';
    return { text: `${name}${comma}`, role: name === 'always' ? 'mark' : 'event' };
  });
}

function outcome(edge: EdgeDefinition, withTarget: boolean): Word[] {
  const { guards, actions } = edge;
  const last = guards.length - 1;
  const conditions = guards.map((guard, index): Word => {
    const open = index === 0 ? '[' : 'and ';
    return { text: `${open}${guard}${index === last ? ']' : ''}`, role: 'guard' };
  });
  const target = withTarget ? targetWords(edge) : [];
  const rest = [...target, ...actionWords(actions)];
  const nothing: Word[] =
    rest.length === 0 && withTarget ? [{ text: '(nothing)', role: 'mark' }] : [];
  return [...conditions, ...rest, ...nothing];
}

function targetWords({ source, targets }: EdgeDefinition): Word[] {
  return targets.map((target) => {
    const below = source === '' ? target : target.slice(source.length + 1);
    return { text: target === source ? '↻ again' : `→ ${below}`, role: 'mark' };
  });
}

function actionWords(actions: readonly string[]): Word[] {
  const last = actions.length - 1;
  return actions.map((action, index) => {
    const slash = index === 0 ? '/ ' : '';
    return { text: `${slash}${action}${index === last ? '' : ','}`, role: 'action' };
  });
}

/** The block of sentences below each other, each broken where it gets wider than `maxWidth`. */
function blockOf(sentences: readonly Sentence[], measure: Measure, maxWidth: number): TextBlock {
  return sentences.reduce((block, sentence) => {
    const { runs, width, height } = broken(sentence, block.height, measure, maxWidth);
    const line = { edges: sentence.edges, y: block.height, height, runs };
    const room = sentence.edges.length > 0 ? COUNT_ROOM : 0;
    return {
      width: Math.max(block.width, width + room),
      height: block.height + height,
      lines: [...block.lines, line],
    };
  }, EMPTY);
}

function broken({ words, indent }: Sentence, top: number, measure: Measure, maxWidth: number) {
  const runs: TextRun[] = [];
  let [x, row, width] = [indent, 0, 0];
  for (const { text, role } of words) {
    const size = measure(text, role);
    if (x > indent && x + size > maxWidth) {
      row += 1;
      x = indent + INDENT;
    }
    runs.push({ x, y: top + row * ROW + BASELINE, role, text });
    width = Math.max(width, x + size);
    x += size + measure(' ', role);
  }
  return { runs, width: Math.ceil(width), height: (row + 1) * ROW };
}

/**
 * The block's lines in columns beside each other: so many that the block becomes about `aspect` times as wide as
 * high. A line that belongs to the one above it (its edges are among those) stays with it.
 */
export function inColumns(block: TextBlock, gap: number, aspect: number): TextBlock {
  if (block.lines.length === 0) return block;
  const columns = Math.round(Math.sqrt((aspect * block.height) / block.width));
  if (columns < 2) return block;
  const most = block.height / columns;
  const parts: TextLine[][] = [[]];
  let begin = 0;
  let head: readonly string[] = [];
  for (const line of block.lines) {
    const isBelow = line.edges.length > 0 && line.edges.every((id) => head.includes(id));
    if (!isBelow && line.y - begin >= most) {
      parts.push([]);
      begin = line.y;
    }
    if (!isBelow) head = line.edges;
    parts.at(-1)?.push(line);
  }
  const laid = parts.map((lines, index) => {
    const [first] = lines;
    return lines.map((line) =>
      moved(line, index * (block.width + gap), -(first === undefined ? 0 : first.y)),
    );
  });
  const lines = laid.flat();
  return {
    width: parts.length * (block.width + gap) - gap,
    height: Math.max(...lines.map(({ y, height }) => y + height)),
    lines,
  };
}

/** A copy of the line, moved by `dx` and `dy`. */
export function moved(line: TextLine, dx: number, dy: number): TextLine {
  const runs = line.runs.map((run) => ({ ...run, x: run.x + dx, y: run.y + dy }));
  return { ...line, y: line.y + dy, runs };
}
