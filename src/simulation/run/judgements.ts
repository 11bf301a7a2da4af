/** What must be judged before a run ends: whatever nobody has judged by then did not come true. */
import { Violation } from '../invariants/violation.ts';
import { type Expected, isExpected } from '../scenario/schema/steps.ts';

/** Says how it ended: null: as it should; else why not. Only the first word counts. */
export type Judge = (failure: string | null) => void;
export type Judgements = ReturnType<typeof createJudgements>;

export function createJudgements(onViolation: (violation: Violation) => void) {
  /** What nobody has judged yet, in words. */
  const open = new Set<{ what: string }>();
  const failed = (text: string) => onViolation(new Violation(27, null, text));

  /** Begins what must be judged. `what`: in words, such as "the payment of block 3". */
  function expects(what: string): Judge {
    const one = { what };
    open.add(one);
    return (failure) => {
      if (open.delete(one) && failure !== null) failed(`${what} ${failure}`);
    };
  }

  return {
    expects,
    /** The same of an answer, whose code the returned function takes; null: it was done. */
    expectsAnswer(what: string, expected: Expected): (code: string | null) => void {
      if (expected === 'any') return () => {};
      const judge = expects(what);
      return (code) =>
        judge(
          isExpected(expected, code) ? null : `was to be a ${expected}: ${code ?? 'it was done'}`,
        );
    },
    /** The run ends. */
    end() {
      for (const { what } of open) failed(`${what} had no end when the run ended`);
      open.clear();
    },
  };
}
