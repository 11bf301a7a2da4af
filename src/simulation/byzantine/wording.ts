/** What nodes say in place of their own messages, by the moves of a plan. */
import type { Address, Signature } from '../../basics/hex.ts';
import type { SentMessage } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';
import type { Move } from '../scenario/schema/moves.ts';
import { changed, changedAt } from './change.ts';
import type { Group, Power } from './program.ts';
import type { SignedEnd } from './signed-end.ts';
import type { WaitingMoves } from './waiting-moves.ts';
import { withSeal } from './wrong-seals.ts';

export type SayMove = Extract<
  Move,
  { do: 'drop' | 'double' | 'hold' | 'change' | 'missign' | 'seal' }
>;
/** Moves of single changes. */
const OF_ONE: ReadonlySet<SayMove['do']> = new Set(['drop', 'seal']);
type SaidUpdate = { message: Update; signature: Signature };

/** `endOf`: what the node has signed in the channel with this partner. */
export function createWording(
  moves: WaitingMoves<SayMove>,
  endOf: (power: Power, to: Address) => SignedEnd,
) {
  const held: { block: bigint; power: Power; group: Group }[] = [];
  let head = 0n;

  /** The messages to send in place of one line. */
  function said(power: Power, to: Address, line: SentMessage): readonly SentMessage[] {
    const move = moves.take(line.message.type);
    const end = endOf(power, to);
    if (move !== null) return deviated(power, to, line, move, end);
    return line.signature !== null && line.message.type === 'Update'
      ? parted(power, to, { message: line.message, signature: line.signature })
      : [end.rewritten(line)];
  }

  /** As `said`, by the moves for its changes: each may be left out or sealed, one changed; others concern all of the Update. */
  function parted(power: Power, to: Address, { message, signature }: SaidUpdate) {
    const end = endOf(power, to);
    const due = message.changes.map(({ type }) => moves.take(type));
    const changes = message.changes.flatMap((change, place) => {
      const move = due[place];
      if (move?.do === 'drop') return [];
      return move?.do === 'seal' && change.type === 'lock'
        ? [withSeal(power, change, move.what)]
        : [change];
    });
    if (changes.length === 0) return [];
    const line = { message: { ...message, changes }, signature };
    const move = due.find((one) => one != null && !OF_ONE.has(one.do)) ?? null;
    if (move === null) return [end.rewritten(line)];
    if (move.do !== 'change') return deviated(power, to, line, move, end);
    const place = changes.findIndex(({ type }) => type === move.type);
    // A hidden change is included in the counts: see `deviated`.
    if (move.isHidden) return [end.next(changedAt(line.message, place, move, head))];
    const rewritten = end.rewritten(line).message;
    return rewritten.type === 'Update'
      ? [power.sign(changedAt(rewritten, place, move, head))]
      : [line];
  }

  function deviated(
    power: Power,
    to: Address,
    line: SentMessage,
    move: SayMove,
    end: SignedEnd,
  ): readonly SentMessage[] {
    switch (move.do) {
      case 'drop':
        return [];
      case 'seal':
        return [end.rewritten(line)];
      case 'double': {
        const rewritten = end.rewritten(line);
        return [rewritten, rewritten];
      }
      case 'hold': {
        const block = head + move.blocks;
        held.push({ block, power, group: { to, messages: [end.rewritten(line)] } });
        return [];
      }
      case 'missign': {
        const right = end.rewritten(line);
        const other = { field: 'messageId', value: { kind: 'shifted', by: 1n } } as const;
        const wrong = power.sign(changed(right.message, other, head));
        return right.signature === null || wrong.signature === null
          ? [right]
          : [{ ...right, signature: wrong.signature }];
      }
      case 'change': {
        // A hidden change is included in the node's own counts, so that everything else in the message fits it.
        if (!move.isHidden) return [power.sign(changed(end.rewritten(line).message, move, head))];
        const message = changed(line.message, move, head);
        return message.type === 'Update' ? [end.next(message)] : [power.sign(message)];
      }
    }
  }

  return {
    said,
    /** Says what was held until this block. */
    block(now: bigint) {
      head = now;
      for (const { power, group } of held.filter(({ block }) => block <= now)) power.say(group);
      held.splice(0, held.length, ...held.filter(({ block }) => block > now));
    },
  };
}
