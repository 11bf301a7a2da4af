/** One end of the channel: a disk, and the process that runs on it, dies and starts again. */
import type { Reply, Tx } from '../../machines/effects.ts';
import { isChannel } from '../../src/node/views.ts';
import { createDisk } from './disk.ts';
import { type Process, type ProcessOptions, startProcess } from './process.ts';

export type End = ReturnType<typeof createEnd>;
type Options = Pick<
  ProcessOptions,
  'own' | 'confirmations' | 'revealTimeout' | 'fees' | 'chain' | 'send' | 'drawId' | 'now'
> & {
  delayOf(tx: Tx): bigint;
};

class Crash extends Error {}

/** A node has to come back before its deadlines, and cannot do so if it dies all the time. */
const LONGEST_ABSENCE = 2n;
const SHORTEST_LIFE = 10n;
/** Blocks come to all, but not to all at once. */
const MOST_UNSEEN = 3n;

export function createEnd({ delayOf, ...options }: Options) {
  const { chain } = options;
  const disk = createDisk();
  const failures: unknown[] = [];
  const replies: Reply[] = [];
  const crashes: string[] = [];
  let process: Process | null = null;
  let armed: { point: string; left: number } | null = null;
  let doomed = false;
  let diedBlock = 0n;
  let bornBlock = 0n;
  let frozenUntil = 0n;
  let count = 0;

  function begin() {
    const run = ++count;
    bornBlock = chain.head();
    const mustLive = () => {
      if (run !== count) throw new Crash();
    };
    process = startProcess({
      ...options,
      disk: {
        ...disk,
        commit(batch) {
          mustLive();
          disk.commit(batch);
        },
      },
      isUpToDate: (nowBlock) => chain.head() - options.confirmations - nowBlock <= MOST_UNSEEN,
      luckOf: (tx) => ({ delay: delayOf(tx), isDoomed: isDoomed(tx) }),
      fault(point) {
        mustLive();
        if (armed === null || armed.point !== point) return;
        armed.left -= 1;
        if (armed.left > 0) return;
        armed = null;
        crashes.push(point);
        throw new Crash();
      },
      onReply: (reply) => replies.push(reply),
      onFatal(error) {
        if (error instanceof Crash) die();
        else failures.push(error);
      },
    });
    alive((running) => running.resume());
    if (!isFrozen()) alive((running) => running.see(chain.head() - options.confirmations));
    alive((running) => running.catchUp());
  }

  function die() {
    count += 1;
    diedBlock = chain.head();
    process = null;
  }

  /** Works with the process as long as it lives. */
  function alive(work: (process: Process) => void) {
    if (process === null) return;
    try {
      work(process);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      if (process !== null) die();
    }
  }

  /** What protects money is never made to fail twice: the deadlines allow for one more try. */
  function isDoomed(tx: Tx): boolean {
    const isOptional = tx.deadlineBlock === null || tx.type === 'tx.withdraw';
    const mayFail = isOptional || tx.key.endsWith(':1');
    const fails = doomed && mayFail;
    if (fails) doomed = false;
    return fails;
  }

  function see(toBlock: bigint) {
    if (process === null && chain.head() >= diedBlock + LONGEST_ABSENCE) begin();
    else if (!isFrozen()) alive((running) => running.see(toBlock));
  }

  const isFrozen = () => chain.head() < frozenUntil;

  /** What was promised before has deadlines, which nobody can keep who does not see the chain. */
  function isIdle({ actors, isDone }: Process): boolean {
    const hasLocks = ({ context }: NonNullable<ReturnType<typeof actors.stateOf>>) =>
      isChannel(context) && context.ownEnd.locks.length + context.partnerEnd.locks.length > 0;
    const states = actors.ids().map((id) => actors.stateOf(id));
    return isDone() && !states.some((state) => state !== null && hasLocks(state));
  }

  return {
    own: options.own,
    disk,
    failures,
    replies,
    crashes,
    begin,
    alive,
    see,
    process: () => process,
    /** The process will die when it comes to this point for the n-th time, unless it has died just now. */
    arm(point: string, left: number) {
      if (chain.head() >= bornBlock + SHORTEST_LIFE) armed = { point, left };
    },
    doom() {
      doomed = true;
    },
    /** Sees no new block for so long, when nothing is at stake now. */
    freeze(blocks: bigint) {
      if (process !== null && isIdle(process)) frozenUntil = chain.head() + blocks;
    },
    /** No more faults. */
    heal() {
      frozenUntil = 0n;
      armed = null;
      doomed = false;
      if (process === null) begin();
    },
  };
}
