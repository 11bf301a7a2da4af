/** The stream to which a node's database is replicated: how it is reached, and the keys of its records. */
import type { Log } from '../../basics/environment.ts';
import type { JoinedBroker } from '../../partner/join.ts';
import { compressedKey } from '../../protocol/public-key.ts';
import type { JetStreamOptions } from '../../replica/jetstream.ts';
import { type RecordKeys, recordKeys } from '../../replica/record.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { ReplicaConfig } from './open-replica.ts';

type Request = { config: ReplicaConfig; broker: JoinedBroker; signer: Signer; log: Log };

/** The keys that only the holder of the node's key can derive. */
export function replicaKeys(
  signer: Signer,
  { chainId, tokenNetworkRegistry: registry }: Stamp,
): RecordKeys {
  const secret = signer.sharedSecret(compressedKey(signer.publicKey));
  if (secret === null) throw new Error('the own public key is none');
  try {
    return recordKeys(secret, `${chainId} ${registry.toLowerCase()} ${signer.address}`);
  } finally {
    secret.fill(0);
  }
}

/** How to reach the stream at the broker; null when the node has no broker. */
export function streamOptions({ config, broker, signer, log }: Request): JetStreamOptions | null {
  if ('bus' in broker) return null;
  return {
    url: broker.nats,
    ...(broker.access === undefined ? {} : { access: broker.access }),
    name: config.stream,
    inbox: signer.address.toLowerCase(),
    report: (problem) => log.warn({ stream: config.stream }, problem),
  };
}
