/**
 * The moves that a dishonest partner may make, one step at a time. A plan is a list of moves, drawn at random or
 * written by hand. A plan can be shortened: the moves that stay do the same as before.
 */
import {
  AT_EXPIRATION,
  type Change,
  FORGERIES,
  type Move,
  type Sayable,
  type Value,
  WRONG_SEALS,
} from '../scenario/schema/moves.ts';
import type { Draw } from '../world/randomness.ts';

const SAID: readonly Sayable[] = [
  'Update',
  'lock',
  'lock',
  'unlock',
  'unlock',
  'expired',
  'SecretRequest',
  'RevealSecret',
  'RevealSecret',
  'Processed',
  'WithdrawRequest',
  'WithdrawConfirmation',
  'WithdrawExpired',
  'Sync',
];
const FIELDS = [
  'nonce',
  'transferredAmount',
  'lockedAmount',
  'messageId',
  'paymentId',
  'lock.amount',
  'lock.expiration',
  'amount',
  'expiration',
  'totalWithdraw',
  'channelId',
  'chainId',
  'signedNonce',
  'acceptedNonce',
];
const LARGEST = 2n ** 256n - 1n;

/** Draws so many moves within these blocks, and perhaps one habit for all messages. */
export function drawPlan(draw: Draw, given: { moves: number; blocks: number }): Move[] {
  const single = Array.from({ length: given.moves }, () => drawMove(draw, given.blocks));
  return draw.happens(0.6) ? [...single, ...drawHabit(draw, given.blocks)] : single;
}

const ALWAYS = 1_000_000;

/** The same move for every message of this type, or for every Update with such a change. */
export function every(type: Sayable, move: 'drop' | 'ignore' | { hold: number }): Move {
  const facts = { type, skip: 0, times: ALWAYS };
  if (move === 'drop') return { ...facts, do: 'drop' };
  return move === 'ignore'
    ? { ...facts, do: 'ignore' }
    : { ...facts, do: 'hold', blocks: BigInt(move.hold) };
}

/** The move every so many blocks, within these blocks. */
function regularly(blocks: number, every: number, move: (n: number) => Move): Move[] {
  return Array.from({ length: Math.ceil(blocks / every) }, (_, n) => move(n));
}

function drawHabit(draw: Draw, blocks: number): Move[] {
  const pause = draw.integer(1, 6);
  const register = regularly(blocks, pause, (n) => {
    return { do: 'register', after: BigInt(n * pause), index: draw.integer(0, 1_000_000) };
  });
  const close = (n: number): Move => {
    const age = draw.happens(0.3) ? 0 : draw.integer(1, 8);
    return { do: 'close', after: BigInt(n * 7 + draw.integer(0, 20)), index: n, age };
  };
  switch (draw.integer(0, 7)) {
    case 0:
      return [every('unlock', 'drop')];
    case 1:
      return [every('RevealSecret', 'drop'), ...register];
    case 2:
      return [every('RevealSecret', { hold: draw.integer(3, 60) })];
    case 3:
      return [every('unlock', 'drop'), ...regularly(blocks, 7, close)];
    case 4:
      return regularly(blocks, 7, close);
    case 5:
      return [every('unlock', { hold: draw.integer(3, 60) }), ...register];
    case 6:
      return [every('SecretRequest', 'drop'), every('expired', 'drop')];
    default: {
      const type = draw.pick(['Processed', 'expired', 'WithdrawConfirmation', 'Sync'] as const);
      return [every(type, draw.happens(0.5) ? 'drop' : { hold: draw.integer(1, 40) })];
    }
  }
}

function drawMove(draw: Draw, blocks: number): Move {
  const after = BigInt(draw.integer(0, blocks));
  const index = draw.integer(0, 1_000_000);
  const said = { type: draw.pick(SAID), skip: draw.integer(0, 6), times: 1 };
  switch (draw.integer(0, 15)) {
    case 0:
    case 1:
      return draw.pick([{ do: 'drop', ...said } as const, { do: 'double', ...said } as const]);
    case 2:
      return { do: 'hold', ...said, blocks: BigInt(draw.integer(1, 60)) };
    case 3:
    case 4:
      return { do: 'change', ...said, ...drawChange(draw), isHidden: draw.happens(0.5) };
    case 5: {
      const what = draw.pick(['silence', 'deafness'] as const);
      return { do: what, after, blocks: BigInt(draw.integer(1, 90)) };
    }
    case 6:
      return { do: 'ignore', ...said };
    case 7: {
      const change = draw.happens(0.5) ? drawChange(draw) : null;
      return { do: 'repeat', after, index, to: draw.integer(0, 9), change };
    }
    case 8:
      return { do: 'replay', after, index };
    case 9:
    case 10:
      return drawForgery(draw, { after, index });
    case 11: {
      const age = draw.happens(0.3) ? 0 : draw.integer(1, 12);
      return { do: draw.pick(['close', 'close', 'update'] as const), after, index, age };
    }
    case 12:
      return { do: 'seal', type: 'lock', skip: said.skip, times: 1, what: draw.pick(WRONG_SEALS) };
    case 13:
      return shortened(draw, said.skip);
    case 14: {
      const what = draw.pick(AT_EXPIRATION);
      return { do: 'at_expiration', what, plus: draw.integer(-12, 8) };
    }
    default:
      return { do: draw.pick(['register', 'withdraw'] as const), after, index };
  }
}

/** A lock that ends sooner than the one before it allows; all else in it fits. */
function shortened(draw: Draw, skip: number): Move {
  const value = { kind: 'shifted', by: BigInt(-draw.integer(1, 40)) } as const;
  const lock = { do: 'change', type: 'lock', field: 'lock.expiration', isHidden: true } as const;
  return { ...lock, skip, times: 1, value };
}

function drawForgery(draw: Draw, when: { after: bigint; index: number }): Move {
  const times = draw.happens(0.9) ? 1 : draw.integer(2, 170);
  const secret = draw.pick(['own', 'own', 'public', 'zero'] as const);
  const what = draw.pick(FORGERIES);
  return { do: 'forge', ...when, what, value: drawValue(draw), times, secret, until: null };
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

/** The number to put in the place of `before`. */
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
