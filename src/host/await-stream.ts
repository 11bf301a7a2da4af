/** Waits for the stream of the replica, while a node guards its channels without it. */
import { connectJetStream } from '../replica/jetstream.ts';
import type { NodeConfig, NodeHooks } from './node-config.ts';
import { streamOptions } from './open-replica.ts';
import { systemClock } from './system.ts';

const LOOK_MS = 2_000;

/** Calls `onThere` once, when the stream of the configuration can be reached. The answer ends the waiting. */
export function awaitStream(
  { config, signer, log }: Pick<NodeHooks, 'signer' | 'log'> & { config: NodeConfig },
  onThere: () => void,
): () => Promise<void> {
  const { replica = null, broker } = config;
  const options = replica === null ? null : streamOptions({ config: replica, broker, signer, log });
  if (options === null) return async () => {};
  const stream = connectJetStream(options);
  const stop = systemClock.every(LOOK_MS, () => {
    const look = (bounds: unknown) => {
      if (bounds === null) return;
      stop();
      onThere();
    };
    stream.bounds().then(look, () => undefined);
  });
  return async () => {
    stop();
    await stream.close();
  };
}
