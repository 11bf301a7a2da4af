/** Makes, shows and reads the stream to which a node's database is replicated. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { connectChain } from '../../chain/client.ts';
import { defaultDatabase, nodeName } from '../../host/claim.ts';
import { replicaKeys } from '../../host/open-replica.ts';
import { findBase, findOwner } from '../../replica/base.ts';
import { askStandbys, type StandbyAnswer } from '../../replica/desk.ts';
import { connectJetStream, createStream, type JetStreamOptions } from '../../replica/jetstream.ts';
import type { Owner } from '../../replica/reader.ts';
import { openRecord, type RecordKeys } from '../../replica/record.ts';
import { restore } from '../../replica/restore.ts';
import type { Signer } from '../../signer/signer.ts';
import { parseLocation } from '../../store/location.ts';
import { createPrivateFolder } from '../../store/lock.ts';
import type { Stamp } from '../../store/stamp.ts';
import { type BrokerFiles, brokerAccess } from '../broker-access.ts';
import { dataFolder } from '../folders.ts';
import { type Found, unlock } from '../key.ts';
import type { KeyChoice } from '../key-choice.ts';
import { contractsIn } from '../node-config.ts';
import { print, refuse, say } from '../terminal.ts';

/** `name`: that of the stream. */
type BrokerChoice = { url: string; files: BrokerFiles; name: string };
type ReaderChoices = {
  key: KeyChoice;
  rpcUrl: string;
  networkId: bigint | null;
  contractsFile: string;
  broker: BrokerChoice;
};

function brokerOf({ url, files, name }: BrokerChoice): Found<JetStreamOptions> {
  const access = brokerAccess(url, files);
  if (!access.ok) return access;
  return {
    ok: true,
    value: {
      url,
      ...access.value,
      name,
      inbox: 'operator',
      report: say,
    },
  };
}

/** The exit code. */
export async function create(choice: BrokerChoice, replicas: number): Promise<number> {
  const broker = brokerOf(choice);
  if (!broker.ok) return refuse(broker.message);
  const { name } = broker.value;
  const made = await createStream({ ...broker.value, replicas });
  if (!made.ok) return refuse(`the stream ${name} was not made: ${made.message}`);
  print(`created: ${name}`);
  say(`Start the node with --replicate ${name}; another machine with the same key adds --standby.`);
  return 0;
}

type Opened = { broker: JetStreamOptions; signer: Signer; stamp: Stamp; keys: RecordKeys };

async function open(choices: ReaderChoices): Promise<Found<Opened>> {
  const { key, rpcUrl, networkId } = choices;
  const broker = brokerOf(choices.broker);
  if (!broker.ok) return broker;
  const contracts = contractsIn(choices.contractsFile);
  if (!contracts.ok) return contracts;
  const chainId =
    networkId === null ? await chainIdOf(rpcUrl) : { ok: true as const, value: networkId };
  if (!chainId.ok) return chainId;
  const signer = await unlock(key);
  if (!signer.ok) return signer;
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = contracts.value;
  const { address } = signer.value;
  const stamp = { chainId: chainId.value, tokenNetworkRegistry, ownAddress: address };
  const inbox = address.toLowerCase();
  const keys = replicaKeys(signer.value, stamp);
  return {
    ok: true,
    value: { broker: { ...broker.value, inbox }, signer: signer.value, stamp, keys },
  };
}

async function chainIdOf(rpcUrl: string): Promise<Found<bigint>> {
  const connected = await connectChain({ rpcUrl, onOtherChain() {} });
  if (!connected.ok)
    return {
      ok: false,
      message: 'the chain does not answer: check --eth-rpc-endpoint, or give --network-id',
    };
  connected.value.stop();
  return { ok: true, value: connected.value.chainId };
}

type Newest = { last: number; epoch: number | null };

/** The exit code. */
export async function status(choices: ReaderChoices): Promise<number> {
  return withStream(choices, async ({ broker, keys }, newest, stream) => {
    const found = await findBase(stream, keys);
    const owner = await findOwner(stream, keys);
    const standbys = await askStandbys(
      { ...broker, keys },
      { ask: 'status', epoch: newest.epoch ?? 0 },
    );
    print(`stream    ${broker.name}`);
    print(`records   ${newest.last}`);
    print(`epoch     ${newest.epoch ?? '-'}`);
    print(`owner     ${owner?.epoch === newest.epoch ? ownerLine(owner.owner) : '-'}`);
    print(
      found.ok
        ? `copy      up to record ${found.base.at.sequence}, ${found.base.bytes} bytes`
        : `copy      ${found.message}`,
    );
    for (const one of standbys) print(`standby   ${lineOf(one, newest)}`);
    if (standbys.length === 0) print('standby   none answers');
    return 0;
  });
}

function ownerLine({ host, pid, time }: Owner): string {
  return `process ${pid} on ${host}, since ${new Date(time).toISOString()}`;
}

function lineOf({ host, pid, sequence, silentMs }: StandbyAnswer, { last }: Newest): string {
  const behind = Math.max(0, last - sequence);
  return `process ${pid} on ${host}, ${behind} records behind, heard the owner ${(silentMs / 1_000).toFixed(1)} s ago`;
}

/** The exit code. */
export async function takeover(choices: ReaderChoices): Promise<number> {
  return withStream(choices, async ({ broker, keys }, { epoch }) => {
    if (epoch === null)
      return refuse('the stream has no owner yet: start the node with --replicate');
    const answers = await askStandbys({ ...broker, keys }, { ask: 'takeover', epoch });
    const taking = answers.filter(({ isTakingOver }) => isTakingOver);
    for (const { host, pid } of taking) print(`takes over: process ${pid} on ${host}`);
    if (taking.length > 0) return 0;
    return refuse(
      'no standby answers: start one with "sluice node --standby", or wait until it follows',
    );
  });
}

/** The exit code. */
export async function restoreDatabase(
  choices: ReaderChoices,
  database: string | null,
): Promise<number> {
  return withStream(choices, async ({ stamp, keys }, _newest, stream) => {
    const name = nodeName(stamp.chainId, stamp.tokenNetworkRegistry, stamp.ownAddress);
    const url = database ?? defaultDatabase(dataFolder(), name);
    const location = parseLocation(url);
    if (location.kind !== 'file')
      return refuse('a database is restored into a file: give --database file:/path');
    const { path } = location;
    if (existsSync(path))
      return refuse(
        `${path} is there already, and is not replaced: move it away, or give another --database`,
      );
    createPrivateFolder(dirname(path));
    const restored = await restore({ stream, keys, path, stamp });
    if (!restored.ok) return refuse(`nothing was written: ${restored.message}`);
    print(`restored: ${path} up to record ${restored.last}`);
    say(
      'The broker could have held back the newest records, which an empty machine cannot see. Start the node with ' +
        '--standby --takeover-after 10: it takes over when nobody else writes into the stream.',
    );
    return 0;
  });
}

type Work = (
  opened: Opened,
  newest: Newest,
  stream: ReturnType<typeof connectJetStream>,
) => Promise<number>;

async function withStream(choices: ReaderChoices, work: Work): Promise<number> {
  const opened = await open(choices);
  if (!opened.ok) return refuse(opened.message);
  const { broker, keys, signer } = opened.value;
  const stream = connectJetStream(broker);
  try {
    const bounds = await stream.bounds();
    if (bounds === null)
      return refuse(`the broker has no stream ${broker.name}: "sluice replica create" makes it`);
    const { last } = bounds;
    const bytes = last === 0 ? null : await stream.read(last);
    const record = bytes === null ? null : openRecord(keys, bytes);
    if (bytes !== null && record === null)
      return refuse(`the stream ${broker.name} is not that of this key, chain and contracts`);
    return await work(opened.value, { last, epoch: record?.head.epoch ?? null }, stream);
  } catch (error) {
    return refuse(
      `the stream ${broker.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await stream.close();
    signer.wipe();
  }
}
