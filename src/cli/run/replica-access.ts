/** The stream of a node's replica, opened with the key of the node, for the commands of an operator. */

import { messageOf } from '../../basics/message-of.ts';
import { connectChain } from '../../chain/client.ts';
import { replicaKeys } from '../../host/replica/node-stream.ts';
import { connectJetStream, type JetStreamOptions } from '../../replica/jetstream.ts';
import { openRecord, type RecordKeys } from '../../replica/record.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import { brokerAccess } from '../options/broker-access.ts';
import { unlock } from '../options/key.ts';
import { contractsIn } from '../options/node-config.ts';
import type { BrokerChoice, ReaderChoice } from '../options/replica.ts';
import type { Nothing } from '../options/settings.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { refuse, say } from '../process/terminal.ts';

export function brokerOf({ url, files, name, ...left }: BrokerChoice): Found<JetStreamOptions> {
  left satisfies Nothing;
  const access = brokerAccess(url, files);
  if (!access.ok) return access;
  return found({
    url,
    ...access.value,
    name,
    inbox: 'operator',
    report: say,
  });
}

export type ReplicaAccess = {
  broker: JetStreamOptions;
  signer: Signer;
  stamp: Stamp;
  keys: RecordKeys;
};

export async function open(choice: ReaderChoice): Promise<Found<ReplicaAccess>> {
  const { key, rpcUrl, networkId, contractsFile, broker: place, ...left } = choice;
  left satisfies Nothing;
  const broker = brokerOf(place);
  if (!broker.ok) return broker;
  const contracts = contractsIn(contractsFile);
  if (!contracts.ok) return contracts;
  const chainId = networkId === null ? await chainIdOf(rpcUrl) : found(networkId);
  if (!chainId.ok) return chainId;
  const signer = await unlock(key);
  if (!signer.ok) return signer;
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = contracts.value;
  const { address } = signer.value;
  const stamp = { chainId: chainId.value, tokenNetworkRegistry, ownAddress: address };
  const inbox = address.toLowerCase();
  const keys = replicaKeys(signer.value, stamp);
  return found({ broker: { ...broker.value, inbox }, signer: signer.value, stamp, keys });
}

async function chainIdOf(rpcUrl: string): Promise<Found<bigint>> {
  const connected = await connectChain({ rpcUrl, onOtherChain() {} });
  if (!connected.ok)
    return wrong('the chain does not answer: check --eth-rpc-endpoint, or give --network-id');
  connected.value.stop();
  return found(connected.value.chainId);
}

type Newest = { last: number; epoch: number | null };

type Work = (
  opened: ReplicaAccess,
  newest: Newest,
  stream: ReturnType<typeof connectJetStream>,
) => Promise<number>;

/** Does the work with what is in the stream; answers the exit code. */
export async function withStream(choice: ReaderChoice, work: Work): Promise<number> {
  const opened = await open(choice);
  if (!opened.ok) return refuse(opened.message);
  const { broker, keys, signer } = opened.value;
  const stream = connectJetStream(broker);
  try {
    const bounds = await stream.bounds();
    if (bounds === null)
      return refuse(
        `the broker has no stream ${broker.name}: "sluice replica create" makes it; if it was there before, "sluice replica renew" does`,
      );
    const { last } = bounds;
    const bytes = last === 0 ? null : await stream.read(last);
    const record = bytes === null ? null : openRecord(keys, bytes);
    if (bytes !== null && record === null)
      return refuse(`the stream ${broker.name} is not that of this key, chain and contracts`);
    return await work(opened.value, { last, epoch: record?.head.epoch ?? null }, stream);
  } catch (error) {
    return refuse(`the stream ${broker.name} cannot be read: ${messageOf(error)}`);
  } finally {
    await stream.close();
    signer.wipe();
  }
}
