/**
 * The grammar of what a dishonest partner may do, one step at a time. A plan is a list of moves, drawn or written;
 * it can be shortened, and what is left of it does the same again.
 */
import type { MessageType } from '../../protocol/messages.ts';
import type { Draw } from '../world/randomness.ts';

/** What a number is replaced by; `edge`: at, just below or just above a limit that the partner judges by. */
export type Value =
  | { kind: 'constant'; value: bigint }
  | { kind: 'shifted'; by: bigint }
  | { kind: 'scaled'; by: bigint }
  | { kind: 'head'; plus: bigint };

export type Move =
  /** What the node itself wants to say: not at all, later, twice, or with another number in it. */
  | { on: 'say'; type: MessageType; skip: number; do: 'drop' | 'double' }
  | { on: 'say'; type: MessageType; skip: number; do: 'hold'; blocks: number }
  | {
      on: 'say';
      type: MessageType;
      skip: number;
      do: 'change';
      field: string;
      value: Value;
      isHidden: boolean;
    }
  /** Nobody hears the node, or it hears nobody, for so long. */
  | { on: 'block'; block: number; do: 'silence' | 'deafness'; blocks: number }
  /** The node does not hear the message. */
  | { on: 'hear'; type: MessageType; skip: number; do: 'ignore' }
  /** Says once more what it said or heard before, as its next step where it is one, to anybody. */
  | { on: 'block'; block: number; do: 'repeat'; index: number; to: number; change: Change | null }
  | { on: 'block'; block: number; do: 'replay'; index: number }
  | {
      on: 'block';
      block: number;
      do: 'forge';
      what: Forgery;
      index: number;
      value: Value;
      times: number;
    }
  /** On chain, with the proof of so many steps ago; 0: the newest. */
  | { on: 'block'; block: number; do: 'close' | 'update'; channel: number; age: number }
  | { on: 'block'; block: number; do: 'register' | 'withdraw'; index: number };
export type Change = { field: string; value: Value };
export type Forgery =
  | 'twin'
  | 'lock'
  | 'unlock'
  | 'expire'
  | 'request'
  | 'reveal'
  | 'withdraw'
  | 'consent';

const SAID: readonly MessageType[] = [
  ...(['LockedTransfer', 'LockedTransfer', 'Unlock', 'Unlock', 'LockExpired'] as const),
  ...(['SecretRequest', 'RevealSecret', 'RevealSecret', 'Processed', 'WithdrawRequest'] as const),
  ...(['WithdrawConfirmation', 'WithdrawExpired', 'Sync'] as const),
];
const FIELDS = [
  ...['nonce', 'transferredAmount', 'lockedAmount', 'messageId', 'paymentId', 'lock.amount'],
  ...['lock.expiration', 'amount', 'expiration', 'totalWithdraw', 'channelId', 'chainId'],
  ...['signedNonce', 'acceptedNonce'],
];
const FORGERIES: readonly Forgery[] = [
  ...(['twin', 'lock', 'unlock', 'expire', 'request', 'reveal', 'withdraw', 'consent'] as const),
];
const LARGEST = 2n ** 256n - 1n;

/** So many moves within these blocks, and perhaps one habit in all that is said. */
export function drawPlan(draw: Draw, given: { moves: number; blocks: number }): Move[] {
  const single = Array.from({ length: given.moves }, () => drawMove(draw, given.blocks));
  return draw.happens(0.6) ? [...single, ...drawHabit(draw, given.blocks)] : single;
}

const ALWAYS = 2_000;

/** The same move for every message of this type. */
export function every(type: MessageType, move: 'drop' | 'ignore' | { hold: number }): Move[] {
  const facts = { type, skip: 0 } as const;
  const one: Move =
    move === 'drop'
      ? { ...facts, on: 'say', do: 'drop' }
      : move === 'ignore'
        ? { ...facts, on: 'hear', do: 'ignore' }
        : { ...facts, on: 'say', do: 'hold', blocks: move.hold };
  return Array.from({ length: ALWAYS }, () => one);
}

/** Every so many blocks, within these. */
function regularly(blocks: number, every: number, move: (n: number) => Move): Move[] {
  return Array.from({ length: Math.ceil(blocks / every) }, (_, n) => move(n));
}

function drawHabit(draw: Draw, blocks: number): Move[] {
  const pause = draw.integer(1, 6);
  const register = regularly(blocks, pause, (n) => {
    return { on: 'block', block: n * pause, do: 'register', index: draw.integer(0, 1_000_000) };
  });
  const close = (n: number): Move => {
    const age = draw.happens(0.3) ? 0 : draw.integer(1, 8);
    return { on: 'block', block: n * 7 + draw.integer(0, 20), do: 'close', channel: n, age };
  };
  switch (draw.integer(0, 7)) {
    case 0:
      return every('Unlock', 'drop');
    case 1:
      return [...every('RevealSecret', 'drop'), ...register];
    case 2:
      return every('RevealSecret', { hold: draw.integer(3, 60) });
    case 3:
      return [...every('Unlock', 'drop'), ...regularly(blocks, 7, close)];
    case 4:
      return regularly(blocks, 7, close);
    case 5:
      return [...every('Unlock', { hold: draw.integer(3, 60) }), ...register];
    case 6:
      return [...every('SecretRequest', 'drop'), ...every('LockExpired', 'drop')];
    default: {
      const type = draw.pick(['Processed', 'LockExpired', 'WithdrawConfirmation', 'Sync'] as const);
      return every(type, draw.happens(0.5) ? 'drop' : { hold: draw.integer(1, 40) });
    }
  }
}

function drawMove(draw: Draw, blocks: number): Move {
  const block = draw.integer(0, blocks);
  const index = draw.integer(0, 1_000_000);
  const skip = draw.integer(0, 6);
  const type = draw.pick(SAID);
  switch (draw.integer(0, 12)) {
    case 0:
    case 1:
      return { on: 'say', type, skip, do: draw.pick(['drop', 'double'] as const) };
    case 2:
      return { on: 'say', type, skip, do: 'hold', blocks: draw.integer(1, 60) };
    case 3:
    case 4: {
      const isHidden = draw.happens(0.5);
      return { on: 'say', type, skip, do: 'change', ...drawChange(draw), isHidden };
    }
    case 5: {
      const what = draw.pick(['silence', 'deafness'] as const);
      return { on: 'block', block, do: what, blocks: draw.integer(1, 90) };
    }
    case 6:
      return { on: 'hear', type, skip, do: 'ignore' };
    case 7: {
      const change = draw.happens(0.5) ? drawChange(draw) : null;
      return { on: 'block', block, do: 'repeat', index, to: draw.integer(0, 9), change };
    }
    case 8:
      return { on: 'block', block, do: 'replay', index };
    case 9:
    case 10: {
      const times = draw.happens(0.9) ? 1 : draw.integer(2, 170);
      const what = draw.pick(FORGERIES);
      return { on: 'block', block, do: 'forge', what, index, value: drawValue(draw), times };
    }
    case 11: {
      const age = draw.happens(0.3) ? 0 : draw.integer(1, 12);
      const what = draw.pick(['close', 'close', 'update'] as const);
      return { on: 'block', block, do: what, channel: index, age };
    }
    default:
      return { on: 'block', block, do: draw.pick(['register', 'withdraw'] as const), index };
  }
}

function drawChange(draw: Draw): Change {
  return { field: draw.pick(FIELDS), value: drawValue(draw) };
}

function drawValue(draw: Draw): Value {
  switch (draw.integer(0, 3)) {
    case 0:
      return { kind: 'constant', value: draw.pick([0n, 1n, 2n ** 64n - 1n, LARGEST]) };
    case 1:
      return { kind: 'shifted', by: draw.pick([-2n, -1n, 1n, 2n, 10n]) };
    case 2:
      return { kind: 'scaled', by: draw.pick([2n, 10n, 1_000_000n]) };
    default:
      return { kind: 'head', plus: BigInt(draw.integer(-3, 120)) };
  }
}

/** The number that stands in the place of this one. */
export function numberFor(value: Value, before: bigint, head: bigint): bigint {
  switch (value.kind) {
    case 'constant':
      return value.value;
    case 'shifted':
      return clamped(before + value.by);
    case 'scaled':
      return clamped(before * value.by);
    case 'head':
      return clamped(head + value.plus);
  }
}

function clamped(number: bigint): bigint {
  if (number < 0n) return 0n;
  return number > LARGEST ? LARGEST : number;
}
