/** `sluice replica`: the stream to which a node's database is replicated. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { connectChain } from '../chain/client.ts';
import { defaultDatabase, nodeName } from '../host/claim.ts';
import { replicaKeys } from '../host/open-replica.ts';
import { findBase, findOwner } from '../replica/base.ts';
import { askStandbys, type StandbyAnswer } from '../replica/desk.ts';
import { connectJetStream, createStream, type JetStreamOptions } from '../replica/jetstream.ts';
import type { Owner } from '../replica/reader.ts';
import { openRecord, type RecordKeys } from '../replica/record.ts';
import { restore } from '../replica/restore.ts';
import type { Signer } from '../signer/signer.ts';
import { parseLocation } from '../store/location.ts';
import { createPrivateFolder } from '../store/lock.ts';
import type { Stamp } from '../store/stamp.ts';
import { BROKER_SETTINGS, brokerAccess, brokerFilesOf } from './broker-access.ts';
import { dataFolder } from './folders.ts';
import { ADDRESS, type Found, KEYSTORE_PATH, keyChoiceOf, PASSWORD_FILE, unlock } from './key.ts';
import { NODE_SETTINGS } from './node.ts';
import { contractsIn } from './node-config.ts';
import * as node from './node-settings.ts';
import { declare, defaulting, type Read, readerOf, required, type Setting } from './settings.ts';
import { print, refuse, say } from './terminal.ts';
import * as values from './values.ts';

const STREAM = required('--replicate <stream>', 'name of the stream', values.streamName);
const NATS = required('--nats <url>', 'message broker with JetStream', values.natsUrl);
const REPLICAS = defaulting(
  '--replicas <n>',
  'servers of the broker that keep the stream: 1, 3 or 5',
  values.oneOf(['1', '3', '5']),
  '3',
);
const BROKER = [NATS, ...BROKER_SETTINGS, STREAM];
const KEY = [KEYSTORE_PATH, ADDRESS, PASSWORD_FILE];
const CHAIN = [node.ETH_RPC_ENDPOINT, node.CONTRACTS, node.NETWORK_ID];

export function replicaCommand(): Command {
  const add = (name: string, text: string, shown: Setting<unknown>[], run: Run) => {
    const command = new Command(name).description(text);
    return declare(command, shown, NODE_SETTINGS).action(async () => {
      process.exit(await run(readerOf(command)));
    });
  };
  return new Command('replica')
    .description('the stream to which the database of a node is replicated')
    .addCommand(add('create', 'make the stream at the broker', [...BROKER, REPLICAS], create))
    .addCommand(
      add(
        'status',
        'how far the node and its standbys have come',
        [...BROKER, ...KEY, ...CHAIN],
        status,
      ),
    )
    .addCommand(
      add(
        'takeover',
        'let a standby take the place of the node',
        [...BROKER, ...KEY, ...CHAIN],
        takeover,
      ),
    )
    .addCommand(
      add(
        'restore',
        'build the database of the node from the stream',
        [...BROKER, ...KEY, ...CHAIN, node.DATABASE],
        restoreDatabase,
      ),
    );
}

/** The exit code. */
type Run = (read: Read) => Promise<number>;

function brokerOf(read: Read): Found<JetStreamOptions> {
  const url = read(NATS);
  const access = brokerAccess(url, brokerFilesOf(read));
  if (!access.ok) return access;
  return {
    ok: true,
    value: {
      url,
      ...access.value,
      name: read(STREAM),
      inbox: 'operator',
      report: say,
    },
  };
}

async function create(read: Read): Promise<number> {
  const broker = brokerOf(read);
  if (!broker.ok) return refuse(broker.message);
  const { name } = broker.value;
  const made = await createStream({ ...broker.value, replicas: Number(read(REPLICAS)) });
  if (!made.ok) return refuse(`the stream ${name} was not made: ${made.message}`);
  print(`created: ${name}`);
  say(`Start the node with --replicate ${name}; another machine with the same key adds --standby.`);
  return 0;
}

type Opened = { broker: JetStreamOptions; signer: Signer; stamp: Stamp; keys: RecordKeys };

/** Everything that reads the stream needs the key, and the chain and contracts for which it is used. */
async function open(read: Read): Promise<Found<Opened>> {
  const choice = keyChoiceOf(read);
  const rpcUrl = read(node.ETH_RPC_ENDPOINT);
  const networkId = read(node.NETWORK_ID);
  const broker = brokerOf(read);
  if (!broker.ok) return broker;
  const contracts = contractsIn(read(node.CONTRACTS));
  if (!contracts.ok) return contracts;
  const chainId =
    networkId === null ? await chainIdOf(rpcUrl) : { ok: true as const, value: networkId };
  if (!chainId.ok) return chainId;
  const signer = await unlock(choice);
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

async function status(read: Read): Promise<number> {
  return withStream(read, async ({ broker, keys }, newest, stream) => {
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

async function takeover(read: Read): Promise<number> {
  return withStream(read, async ({ broker, keys }, { epoch }) => {
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

async function restoreDatabase(read: Read): Promise<number> {
  return withStream(read, async ({ stamp, keys }, _newest, stream) => {
    const name = nodeName(stamp.chainId, stamp.tokenNetworkRegistry, stamp.ownAddress);
    const url = read(node.DATABASE) ?? defaultDatabase(dataFolder(), name);
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

async function withStream(read: Read, work: Work): Promise<number> {
  const opened = await open(read);
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
