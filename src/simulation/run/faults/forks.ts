/**
 * Handles a node that has seen confirmed blocks replaced: its program stops it, rewinds its database to the fork
 * and starts it again in safe mode, until its operator has accepted the new chain.
 */
import type { ChainClient } from '../../../chain/client.ts';
import { findForkPoint } from '../../../chain/watch/fork-point.ts';
import { rewindStore } from '../../../node/runtime/actors/rewind.ts';
import type { Store } from '../../../store/store.ts';
import type { Scheduler } from '../../world/scheduler.ts';
import type { World } from '../world.ts';

type Options = {
  world: Pick<World, 'inhabitants' | 'chain'>;
  scheduler: Scheduler;
  blockMs: number;
};

/** Blocks until the operator has checked that it is the right chain. */
const BLOCKS_TO_LOOK = 10;

export function createForks({ world, scheduler, blockMs }: Options) {
  async function takeBack(store: Store, client: ChainClient) {
    try {
      const found = await findForkPoint(client, store.trail(), world.chain.deployBlock);
      if (found !== null) rewindStore(store, found, scheduler.now());
    } catch {
      // The endpoint failed: the node will see the replaced blocks again when it answers.
    }
  }

  return {
    /** Called when the node with this index reports that confirmed blocks were replaced. */
    met(index: number) {
      const machine = world.inhabitants[index]?.machine;
      void machine?.reopen(takeBack);
      scheduler.after(BLOCKS_TO_LOOK * blockMs, () => {
        if (machine?.node()) void machine.reopen(async (store) => store.acceptFork());
      });
    },
  };
}
