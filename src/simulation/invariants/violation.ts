/** What must hold did not. Thrown out of whatever the simulated world was doing: the run ends with it. */
export class Violation extends Error {
  /** Of the list of invariants. */
  readonly invariant: number;
  /** Whose machine it was; null: nobody's in particular. */
  readonly who: string | null;
  /** What an honest node lost by it, in the token's smallest unit; null: not known, or nothing. */
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
