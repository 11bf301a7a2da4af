/** How often the rules of each invariant have checked something: a rule that never did has proven nothing. */
import type { Oracle } from './oracle.ts';

export type Counts = ReturnType<typeof createCounts>;

export function createCounts() {
  const looks = new Map<number, number>();

  /** The rule, with each of its checks counted for the invariants that it is about. */
  function counted(invariants: readonly number[], rule: Oracle): Oracle {
    const { commit, written, says, sends, submitted, block, end } = rule;
    const look = () => {
      for (const invariant of invariants) looks.set(invariant, (looks.get(invariant) ?? 0) + 1);
    };
    const counting =
      <Args extends unknown[]>(judge: (...args: Args) => void) =>
      (...args: Args) => {
        look();
        judge(...args);
      };
    return {
      ...rule,
      ...(commit === undefined ? {} : { commit: counting(commit) }),
      ...(written === undefined ? {} : { written: counting(written) }),
      ...(says === undefined ? {} : { says: counting(says) }),
      ...(sends === undefined ? {} : { sends: counting(sends) }),
      ...(submitted === undefined ? {} : { submitted: counting(submitted) }),
      ...(block === undefined ? {} : { block: counting(block) }),
      ...(end === undefined ? {} : { end: counting(end) }),
    };
  }

  return { counted, looks: (): ReadonlyMap<number, number> => looks };
}
