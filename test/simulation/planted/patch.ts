/**
 * A defect that is put back into the node to see whether a simulation finds it: as a change of the node's own
 * source while it is loaded, so that the product has no switch for it.
 */

import type { Trait } from './traits.ts';

/** One place in a source file. `text` stands there exactly once. */
export type Edit = {
  /** From the root of the repository, e.g. `machines/target/chart.ts`. */
  file: string;
  text: string;
  replacement: string;
};

/**
 * What a run must say of it: one of these numbers of the list of invariants, or that something never ends
 * ('liveness'). 'margin': it is off by one block where another margin is larger than that, so that nothing
 * comes of it in any run; only who holds each decision against the rule itself can see it.
 */
type Expected = readonly number[] | 'liveness' | 'margin';

export type PlantedBug = {
  /** Of the class of defects that it belongs to, e.g. `R57`, and a letter where there are several: `R1b`. */
  id: string;
  /** What the node does wrong. */
  title: string;
  edits: readonly Edit[];
  expected: Expected;
  /** All of them. */
  needs: readonly Trait[];
  /** In which it shows, below `worlds/`; absent: in none yet, and `unseen` says why if it is known. */
  world?: string;
  unseen?: string;
  /** The test of one part alone that fails with it, below `test/`; null: only a whole network can show it. */
  noticedBy: string | null;
};

/** An edit of a file, for several in a row. */
export const editIn =
  (file: string) =>
  (text: string, replacement: string): Edit => ({ file, text, replacement });

/** The class of a defect, without the letter. */
export const classOf = ({ id }: Pick<PlantedBug, 'id'>): string => id.replace(/[a-z]+$/, '');

/** The source with the edits that belong to its file. Throws when one does not fit in exactly one place. */
export function patched(source: string, file: string, bug: PlantedBug): string {
  return bug.edits
    .filter((edit) => edit.file === file)
    .reduce((text, edit) => replacedOnce(text, edit, bug.id), source);
}

function replacedOnce(source: string, { file, text, replacement }: Edit, id: string): string {
  const places = text === '' ? 0 : source.split(text).length - 1;
  if (places !== 1)
    throw new Error(`${id} does not fit: ${file} holds this text ${places} times:\n${text}`);
  if (text === replacement) throw new Error(`${id} changes nothing in ${file}`);
  return source.replace(text, () => replacement);
}
