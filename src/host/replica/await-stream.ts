/** Waits for the stream of the replica, while a node guards its channels without it. */
import { hostname } from 'node:os';
import { openControl } from '../../replica/control.ts';
import { connectJetStream } from '../../replica/jetstream.ts';
import type { StreamPoint, StreamPosition } from '../../replica/position.ts';
import { openRecord, type RecordKeys, tagOf } from '../../replica/record.ts';
import type { RecordStream } from '../../replica/stream.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { Problem } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import type { NodeConfig, NodeHooks } from '../node-config.ts';
import { replicaKeys, streamOptions } from './node-stream.ts';

/** What the database notes of its stream, and why that cannot be used. */
export type Waiting = { place: StreamPosition; problem: Problem };

type Options = Pick<NodeHooks, 'signer' | 'log'> & {
  config: NodeConfig;
  stamp: Stamp;
  waiting: Waiting;
  /** Called once, when the stream can be used. */
  onStream(): void;
  /** Called when the operator has put an empty stream into the place of the one that was lost. */
  onRenewal(): void;
};

const LOOK_MS = 2_000;

/** The answer ends the waiting. */
export function awaitStream(given: Options): () => Promise<void> {
  const { config, signer, log, stamp, waiting, onStream, onRenewal } = given;
  const { replica = null, broker } = config;
  const options = replica === null ? null : streamOptions({ config: replica, broker, signer, log });
  if (options === null) return async () => {};
  const { place, problem } = waiting;
  const { sequence } = place.at;
  const { epoch } = place;
  const isLost = problem === 'replica_lost';
  const keys = replicaKeys(signer, stamp);
  const stream = connectJetStream(options);
  /** One that was shorter may be whole again, when another of its servers leads it. */
  const isUsable = async () => {
    const bounds = await stream.bounds();
    if (bounds === null || problem === 'unfit') return false;
    return !isLost || (await isWhole(stream, keys, { last: bounds.last, at: place.at }));
  };
  let isFound = false;
  const stop = systemClock.every(LOOK_MS, () => {
    const begin = (isThere: boolean) => {
      if (!isThere || isFound) return;
      isFound = true;
      onStream();
    };
    isUsable().then(begin, () => undefined);
  });
  const closeControl = openControl({
    ...options,
    keys,
    state: () => {
      const own = { role: 'guard', host: hostname(), pid: process.pid } as const;
      return { ...own, sequence, epoch, silentMs: 0, isServing: false, isLost };
    },
    orders: { renew: onRenewal },
  });
  return async () => {
    stop();
    await closeControl();
    await stream.close();
  };
}

/** Whether the stream has what the database knows of it, and ends with a record of this key. */
async function isWhole(
  stream: RecordStream,
  keys: RecordKeys,
  { last, at }: { last: number; at: StreamPoint },
): Promise<boolean> {
  const known = await stream.read(at.sequence);
  const newest = await stream.read(last);
  if (known === null || newest === null || openRecord(keys, newest) === null) return false;
  return tagOf(known) === at.tag;
}
