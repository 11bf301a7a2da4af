/** What an operator is told once, however often it is met, until things are well again. */

/** So many different sentences are remembered: a server chooses some of them. */
const MOST_REMEMBERED = 100;

export function toldOnce(tell: (problem: string) => void) {
  const told = new Set<string>();
  return {
    report(problem: string): void {
      if (told.has(problem)) return;
      if (told.size >= MOST_REMEMBERED) told.clear();
      told.add(problem);
      tell(problem);
    },
    /** What comes back from now on is told again. */
    forget: () => told.clear(),
  };
}
