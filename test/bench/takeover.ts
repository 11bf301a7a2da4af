/**
 * How long callers wait when a standby takes the place of its node, and whether anything is lost then: two machines with
 * one key and many channels, over a stream that three servers keep, while callers pay all the time. In turn the
 * node is killed, stopped and woken later, cut off from the brokers, or well and told to make room; and the standby that
 * takes over dies in the middle of it, and begins again. From that moment, with the order to take over given at once, to
 * the first payment. `--takeovers N` (200) and `--minutes N` (60) say when it is over.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { replicaKeys } from '../../src/host/replica/node-stream.ts';
import { askControls, type ControlAnswer } from '../../src/replica/control.ts';
import { startCallers } from '../support/callers.ts';
import { createReader } from '../support/sealed.ts';
import { tapWire } from '../support/wiretap.ts';
import { createCaller } from './callers.ts';
import { type Couple, type Surroundings, startSurroundings } from './replica-network.ts';
import { report, round } from './report.ts';
import { readBooks } from './takeover-books.ts';
import { createMachine, inTime, type Machine, type Process } from './takeover-machine.ts';

const CHANNELS = 1_000;
const CALLERS = 8;
const PATIENCE_MS = 60_000;
/** In which the standby dies that has the order to take over. */
const LONGEST_LIFE_MS = 2_000;
const FENCED = 4;

const KINDS = ['killed', 'stopped', 'cut off', 'told to', 'standby dies'] as const;
type Kind = (typeof KINDS)[number];
const isObeying = ({ agrees, role }: ControlAnswer) => agrees && role === 'standby';

type Position = { machine: Machine; process: Process };

function numberAfter(flag: string, usual: number): number {
  const at = process.argv.indexOf(flag);
  return at < 0 ? usual : Number(process.argv[at + 1]);
}

function stampOf({ chain }: Surroundings, { payerKey }: Couple) {
  return {
    chainId: chain.chainId,
    tokenNetworkRegistry: chain.contracts.tokenNetworkRegistryAddress,
    ownAddress: payerKey.signer.address,
  };
}

/** What an operator can ask and order. */
function operatorOf(surroundings: Surroundings, couple: Couple) {
  const { signer } = couple.payerKey;
  const keys = replicaKeys(signer, stampOf(surroundings, couple));
  const { url } = surroundings.cluster;
  const inbox = signer.address.toLowerCase();
  const options = { url, name: couple.stream, inbox, report() {}, keys };
  const answerOf = async (pid: number, isKnown: (answer: ControlAnswer) => boolean) => {
    for (;;) {
      const isEnough = (one: ControlAnswer) => one.pid === pid && isKnown(one);
      const answers = await askControls(options, { ask: 'status', epoch: 0, isEnough });
      const found = answers.find(isEnough);
      if (found !== undefined) return found;
      await delay(100);
    }
  };
  return {
    /** The epoch of the owner, as soon as this standby knows it. */
    async epochFor({ pid }: Process): Promise<number> {
      const known = answerOf(pid, (one) => one.epoch !== null && one.silentMs < 2_000);
      const { epoch } = await inTime(known, 'the standby knows its node');
      return epoch ?? 0;
    },
    /** Resolves when it reads what the owner writes: one that has to build its database again does not yet. */
    async whenFollowing({ pid }: Process): Promise<void> {
      const begins = answerOf(pid, (one) => one.epoch !== null);
      const { sequence } = await inTime(begins, 'the standby answers');
      const goesOn = answerOf(pid, (one) => one.sequence > sequence && one.silentMs < 1_000);
      await inTime(goesOn, 'the standby follows its node');
    },
    order: (epoch: number) => askControls(options, { ask: 'takeover', epoch, isEnough: isObeying }),
  };
}

/** Does to the node what is the matter; the answer brings it to its end, which must be that of a node that was fenced. */
async function strike(kind: Kind, { machine, process }: Position): Promise<() => Promise<void>> {
  const mustBeFenced = async () => {
    const code = await process.end();
    if (code !== FENCED) throw new Error(`the node that was ${kind} ended with ${code}`);
  };
  switch (kind) {
    case 'killed':
      await process.kill();
      return async () => {};
    case 'stopped':
      process.signal('SIGSTOP');
      return async () => {
        process.signal('SIGCONT');
        await mustBeFenced();
      };
    case 'cut off':
      machine.setLines(randomInt(2) === 0 ? 'silent' : 'cut');
      return async () => {
        machine.setLines('open');
        await mustBeFenced();
      };
    case 'told to':
    case 'standby dies':
      return mustBeFenced;
  }
}

async function firstPayment(api: string, path: string): Promise<void> {
  const caller = createCaller(api);
  const end = performance.now() + PATIENCE_MS;
  try {
    while (performance.now() < end) {
      const answer = await caller.call('POST', path, { amount: '1' }).catch(() => null);
      if (answer?.status === 200) return;
      await delay(10);
    }
  } finally {
    caller.close();
  }
  throw new Error('the node that took over does not pay');
}

type Round = {
  kind: Kind;
  owner: Position;
  other: Machine;
  path: string;
  onApi(api: string): void;
};

/** One takeover; answers who owns the stream then, and the milliseconds until the first payment. */
async function takeOver(
  operator: ReturnType<typeof operatorOf>,
  { kind, owner, other, path, onApi }: Round,
): Promise<{ place: Position; ms: number }> {
  let standby = await other.start();
  await operator.whenFollowing(standby);
  let epoch = await operator.epochFor(standby);
  const settle = await strike(kind, owner);
  if (kind === 'standby dies') {
    void operator.order(epoch).catch(() => null);
    await delay(randomInt(LONGEST_LIFE_MS));
    await standby.kill();
    standby = await other.start();
    epoch = await operator.epochFor(standby);
  }
  const begin = performance.now();
  const ordered = operator.order(epoch);
  const api = await standby.api();
  await firstPayment(api, path);
  const ms = performance.now() - begin;
  onApi(api);
  await ordered;
  await settle();
  return { place: { machine: other, process: standby }, ms };
}

/** Begins no takeover after so many minutes. */
async function main(takeovers: number, minutes: number): Promise<void> {
  const surroundings = await startSurroundings(1, CALLERS);
  const { cluster, token } = surroundings;
  const waits = new Map<Kind, number[]>();
  let failed = 0;
  const machines: Machine[] = [];
  try {
    const couple = await surroundings.startCouple('R3', CHANNELS);
    const { payerKey, payeeKey, target, path } = couple;
    const signers = new Map([payerKey, payeeKey].map(({ signer }) => [signer.address, signer]));
    const place = stampOf(surroundings, couple);
    const read = createReader(place, (address) => signers.get(address));
    const tap = await tapWire({ natsUrl: cluster.url, read });
    const operator = operatorOf(surroundings, couple);
    const [first, second] = [
      await createMachine(surroundings, couple, 'first'),
      await createMachine(surroundings, couple, 'second'),
    ] as const;
    machines.push(first, second);
    let api = couple.payer.api;
    const onApi = (now: string) => {
      api = now;
      callers.callAgain();
    };
    const callers = startCallers({
      count: CALLERS,
      token,
      payee: target,
      api: () => api,
      restMs: 0,
    });
    let owner: Position = { machine: first, process: await standInFor(couple, first, operator) };
    onApi(await owner.process.api());
    const end = performance.now() + minutes * 60_000;
    for (let number = 0; number < takeovers && performance.now() < end; number++) {
      const kind = KINDS[number % KINDS.length] ?? 'killed';
      const other = owner.machine === first ? second : first;
      try {
        const done = await takeOver(operator, { kind, owner, other, path, onApi });
        owner = done.place;
        waits.set(kind, [...(waits.get(kind) ?? []), done.ms]);
        console.error(`${number + 1}: ${kind}, ${round(done.ms / 1_000)} s`);
      } catch (error) {
        // Nobody knows who owns the stream: what is there by now is told.
        failed += 1;
        console.error(`${number + 1}: ${kind}: ${String(error)}`);
        break;
      }
    }
    await callers.stop();
    const paid = callers.paid();
    const unknown = { lost: paid.length, isMirrored: false };
    const books = await readBooks({ token }, couple, { api, paid }).catch(() => unknown);
    const conflicts = tap.conflicts().length;
    await tap.stop();
    await owner.process.kill();
    await couple.payee.stop();
    const rebuilt = first.rebuilt() + second.rebuilt();
    tell(waits, { ...books, paid: paid.length, conflicts, rebuilt, failed });
  } finally {
    for (const machine of machines) await machine.stop();
    await surroundings.stop();
  }
}

/** The first machine takes the place of the process that opened the channel. */
async function standInFor(
  couple: Couple,
  first: Machine,
  operator: ReturnType<typeof operatorOf>,
): Promise<Process> {
  const process = await first.start();
  const epoch = await operator.epochFor(process);
  await couple.payer.stop();
  await operator.order(epoch);
  await process.api();
  return process;
}

type Outcome = {
  paid: number;
  lost: number;
  isMirrored: boolean;
  conflicts: number;
  rebuilt: number;
  failed: number;
};

function tell(waits: ReadonlyMap<Kind, readonly number[]>, outcome: Outcome): void {
  const all = [...waits.values()].flat();
  const rows = [['all', all] as const, ...waits].flatMap(([kind, found]) => {
    const sorted = found.toSorted((a, b) => a - b);
    const at = (part: number) =>
      round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) / 1_000);
    const metric = `${kind}, until the first payment`;
    return [
      { metric: `${kind}: takeovers`, value: sorted.length, unit: '' },
      { metric: `${metric}: shortest`, value: at(0), unit: 's' },
      { metric: `${metric}: median`, value: at(0.5), unit: 's', reference: 3 },
      { metric: `${metric}: longest`, value: at(1), unit: 's' },
    ];
  });
  const count = (metric: string, value: number) => ({ metric, value, unit: '', aim: '0' });
  report('takeover', [
    ...rows,
    { metric: 'payments answered with 200', value: outcome.paid, unit: '' },
    count('of these lost, or there twice', outcome.lost),
    count('channels that both sides see differently', outcome.isMirrored ? 0 : 1),
    count('places that were signed for twice', outcome.conflicts),
    count('takeovers that did not come', outcome.failed),
    { metric: 'databases that had to be built again', value: outcome.rebuilt, unit: '' },
  ]);
}

await main(numberAfter('--takeovers', 200), numberAfter('--minutes', 60));
