/** Worlds in which the defects of `../deadlines.ts` show. */
import { cheat, type Part, pay } from '../../../../src/simulation/run/small-scenario.ts';

const moves = (node: number, ...list: readonly object[]) => cheat('moves', node, { moves: list });
const LATE = { busy: 40, calm: 80 };

export const DEADLINE_WORLDS: Readonly<Record<string, Part>> = {
  // The transaction is mined in the block after: of the expiration itself, or of the one before it.
  'a payee registers around the expiration': {
    steps: [pay(0, 2, 100)],
    attacks: [
      moves(
        2,
        { do: 'ignore', type: 'RevealSecret', times: 100 },
        { do: 'at_expiration', what: 'register', plus: -1 },
      ),
    ],
    ...LATE,
  },
};
