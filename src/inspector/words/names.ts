/** The names that a machine was set up with, so that a guard or an action without a sentence does not compile. */

type Machine = { provide(implementations: never): unknown };
type Provided<M extends Machine> = Parameters<M['provide']>[0];
type NamesIn<Part> = Extract<keyof NonNullable<Part>, string>;

/** A sentence for each guard (what holds when it is open) and for each action (what it does). */
export type WordsOf<M extends Machine> = {
  guards: Record<Provided<M> extends { guards?: infer Guards } ? NamesIn<Guards> : never, string>;
  actions: Record<
    Provided<M> extends { actions?: infer Actions } ? NamesIn<Actions> : never,
    string
  >;
};
/** The same, whichever machine it is of. */
export type Words = { guards: Record<string, string>; actions: Record<string, string> };
