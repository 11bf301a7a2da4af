/** Tests that walk over many points of the same kind. `npm run test:slow` takes a few, `npm run test:walks` takes all. */
const isFull = process.env['SLUICE_TESTS'] === 'full';

/** How often something random is tried: `often` in a full run, else `seldom`. */
export function times(often: number, seldom: number): number {
  return isFull ? often : seldom;
}

/** All of them in a full run, else those that stand for the others. */
export function walk<T>(all: readonly T[], isFew: (one: T, index: number) => boolean): T[] {
  return isFull ? [...all] : all.filter(isFew);
}
