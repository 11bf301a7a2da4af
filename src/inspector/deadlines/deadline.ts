import type { Deadline } from '../wire.ts';

const NOTHING = {
  secrethash: null,
  side: null,
  amount: null,
  dangerBlock: null,
  expiryBlock: null,
} as const;

/** A deadline with the given facts; those that are not given are null. */
export function deadline(
  what: Deadline['what'],
  facts: Partial<Deadline> & Pick<Deadline, 'action' | 'actionBlock'>,
): Deadline {
  return { what, ...NOTHING, ...facts };
}
