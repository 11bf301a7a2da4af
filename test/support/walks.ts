/** Tests that walk over many points of the same kind. `npm test` takes a few, `npm run test:full` takes all. */
const isFull = process.env['SLUICE_TESTS'] === 'full';

/** All of them in a full run, else those that stand for the others. */
export function walk<T>(all: readonly T[], isFew: (one: T, index: number) => boolean): T[] {
  return isFull ? [...all] : all.filter(isFew);
}
