/** What an actor is called where people read it. */
import { shortId } from './digits.ts';

/** `kind` as a word, `name`: which one of them, as short as can be told apart. */
export type ActorName = { kind: string; name: string };

const KINDS: Record<string, string> = {
  node: 'Node',
  tokenNetwork: 'Token network',
  channel: 'Channel',
  initiator: 'Payment sent',
  mediator: 'Payment passed on',
  target: 'Payment received',
  userDeposit: 'User deposit',
  withdrawal: 'Withdrawal',
};

/** `channel:0xe7f1…:1` is `Channel 1`, `initiator:0x12…` is `Payment sent 0x1234…abcd`. */
export function actorName(actor: string): ActorName {
  const [machine = '', ...rest] = actor.split(':');
  const name = machine === 'channel' ? (rest.at(-1) ?? '') : shortId(rest.join(':'));
  return { kind: machineName(machine), name };
}

export function machineName(machine: string): string {
  return KINDS[machine] ?? machine;
}

/** The regions of a state on lines of their own: `opened.deposit.idle+withdraw.idle` has two. */
export function regionsOf(state: string): string[] {
  return state.split('+');
}
