/** A whole life of some nodes: what happens to them, and the calm after it. */
import type { Action, Settings } from './actions.ts';
import {
  asksForNothing,
  channelOf,
  checkAgreement,
  checkEnd,
  checkStep,
  createWitness,
  isBusy,
  must,
  viewsOf,
} from './checks.ts';
import { createWorld, type World } from './world.ts';

/** More blocks than any lock, settlement or retry takes. */
const LONG = 150;

export function play(world: World, plan: readonly Action[]): void {
  for (const action of plan) {
    world.act(action);
    checkStep(world);
  }
}

/** No more faults: payments end, all agree, the channels are closed, everybody has what is theirs. */
export function finish(world: World): void {
  const { chain } = world;
  world.heal();
  const isQuiet = () => !world.ends.some((end) => isBusy(world, end)) && isSeen(world);
  const isGone = ({ channelId, end }: ReturnType<typeof viewsOf>[number]) =>
    channelOf(end, channelId) === null || asksForNothing(world, end);
  tickUntil(world, isQuiet, 'payments end');
  for (const channelId of chain.channelIds()) {
    if (chain.contract(channelId).state() !== 'opened') continue;
    checkAgreement(world, channelId);
    world.ask({ by: Number(channelId) - 1, side: 1 }, { type: 'cmd.close' });
  }
  const isOver = () => viewsOf(world).every(isGone) && world.ends.every((end) => end.process());
  tickUntil(world, isOver, 'the channels end');
  tickUntil(world, isQuiet, 'all is quiet');
  world.flush();
  checkEnd(world);
}

/** All know the chain up to the same block. */
function isSeen({ ends }: World): boolean {
  const [first, ...others] = ends.map((end) => end.process()?.nowBlock());
  return first !== undefined && others.every((block) => block === first);
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
