/** Makes, shows and reads the stream to which a node's database is replicated. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../basics/message-of.ts';
import { defaultDatabase, nodeName } from '../../host/database/claim.ts';
import { askControls, type ControlAnswer } from '../../replica/control.ts';
import { createStream, deleteStream } from '../../replica/jetstream.ts';
import type { StreamOwner } from '../../replica/reader.ts';
import { restore } from '../../replica/restore.ts';
import { findOwner, findSnapshot } from '../../replica/snapshot.ts';
import { parseLocation } from '../../store/durability/location.ts';
import { createPrivateFolder } from '../../store/durability/lock.ts';
import type {
  CREATE_OPTIONS,
  RENEW_OPTIONS,
  RESTORE_OPTIONS,
  ReaderChoice,
} from '../options/replica.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { dataFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { print, refuse, say } from '../process/terminal.ts';
import { brokerOf, open, withStream } from './replica-access.ts';

/** The exit code. */
export async function create({
  broker: choice,
  replicas,
  ...left
}: Values<typeof CREATE_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  const broker = brokerOf(choice);
  if (!broker.ok) return refuse(broker.message);
  const { name } = broker.value;
  const made = await createStream({ ...broker.value, replicas });
  if (!made.ok) return refuse(`the stream ${name} was not made: ${made.message}`);
  print(`created: ${name}`);
  say(`Start the node with --replicate ${name}; another machine with the same key adds --standby.`);
  return 0;
}

/** The exit code. */
export async function status(choice: ReaderChoice): Promise<number> {
  return withStream(choice, async ({ broker, keys }, newest, stream) => {
    const found = await findSnapshot(stream, keys);
    const owner = await findOwner(stream, keys);
    const answers = await askControls({ ...broker, keys }, { ask: 'status', epoch: 0 });
    const standbys = answers.filter(({ role }) => role === 'standby');
    // The owner writes on meanwhile: a standby is ahead of what is read now only when that is an old end.
    const last = (await stream.bounds())?.last ?? newest.last;
    print(`stream    ${broker.name}`);
    print(`records   ${newest.last}`);
    print(`epoch     ${newest.epoch ?? '-'}`);
    print(`owner     ${owner?.epoch === newest.epoch ? ownerLine(owner.owner) : '-'}`);
    print(
      found.ok
        ? `copy      up to record ${found.base.at.sequence}, ${found.base.bytes} bytes`
        : `copy      ${found.message}`,
    );
    for (const one of standbys) print(`standby   ${lineOf(one, { first: newest.last, last })}`);
    if (standbys.length === 0) print('standby   none answers');
    return 0;
  });
}

const processOf = ({ host, pid }: Pick<ControlAnswer, 'host' | 'pid'>) =>
  `process ${pid} on ${host}`;

const ownerLine = (owner: StreamOwner) =>
  `${processOf(owner)}, since ${new Date(owner.time).toISOString()}`;

/** `first` and `last`: the newest record before the standby was asked, and after it has answered. */
function lineOf(
  { sequence, silentMs, ...standby }: ControlAnswer,
  { first, last }: { first: number; last: number },
): string {
  // Each of a cluster's servers may be asked, also one that was away.
  const distance =
    sequence > last
      ? `${sequence - last} records ahead of this broker, which has an old end: ask again, or another one`
      : `${Math.max(first - sequence, 0)} records behind`;
  return `${processOf(standby)}, ${distance}, heard the owner ${(silentMs / 1_000).toFixed(1)} s ago`;
}

/** The exit code. */
export async function takeover(choice: ReaderChoice): Promise<number> {
  return withStream(choice, async ({ broker, keys }, { epoch }) => {
    if (epoch === null)
      return refuse('the stream has no owner yet: start the node with --replicate');
    const begin = performance.now();
    const desks = { ...broker, keys };
    const isEnough = ({ agrees, role }: ControlAnswer) => agrees && role === 'standby';
    const answers = await askControls(desks, { ask: 'takeover', epoch, isEnough });
    const taking = answers.find(isEnough);
    if (taking === undefined)
      return refuse(
        'no standby answers: start one with "sluice node --standby", or wait until it follows',
      );
    print(`takes over: ${processOf(taking)}`);
    return whenServing(desks, { epoch, begin, did: 'taken over' });
  });
}

type Desks = Parameters<typeof askControls>[0];

const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/** Who has owned the stream since this epoch, as soon as it takes calls, or after a minute; null: nobody has. */
async function newOwner(desks: Desks, epoch: number): Promise<ControlAnswer | null> {
  let owner: ControlAnswer | null = null;
  const isNew = (one: ControlAnswer) => one.role === 'owner' && (one.epoch ?? 0) > epoch;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(LOOK_MS)) {
    const answers = await askControls(desks, { ask: 'status', epoch, isEnough: isNew });
    owner = answers.find(isNew) ?? owner;
    if (owner?.isServing === true) break;
  }
  return owner;
}

type Expected = { epoch: number; begin: number; did: string };

/** Waits until a later owner than that of the epoch takes calls, and says who does; answers the exit code. */
async function whenServing(desks: Desks, { epoch, begin, did }: Expected): Promise<number> {
  const owner = await newOwner(desks, epoch);
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  if (owner === null)
    return refuse(`nobody owns the stream after ${seconds} s: look at the log of the node`);
  const who = processOf(owner);
  if (!owner.isServing)
    return refuse(`${who} owns the stream, and takes no calls after ${seconds} s: see its log`);
  print(`${did}: ${who} takes calls after ${seconds} s`);
  return 0;
}

/**
 * Puts an empty stream into the place of one that the brokers have lost, and lets the node begin with it whose database
 * is the newest; answers the exit code.
 */
export async function renew({
  reader,
  replicas,
  ...left
}: Values<typeof RENEW_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  const opened = await open(reader);
  if (!opened.ok) return refuse(opened.message);
  const { broker, keys, signer } = opened.value;
  try {
    const desks = { ...broker, keys };
    const found = nodeToBegin(await askControls(desks, { ask: 'status', epoch: 0 }));
    if (!found.ok) return refuse(found.message);
    const node = found.value;
    const begin = performance.now();
    await deleteStream(broker);
    const made = await createStream({ ...broker, replicas });
    if (!made.ok) return refuse(`the stream ${broker.name} was not made: ${made.message}`);
    print(`made anew: ${broker.name}; ${processOf(node)} begins it, with record ${node.sequence}`);
    const epoch = node.epoch ?? 0;
    for (const end = begin + PATIENCE_MS; performance.now() < end; await delay(LOOK_MS)) {
      const isEnough = ({ agrees }: ControlAnswer) => agrees;
      if ((await askControls(desks, { ask: 'renew', epoch, isEnough })).some(isEnough)) break;
    }
    return await whenServing(desks, { epoch, begin, did: 'begun' });
  } catch (error) {
    return refuse(messageOf(error));
  } finally {
    signer.wipe();
  }
}

/** The node that goes on, when all that answer agree that its database is the newest, and its stream is lost. */
function nodeToBegin(answers: readonly ControlAnswer[]): Found<ControlAnswer> {
  const [first, second] = answers.toSorted(newestFirst);
  if (first === undefined || first.role === 'standby') {
    const message =
      first === undefined
        ? 'no node answers: start it, with --replicate, and it guards its channels until it has a stream'
        : `no node answers whose database is as new as that of ${processOf(first)}, a standby: start the node`;
    return { ok: false, message };
  }
  if (!first.isLost) return wrong(`the stream of ${processOf(first)} is not lost: see its /readyz`);
  if (second !== undefined && second.role !== 'standby' && newestFirst(first, second) === 0) {
    const message = `${processOf(first)} and ${processOf(second)} have the same database: end one`;
    return { ok: false, message };
  }
  return found(first);
}

/** By epoch; in the same one, its node comes before the standbys that have followed it. */
function newestFirst(a: ControlAnswer, b: ControlAnswer): number {
  const behind = (one: ControlAnswer) => (one.role === 'standby' ? 1 : 0);
  return (b.epoch ?? 0) - (a.epoch ?? 0) || behind(a) - behind(b) || b.sequence - a.sequence;
}

/** The exit code. */
export async function restoreDatabase({
  reader,
  database,
  ...left
}: Values<typeof RESTORE_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  return withStream(reader, async ({ stamp, keys }, _newest, stream) => {
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
