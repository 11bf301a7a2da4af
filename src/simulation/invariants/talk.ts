/**
 * What a node says is bounded by what happens: by the locks that it signs and takes, by the time for which it has channels,
 * and by what those say to it who keep to no rule. Two nodes that answer each other's answers would go on for ever.
 */
import type { Address } from '../../protocol/hex.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'firstBlock' | 'head' | 'honest'> & { blockSeconds: number };
type Told = { said: number; changes: number; channels: number; provoked: number };

/** Messages about one change of a channel, answers and repeats on a bad line with them. */
const PER_CHANGE = 6;
/** Messages a second for each channel: whoever does not answer is asked again, ever more seldom. */
const PER_CHANNEL = 0.1;
/** Messages for each that comes from somebody who keeps to no rule. */
const PER_PROVOCATION = 2;
/** Messages that need no reason. */
const FREE = 100;
/** The bound is computed each time that so many messages more were said. */
const EACH = 25;

export function createTalk({ firstBlock, head, honest, blockSeconds }: Needs): Oracle {
  const nodes = new Map<string, Told>();

  function toldOf(who: string): Told {
    const known = nodes.get(who) ?? { said: 0, changes: 0, channels: 0, provoked: 0 };
    nodes.set(who, known);
    return known;
  }

  function check(who: string, { said, changes, channels, provoked }: Told) {
    const seconds = Number(head() - firstBlock) * blockSeconds;
    const most =
      FREE + PER_CHANGE * changes + PER_CHANNEL * channels * seconds + PER_PROVOCATION * provoked;
    if (said <= most) return;
    const text = `${who} has said ${said} messages after ${changes} changes of ${channels} channels`;
    throw new Violation(32, who, text);
  }

  return {
    commit(who, { proofs, outbox, channels }) {
      const told = toldOf(who);
      told.changes += proofs.length + outbox.length;
      told.channels += channels.length;
    },
    hears(who, from: Address) {
      if (honest(from) === null) toldOf(who).provoked += 1;
    },
    says(who) {
      const told = toldOf(who);
      told.said += 1;
      if (told.said % EACH === 0) check(who, told);
    },
  };
}
