/** Why a node does not start with the stream of its replica, for the operator. */
import { describeOwner, type NotOwned } from '../../replica/find-end.ts';
import { refusal, type StartRefusal } from '../base/refusal.ts';

const ANEW =
  'Make sure that no other node has gone on from it; then "sluice replica renew" lets this one begin it anew';

/** Tells the operator what is the matter with the stream of this name, and what to do. */
export function streamRefusal(name: string, { problem, message, owner }: NotOwned): StartRefusal {
  const who = owner === undefined ? message : describeOwner(owner);
  switch (problem) {
    case 'taken_over':
    case 'diverged':
      return refusal(
        problem,
        `${who}. Start this one with --standby, and it follows until it is needed`,
      );
    case 'behind':
      return refusal('replica_lost', `${message}: the stream ${name} was cut or put back. ${ANEW}`);
    case 'foreign':
      return refusal(
        'replica',
        `${message}. If it is the newer one, for instance because it ran without the stream, "sluice replica create" makes another for it, with a name of its own; else get that of the stream with "sluice replica restore"`,
      );
    case 'broken':
      return refusal(
        'replica_lost',
        `the stream ${name} was changed by somebody without the key: ${message}. ${ANEW}`,
      );
    case 'alive':
      return refusal('taken_over', message);
    case 'unfit':
      return refusal(
        'unfit',
        `the database cannot take what the stream ${name} has: ${message}. Get it with "sluice replica restore"`,
      );
    case 'forgotten':
      return refusal('replica', `${message}. Get the database with "sluice replica restore"`);
    case 'unmade':
      return refusal(
        'replica_lost',
        `the stream ${name} cannot be used: ${message}. "sluice replica create" makes it. If it was there before: ${ANEW}`,
      );
    case 'away':
      return refusal(
        'replica_away',
        `the stream ${name} cannot be used: ${message}. Look at the broker`,
      );
  }
}
