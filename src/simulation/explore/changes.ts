/**
 * Variations of a scenario, made on the plain data of its file: with parts of another scenario, other moves of a
 * partner, other times and other seeds. The result need not be a valid scenario.
 */
import { drawPlan } from '../byzantine/moves.ts';
import { fileKey } from '../scenario/schema/values.ts';
import type { Draw } from '../world/randomness.ts';
import { HIGHEST_SEED } from '../world/seeds.ts';
import { type Fields, isFields, listAt } from './shrink-steps.ts';

/** A scenario as the plain data of its file, and its seed. */
export type Candidate = { tree: Fields; seed: number };
type Change = (candidate: Candidate, donor: Candidate, draw: Draw) => Candidate;

const LISTS = ['attacks', 'faults', 'steps', 'traffic', 'nodes'];
/** The most entries of each list: more faults than these no network survives. */
const MOST_ENTRIES: Fields = { attacks: 2, faults: 5, steps: 12, traffic: 3, nodes: 2 };
/** Parts of a scenario that depend on each other and are taken over together. */
const PARTS = [
  ['chain', 'defaults', 'run', 'steps'],
  ['services'],
  ['traffic'],
  ['attacks'],
  ['faults'],
];
const BLOCKS = 40;
const MOMENTS = ['at_block', 'from_block', 'after', 'skip', 'index', 'nth'];

const otherSeed: Change = ({ tree }, _, draw) => ({ tree, seed: draw.integer(0, HIGHEST_SEED) });

const partOfAnother: Change = ({ tree, seed }, donor, draw) => {
  const keys = draw.pick(PARTS).filter((key) => key in donor.tree);
  const taken = Object.fromEntries(keys.map((key) => [key, donor.tree[key]]));
  return { tree: { ...tree, ...taken }, seed };
};

const entryOfAnother: Change = ({ tree, seed }, donor, draw) => {
  const key = draw.pick(LISTS);
  const [own, others] = [listAt(tree, key), listAt(donor.tree, key)];
  if (others.length === 0) return { tree, seed };
  const kept =
    own.length < Number(MOST_ENTRIES[key])
      ? own
      : own.toSpliced(draw.integer(0, own.length - 1), 1);
  return { tree: { ...tree, [key]: [draw.pick(others), ...kept] }, seed };
};

/** Removes one entry of a list, but never the last step, in which all nodes leave. */
const oneEntryLess: Change = ({ tree, seed }, _, draw) => {
  const key = draw.pick(LISTS);
  const list = listAt(tree, key);
  const most = key === 'steps' ? list.length - 2 : list.length - 1;
  if (most < 0) return { tree, seed };
  return { tree: { ...tree, [key]: list.toSpliced(draw.integer(0, most), 1) }, seed };
};

/** Gives an attack by moves one move more, one less, or another one; without such an attack, one begins. */
const otherMoves: Change = ({ tree, seed }, _, draw) => {
  const attacks = listAt(tree, 'attacks');
  const at = attacks.findIndex((attack) => isFields(attack) && attack['plan'] === 'moves');
  const drawn = drawPlan(draw, { moves: 1, blocks: BLOCKS }).slice(0, 12).map(inFile);
  const attack = attacks[at];
  if (!isFields(attack)) {
    const nodes = String(draw.integer(0, 2));
    const begun = { plan: 'moves', nodes, from_block: draw.pick([0, 0, 10]), moves: drawn };
    return { tree: { ...tree, attacks: [...attacks.slice(0, 1), begun] }, seed };
  }
  const moves = listAt(attack, 'moves');
  const place = draw.integer(0, moves.length - 1);
  const changed = draw.pick([
    [...moves, ...drawn],
    [...moves, ...drawn],
    moves.toSpliced(place, 1, ...drawn),
    moves.length > 1 ? moves.toSpliced(place, 1) : moves,
  ]);
  return { tree: { ...tree, attacks: attacks.with(at, { ...attack, moves: changed }) }, seed };
};

/** The value as a scenario file has it. */
function inFile(value: unknown): unknown {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(inFile);
  if (!isFields(value)) return value;
  const known = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(known.map(([key, inner]) => [fileKey(key), inFile(inner)]));
}

/** An entry of a list happens a little earlier or later. */
const otherMoment: Change = ({ tree, seed }, _, draw) => {
  const key = draw.pick(['attacks', 'faults', 'steps']);
  const list = listAt(tree, key);
  if (list.length === 0) return { tree, seed };
  const at = draw.integer(0, list.length - 1);
  return { tree: { ...tree, [key]: list.with(at, shifted(list[at], draw)) }, seed };
};

function shifted(entry: unknown, draw: Draw): unknown {
  if (Array.isArray(entry)) {
    const at = draw.integer(0, Math.max(0, entry.length - 1));
    return entry.length === 0 ? entry : entry.with(at, shifted(entry[at], draw));
  }
  if (!isFields(entry)) return entry;
  const changed = Object.entries(entry).map(([key, value]) => {
    if (MOMENTS.includes(key) && typeof value === 'number')
      return [key, Math.max(0, value + draw.integer(-4, 4))];
    return [key, key === 'when' || key === 'moves' ? shifted(value, draw) : value];
  });
  return Object.fromEntries(changed);
}

const CHANGES: readonly Change[] = [
  otherSeed,
  partOfAnother,
  entryOfAnother,
  entryOfAnother,
  oneEntryLess,
  otherMoves,
  otherMoves,
  otherMoves,
  otherMoment,
  otherMoment,
];

/** Makes one to four changes, one after the other. */
export function changedBy(draw: Draw, candidate: Candidate, donor: Candidate): Candidate {
  const count = draw.integer(1, 4);
  const changes = Array.from({ length: count }, () => draw.pick(CHANGES));
  return changes.reduce((one, change) => change(one, donor, draw), candidate);
}
