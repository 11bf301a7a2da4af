/** A node whose database takes no more, and servers in front of it, each good for one call. */

import type { Fault } from '../../src/basics/fault.ts';
import type { NodeApi } from '../../src/node/api/api.ts';
import { until } from '../support/until.ts';
import type { Ground } from './ground.ts';
import type { Place } from './nodes.ts';

type Given = Pick<Ground, 'serveNode'> & {
  open(fault: Fault): Promise<{ node: { node: NodeApi } }>;
  whileMining(work: Promise<void>): Promise<void>;
};

/** `serve` puts a new server in front of the same node: the first call of each meets the failure. */
export async function startBroken({ serveNode, open, whileMining }: Given) {
  let isFull = false;
  const { node: opened } = await open((point) => {
    if (isFull && point === 'commit.before') throw new Error('the disk is full');
  });
  const { node } = opened;
  isFull = true;
  await whileMining(until(() => node.isBroken(), 'a commit fails'));

  return {
    async serve(): Promise<Place> {
      let stop = async () => {};
      const onInternalError = () => void stop();
      const config = { host: '127.0.0.1', port: 0, concurrency: 1 };
      const served = await serveNode({ node, config, onInternalError });
      if (!served.ok) throw new Error(served.message);
      const { url, fail, end } = served.value;
      stop = async () => {
        fail(true);
        await end();
      };
      return { url, stop };
    },
  };
}
