/** One attack: a lock that its payer does not pay, and a flood while its secret has to be brought on chain. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { type Secret, toHex } from '../../src/basics/hex.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Change } from '../../src/protocol/messages/changes.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { proofsIn } from '../support/cheating.ts';
import type { Participant } from '../support/stranger.ts';
import { until } from '../support/until.ts';
import { type Kind, payloadsOf, type Scene } from './attack-kinds.ts';
import type { AttackNetwork, Stage } from './attack-network.ts';
import { metricsOf } from './node-metrics.ts';
import { drawKey } from './node-process.ts';
import { cpuMsOf, memoryOf, sleepsOf } from './process-figures.ts';
import { startQuota } from './quota.ts';

/** Blocks from the lock until its secret has to be brought on chain. */
const BLOCKS_BEFORE = 8n;
/** The flood begins so many blocks before that. */
const BLOCKS_AHEAD = 1n;
/** Locks that the payer gives at a time, to fill the outbox. */
const AT_A_TIME = 50;
const SMALL_AMOUNT = 10n ** 15n;
const LONG_TIMEOUT = 200n;
const ACKNOWLEDGED = 10;
/** Who does not answer for so long has nothing more to say. */
const SILENCE_MS = 20_000;
const REPEAT_MS = 1_000;
const PROBE_MS = 250;
/** A node that uses less of a core and sleeps more often in a second, for so many probes in a row, has nothing to do. */
const QUIET_PART = 0.2;
const QUIET_SLEEPS = 20;
const QUIET_PROBES = 3;
const QUIET_PROBE_MS = 1_000;
const PATIENCE_MS = 240_000;

export type Debt = { secret: Secret; amount: bigint; paymentId: bigint; expiration: bigint };
export type Outcome = Awaited<ReturnType<typeof attack>>;
type Options = {
  /** Of the flood. */
  bytes: number;
  revealTimeout: bigint;
  /** Of the lock that the payer does not pay. */
  amount: bigint;
  /** The part of a core that the node has from the flood on; null: what it can get. */
  quota: number | null;
};

const drawSecret = () => toHex(randomBytes(32));

function hears<T extends Message['type']>(stranger: Participant, type: T) {
  return stranger.heard().flatMap(({ message }) => (isOf(message, type) ? [message] : []));
}

/** The changes of this type in all Updates. */
const changesHeard = <T extends Change['type']>(stranger: Participant, type: T) =>
  hears(stranger, 'Update').flatMap(({ changes }) =>
    changes.flatMap((change) => (isOf(change, type) ? [change] : [])),
  );

function isOf<M extends { type: string }, T extends M['type']>(
  message: M,
  type: T,
): message is Extract<M, { type: T }> {
  return message.type === type;
}

/** Says something again and again, since a node may drop what it hears, until it has had its effect. */
async function insist(
  say: () => void,
  isDone: () => boolean | Promise<boolean>,
  patienceMs = SILENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isDone()) && performance.now() < end) {
    say();
    await until(isDone, '', REPEAT_MS).catch(() => {});
  }
}

const isAcknowledged = (by: Participant, messageId: bigint) =>
  hears(by, 'Processed').some((each) => each.messageId === messageId);

/** The payer gives a lock for the payee, which shows the secret. */
function createGiving({ mediator, payer, payee }: Stage) {
  const parties = { initiator: payer.address, target: payee.address };
  const metadata = routesMetadata([payer.address, mediator.address, payee.address]);
  return {
    lock({ secret, amount, paymentId, expiration }: Debt): Update {
      const lock = { amount, expiration, secrethash: secrethashOf(secret) };
      return payer.lockMessage({ paymentId, ...parties, lock, metadata });
    },
    isPassedOn: ({ secret }: Debt) =>
      changesHeard(payee, 'lock').some((each) => each.lock.secrethash === secrethashOf(secret)),
    isPaidOut: ({ secret }: Debt) =>
      changesHeard(payee, 'unlock').some((each) => each.secret === secret),
  };
}

/** So many payments over the node, of which the payee acknowledges nothing. Answers whether all were made. */
async function payOver(network: AttackNetwork, stage: Stage, count: number): Promise<boolean> {
  const { payer, payee } = stage;
  const giving = createGiving(stage);
  const expiration = (await network.head()) + LONG_TIMEOUT;
  const debts = Array.from({ length: count }, (_, at) => {
    return { secret: drawSecret(), amount: SMALL_AMOUNT, paymentId: BigInt(at), expiration };
  });
  const locks = debts.map(giving.lock);
  await insist(
    () => payer.say(...locks),
    () => debts.every(giving.isPassedOn),
  );
  const passedOn = debts.filter(giving.isPassedOn);
  const reveal = () => {
    for (const { secret } of passedOn) payee.reveal(secret);
  };
  await insist(reveal, () => passedOn.every(giving.isPaidOut));
  const paidOut = passedOn.filter(giving.isPaidOut);
  const unlocks = paidOut.map(payer.unlockMessage);
  await insist(
    () => payer.say(...unlocks),
    () => unlocks.every(({ messageId }) => isAcknowledged(payer, messageId)),
  );
  return paidOut.length === count;
}

/** Lets messages wait for the payee: so many, or as many as the node lets wait, with room for one more payment. */
async function fillOutbox(network: AttackNetwork, stage: Stage, rows: number): Promise<void> {
  const { payee } = stage;
  for (let waiting = 0; waiting < rows; waiting += 2 * AT_A_TIME)
    if (!(await payOver(network, stage, AT_A_TIME))) break;
  const oldest = payee.heard().flatMap(({ message }) => ('nonce' in message ? [message] : []));
  for (const { messageId } of oldest.slice(0, ACKNOWLEDGED))
    payee.say({ type: 'Processed', messageId });
}

/** Lets the node lock something for a payment of its own to the payee. */
async function askForPayment({ mediator, payee }: Stage) {
  const given = () =>
    changesHeard(payee, 'lock').find(({ initiator }) => initiator === mediator.address);
  mediator.askToPay(payee.address, SMALL_AMOUNT);
  await until(() => given() !== undefined, 'the node pays the payee');
  return given() ?? null;
}

async function sceneOf(network: AttackNetwork, stage: Stage, kind: Kind): Promise<Scene> {
  const { mediator, payer, payee, signers } = stage;
  // All three know each other from then on.
  await payOver(network, stage, 1);
  if (kind.rows !== undefined) await fillOutbox(network, stage, kind.rows);
  return {
    own: mediator.address,
    token: network.token,
    payer,
    payee,
    signers,
    forger: drawKey().signer,
    secret: drawSecret(),
    asked: kind.needsPayment === true ? await askForPayment(stage) : null,
    proof: proofsIn(payee.heard())[1] ?? null,
    headBlock: await network.head(),
  };
}

/**
 * Waits until the node has nothing to do, but not for ever: it uses little, and not because others have the machine.
 * Answers the most memory that it had meanwhile, in MiB.
 */
export async function quiet(pid: number): Promise<number> {
  const end = performance.now() + PATIENCE_MS;
  let most = 0;
  for (let calm = 0; calm < QUIET_PROBES && performance.now() < end; ) {
    const before = { time: performance.now(), cpu: cpuMsOf(pid), sleeps: sleepsOf(pid) };
    await delay(QUIET_PROBE_MS);
    const milliseconds = performance.now() - before.time;
    const part = (cpuMsOf(pid) - before.cpu) / milliseconds;
    const sleeps = (1_000 * (sleepsOf(pid) - before.sleeps)) / milliseconds;
    calm = part < QUIET_PART && sleeps > QUIET_SLEEPS ? calm + 1 : 0;
    most = Math.max(most, memoryOf(pid) / 1_024);
  }
  return most;
}

/** Waits until the secret stands on chain, or it is too late. */
async function registered(network: AttackNetwork, { secret, expiration }: Debt): Promise<bigint> {
  for (;;) {
    const block = await network.registration(secrethashOf(secret));
    if (block > 0n || (await network.head()) >= expiration) return block;
    await delay(PROBE_MS);
  }
}

const longest = (values: readonly number[]) => Math.max(0, ...values);

/**
 * The payer gives a lock, the payee shows its secret and is paid, and the payer keeps silent: the node has to register
 * the secret when the reveal timeout before the lock's expiration begins, after so many blocks. Resolves one block
 * earlier. On a busy machine all that may take longer: then another lock gets more time.
 */
async function owe(
  network: AttackNetwork,
  stage: Stage,
  owed: Owed,
  blocks = BLOCKS_BEFORE,
): Promise<{ debt: Debt; dueBlock: bigint }> {
  const giving = createGiving(stage);
  const dueBlock = (await network.head()) + blocks;
  const { secret, amount, revealTimeout } = owed;
  const debt = { secret, amount, paymentId: 1n, expiration: dueBlock + revealTimeout };
  const isTime = async () => (await network.head()) >= dueBlock - BLOCKS_AHEAD;
  const lock = giving.lock(debt);
  const isPassedOn = async () => giving.isPassedOn(debt) || (await isTime());
  await insist(() => stage.payer.say(lock), isPassedOn, PATIENCE_MS);
  if (giving.isPassedOn(debt)) {
    const isPaidOut = async () => giving.isPaidOut(debt) || (await isTime());
    await insist(() => stage.payee.reveal(secret), isPaidOut, PATIENCE_MS);
  }
  if (!giving.isPaidOut(debt))
    return owe(network, stage, { ...owed, secret: drawSecret() }, 2n * blocks);
  await until(isTime, 'the flood begins', PATIENCE_MS);
  return { debt, dueBlock };
}
type Owed = Pick<Options, 'amount' | 'revealTimeout'> & { secret: Secret };

/** What the flood cost the node, in the time until it had registered the secret and had nothing more to do. */
export async function attack(network: AttackNetwork, stage: Stage, kind: Kind, options: Options) {
  const { mediator } = stage;
  const scene = await sceneOf(network, stage, kind);
  const flood = payloadsOf(kind.lines(scene), options.bytes);
  const prepared = kind.isAfterLock === true ? flood : [...flood];
  const { debt, dueBlock } = await owe(network, stage, { ...options, ...scene });
  const outbox = (await metricsOf(mediator.api)).value('pcn_outbox_depth');
  const quota = options.quota === null ? null : startQuota(mediator.pid, options.quota);
  const begin = { moment: Date.now(), cpu: cpuMsOf(mediator.pid) };
  const attacker = stage[kind.by];
  for (const payload of prepared) {
    attacker.write(payload);
    await setImmediate();
  }
  await attacker.stop();
  const [registeredBlock, memory] = await Promise.all([
    registered(network, debt),
    quiet(mediator.pid),
  ]);
  await quota?.stop();
  const holds = mediator.holdsSince(begin.moment);
  return {
    debt,
    dueBlock,
    /** Messages that waited for the payee when the flood began. */
    outbox,
    /** 0: it was never registered. */
    registeredBlock,
    cpuSeconds: (cpuMsOf(mediator.pid) - begin.cpu) / 1_000,
    memory,
    /** Milliseconds. */
    holdCpu: longest(holds.map(({ cpuMs }) => cpuMs)),
    holdWall: longest(holds.map(({ wallMs }) => wallMs)),
  };
}
