/** Random lives of some nodes in a line. */
import fc from 'fast-check';
import { createTally, plansOf } from './plans.ts';
import { checkJournal } from './replays.ts';
import { finish, newWorld, play } from './runs.ts';

/** Lives through so many, or as many as `SLUICE_MODEL_RUNS` asks for; answers what was met. Throws what is wrong. */
export function liveThrough(nodes: number, usualRuns: number) {
  const asked = process.env['SLUICE_MODEL_RUNS'];
  const tally = createTally();
  const { settings, actions } = plansOf(nodes);
  const property = fc.property(settings, actions, (given, plan) => {
    const world = newWorld(given);
    play(world, plan);
    for (const { disk } of world.ends) checkJournal(disk);
    finish(world);
    tally.note(world);
  });
  fc.assert(property, { numRuns: Number(asked ?? usualRuns) });
  if (asked !== undefined) console.table(tally.table());
  return tally;
}
