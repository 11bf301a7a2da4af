/** What an operator is told of the stream of a replica, and why a program does not start with it. */
import { describeOwner, type NotOwned } from '../../replica/find-end.ts';
import type { ReplicaMode } from '../../replica/writer.ts';
import { refusal, type StartRefusal } from '../base/refusal.ts';

/** What differs between the programs that have a replica. */
export type ReplicaWords = {
  who: 'node' | 'paywall';
  /** What it does while the stream is away. */
  away: Record<ReplicaMode, string>;
  /** What to do when the stream is lost. */
  anew: string;
  /** When the database lacks what the stream has forgotten, or does not fit it. */
  rebuild: string;
  /** When the database was never in this stream. */
  foreign: string;
  /** What the keys of the records are made of, by its options. */
  keys: string;
};

export const NODE_WORDS: ReplicaWords = {
  who: 'node',
  away: {
    sync: 'the stream of the replica is away: no payment is begun, taken or passed on, deadlines are kept',
    async:
      'the stream of the replica is away: the node goes on, and what is paid now would be lost with this machine',
  },
  anew: 'Make sure that no other node has gone on from it; then "sluice replica renew" lets this one begin it anew',
  rebuild: 'Get it with "sluice replica restore"',
  foreign:
    'If it is the newer one, for instance because it ran without the stream, "sluice replica create" makes another for it, with a name of its own; else get that of the stream with "sluice replica restore"',
  keys: 'by this key, for this chain and these contracts: check --replicate, --address and --contracts',
};

/** Tells the operator what is the matter with the stream of this name, and what to do. */
export function streamRefusal(
  name: string,
  { problem, message, owner }: NotOwned,
  { anew, rebuild, foreign }: ReplicaWords,
): StartRefusal {
  const who = owner === undefined ? message : describeOwner(owner);
  switch (problem) {
    case 'taken_over':
    case 'diverged':
      return refusal(
        problem,
        `${who}. Start this one with --standby, and it follows until it is needed`,
      );
    case 'behind':
      return refusal('replica_lost', `${message}: the stream ${name} was cut or put back. ${anew}`);
    case 'foreign':
      return refusal('replica', `${message}. ${foreign}`);
    case 'broken':
      return refusal(
        'replica_lost',
        `the stream ${name} was changed by somebody without the key: ${message}. ${anew}`,
      );
    case 'alive':
      return refusal('taken_over', message);
    case 'unfit':
      return refusal(
        'unfit',
        `the database cannot take what the stream ${name} has: ${message}. ${rebuild}`,
      );
    case 'forgotten':
      return refusal('replica', `${message}. ${rebuild}`);
    case 'unmade':
      return refusal(
        'replica_lost',
        `the stream ${name} cannot be used: ${message}. "sluice replica create" makes it. If it was there before: ${anew}`,
      );
    case 'away':
      return refusal(
        'replica_away',
        `the stream ${name} cannot be used: ${message}. Look at the broker`,
      );
  }
}
