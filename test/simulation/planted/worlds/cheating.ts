/** Short ways to write what a cheat does. */
import { cheat, type Tree } from '../../small-scenarios.ts';

type MoveTree = Readonly<Record<string, unknown>>;

/** The node makes these moves. */
export const moves = (node: number, ...list: readonly MoveTree[]): Tree =>
  cheat('moves', node, { moves: list });

/** For all messages of a type, from the first one on. */
export const always = (what: string, type: string, more: MoveTree = {}): MoveTree => {
  return { do: what, type, times: 1_000, ...more };
};

/** At so many blocks after the expiration of each lock. */
export const atExpiration = (what: string, plus: number): MoveTree => {
  return { do: 'at_expiration', what, plus };
};
