/** A whole life of two ends: what happens to them, and the calm after it. */
import {
  asksForNothing,
  channelOf,
  checkAgreement,
  checkEnd,
  checkStep,
  createWitness,
  isBusy,
  must,
} from './checks.ts';
import type { End } from './end.ts';
import { type Action, createWorld, type Settings, type World } from './world.ts';

/** More blocks than any lock, settlement or retry takes. */
const LONG = 150;

export function play(world: World, plan: readonly Action[]): void {
  for (const action of plan) {
    world.act(action);
    checkStep(world);
  }
}

/** No more faults: payments end, both agree, the channel is closed, everybody has what is theirs. */
export function finish(world: World): void {
  world.heal();
  const isQuiet = () => !world.ends.some((end) => isBusy(world, end)) && isSeen(world);
  const isGone = (end: End) => channelOf(end) === null || asksForNothing(world, end);
  tickUntil(world, isQuiet, 'payments end');
  if (world.chain.state() === 'opened') {
    checkAgreement(world);
    world.ask(0, { type: 'cmd.close' });
  }
  tickUntil(world, () => world.ends.every(isGone), 'the channel ends');
  tickUntil(world, isQuiet, 'all is quiet');
  world.flush();
  checkEnd(world);
}

/** Both ends know the chain up to the same block. */
function isSeen({ ends }: World): boolean {
  const [first, second] = ends.map((end) => end.process()?.nowBlock());
  return first !== undefined && first === second;
}

export function tickUntil(world: World, condition: () => boolean, what: string): void {
  for (let ticks = 0; !condition(); ticks++) {
    must(ticks < LONG, `waited in vain until ${what}`);
    world.tick();
    checkStep(world);
  }
}

export function newWorld(given: Settings): World {
  const world: World = createWorld(given, (parcel) => witness(parcel));
  const witness = createWitness(() => world);
  return world;
}
