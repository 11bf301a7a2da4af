/** One end of the channel: a disk, and the process that runs on it, dies and starts again. */
import type { Reply, Tx } from '../../machines/effects.ts';
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
    see(chain.head() - options.confirmations);
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
    else alive((running) => running.see(toBlock));
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
    /** No more faults. */
    heal() {
      armed = null;
      doomed = false;
      if (process === null) begin();
    },
  };
}
