/** A node whose database took no more, and servers in front of it, each good for one call. */
import { serveNode } from '../../src/host/node-api.ts';
import { type RunningNode, startNode } from '../../src/node/start.ts';
import { startNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';
import type { Place } from './nodes.ts';

/** `serve` puts a new server in front of the same node: the first call of each meets the failure. */
export async function startBroken() {
  const network = await startNetwork();
  const parts = await network.parts('alice');
  const transport = network.bus.connect(parts.signer.address);
  let isFull = false;
  const fault = (point: string) => {
    if (isFull && point === 'commit.before') throw new Error('the disk is full');
  };
  const given = { ...parts, transport, fault, onFatal: () => {} };
  const node: RunningNode = startNode(network.settings, given, () => {});
  await until(() => node.status().status === 'ready', 'the node is ready');
  isFull = true;
  await network.whileMining(until(() => node.isBroken(), 'a commit fails'));

  return {
    async serve(): Promise<Place> {
      let stop = async () => {};
      const onInternalError = () => void stop();
      const config = { host: '127.0.0.1', port: 0, concurrency: 1 };
      const served = await serveNode({ node, config, onInternalError });
      if (!served.ok) throw new Error(served.message);
      stop = served.value.fail;
      return { url: served.value.url, stop };
    },
    async stop() {
      await node.stop();
      parts.connection.stop();
      await network.stop();
    },
  };
}
