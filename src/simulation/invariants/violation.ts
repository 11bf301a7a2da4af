/**
 * An invariant was violated. It is thrown in the middle of whatever the simulated world was doing, and ends the
 * run.
 */
export class Violation extends Error {
  /** Its number in the list of invariants. */
  readonly invariant: number;
  /** Name of the node that violated it; null: no node in particular. */
  readonly who: string | null;
  /** What an honest node lost by this, in the token's smallest unit; null: not known, or nothing. */
  readonly lost: bigint | null;

  constructor(
    invariant: number,
    who: string | null,
    text: string,
    { lost = null }: { lost?: bigint | null } = {},
  ) {
    super(text);
    this.invariant = invariant;
    this.who = who;
    this.lost = lost;
  }
}
