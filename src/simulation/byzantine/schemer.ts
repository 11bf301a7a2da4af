/** Carries out a plan of moves with the keys of some nodes, which otherwise behave honestly. */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address } from '../../basics/hex.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';
import type { Junk, Move, Sayable } from '../scenario/schema/moves.ts';
import {
  closeWith,
  placesOf,
  proofsOf,
  registerSecrets,
  updateWith,
  withdrawWith,
} from './chain-moves.ts';
import { changed } from './change.ts';
import { flood } from './flood.ts';
import { aboutLock, forge, locksOf } from './forgeries.ts';
import type { Heard, Market, Power, Program } from './program.ts';
import { createSignedEnd, type SignedEnd } from './signed-end.ts';
import { createStrangers } from './strangers.ts';
import { createWaitingMoves } from './waiting-moves.ts';
import { createWording, type SayMove } from './wording.ts';

type Options = {
  name: string;
  plan: readonly Move[];
  /** The powers over each node whose key the attack has. */
  powers: ReadonlyMap<Address, Power>;
  secretRegistry: Address;
  /** All nodes of the network, its own nodes too. */
  everybody: readonly Address[];
  chainId: bigint;
  junk(kind: Junk): Market | null;
  channelId(network: Address, pair: readonly [Address, Address]): bigint;
  /** Called for each move that was made, for the record. */
  onMove(text: string): void;
};
type HearMove = Extract<Move, { do: 'ignore' }>;
type BlockMove = Extract<Move, { after: bigint }>;
type FloodMove = Extract<Move, { do: 'flood' }>;
type LockMove = Extract<Move, { do: 'at_expiration' }>;

/** How each payload begins: the version, and the first byte of a public key. */
const SEALED = Uint8Array.of(1, 2);

export type Schemer = Program & {
  /** Says these changes as the next step of the channel with this partner. */
  again(power: Power, to: Address, message: Update): SentMessage;
};

export function createSchemer(options: Options): Schemer {
  const { powers, secretRegistry, everybody, onMove } = options;
  const saying: SayMove[] = [];
  const hearing: HearMove[] = [];
  const timed: BlockMove[] = [];
  const habits: LockMove[] = [];
  for (const move of options.plan) {
    if ('after' in move) timed.push(move);
    else if (move.do === 'at_expiration') habits.push(move);
    else if (move.do === 'ignore') hearing.push(move);
    else saying.push(move);
  }
  const ignored = createWaitingMoves(hearing, onMove);
  const wording = createWording(createWaitingMoves(saying, onMove), endOf);
  const floods: { power: Power; move: FloodMove; untilBlock: bigint }[] = [];
  const ends = new Map<string, SignedEnd>();
  const strangers = createStrangers(options);
  const silentUntil = { silence: 0n, deafness: 0n };
  let head = 0n;
  let firstBlock: bigint | null = null;

  function endOf(power: Power, to: Address): SignedEnd {
    const key = `${power.own} ${to}`;
    return getOrMake(ends, key, () => createSignedEnd(power.sign));
  }

  function act(power: Power, move: BlockMove) {
    switch (move.do) {
      case 'silence':
      case 'deafness':
        silentUntil[move.do] = head + move.blocks;
        return;
      case 'repeat':
        return repeat(power, move);
      case 'replay': {
        const { payloads } = power.memory;
        const known = payloads[move.index % Math.max(1, payloads.length)];
        if (known !== undefined) power.replay(known.to, known.payload);
        return;
      }
      case 'noise':
      case 'nest':
        return disturb(power, everybody[move.to % everybody.length], move);
      case 'flood':
        floods.push({ power, move, untilBlock: head + move.blocks });
        return;
      case 'forge':
        for (const group of forge(power, move, { head, everybody, endOf })) power.say(group);
        return;
      case 'close':
      case 'update':
        return dispute(power, move);
      case 'register': {
        const secrets = [...power.memory.secrets.values()];
        const secret = secrets[move.index % Math.max(1, secrets.length)];
        if (secret !== undefined) registerSecrets(power, secretRegistry, [secret]);
        return;
      }
      case 'withdraw':
        return takeOut(power, move.index);
      case 'open':
      case 'stuff':
      case 'abandon':
        return strangers.act(power, move, everybody[move.to % everybody.length]);
    }
  }

  /** Says the lines of this block. */
  function pour(power: Power, move: FloodMove) {
    const victim = everybody[move.to % everybody.length];
    if (victim === undefined || powers.has(victim)) return;
    onMove(`says ${move.type} ${move.times} times`);
    flood(power, victim, move);
  }

  /** Makes the move for all locks that expired so many blocks before the present one. */
  function lockTime(power: Power, { what, plus }: LockMove) {
    const ended = head - BigInt(plus);
    for (const known of locksOf(power).filter(({ change }) => change.lock.expiration === ended)) {
      const { secrethash } = known.change.lock;
      const secret = power.memory.secrets.get(secrethash);
      onMove(`${what} ${plus} after the expiration`);
      if (what !== 'register')
        for (const group of aboutLock(power, what, known, endOf)) power.say(group);
      else if (secret !== undefined) registerSecrets(power, secretRegistry, [secret]);
    }
  }

  function repeat(power: Power, move: Extract<Move, { do: 'repeat' }>) {
    const { sent, heard } = power.memory;
    const lines = [...sent, ...heard].map(({ line }) => line);
    const line = lines[move.index % Math.max(1, lines.length)];
    const to = everybody[move.to % everybody.length];
    if (line === undefined || to === undefined || powers.has(to)) return;
    const message = move.change === null ? line.message : changed(line.message, move.change, head);
    const isKnown = power.memory.sent.some(({ to: partner }) => partner === to);
    const said =
      message.type === 'Update' && isKnown ? endOf(power, to).next(message) : power.sign(message);
    power.say({ to, messages: [said] });
  }

  return {
    name: options.name,
    again(power, to, message) {
      const messageId = power.draw.bigint(1n, 2n ** 63n);
      return endOf(power, to).next({ ...message, messageId });
    },
    calm(from, { to, messages }) {
      const power = powers.get(from);
      if (power === undefined) return [{ to, messages }];
      return [{ to, messages: messages.map((line) => endOf(power, to).rewritten(line)) }];
    },
    outgoing(from, { to, messages }) {
      const power = powers.get(from);
      if (power === undefined) return [{ to, messages }];
      // Signed messages change the channel's state also while they are not sent.
      const lines = messages.flatMap((line) => wording.said(power, to, line));
      if (head < silentUntil.silence || lines.length === 0) return [];
      return [{ to, messages: lines }];
    },
    incoming({ messages }: Heard) {
      if (head < silentUntil.deafness) return false;
      const moves = messages.flatMap(({ message }) =>
        typesIn(message).map((type) => ignored.take(type)),
      );
      return moves.every((move) => move === null);
    },
    block(now) {
      head = now;
      firstBlock ??= now;
      wording.block(now);
      const passed = now - firstBlock;
      for (const move of timed.filter(({ after }) => after <= passed)) {
        timed.splice(timed.indexOf(move), 1);
        const place = 'index' in move ? move.index : 0;
        const power = [...powers.values()][place % powers.size];
        if (power === undefined) continue;
        onMove(`block ${now}: ${move.do}`);
        act(power, move);
      }
      for (const { power, move, untilBlock } of floods) if (now < untilBlock) pour(power, move);
      strangers.block(now);
      for (const habit of habits) for (const power of powers.values()) lockTime(power, habit);
    },
  };
}

/** The words by which moves can mean the message: its type, and those of its changes. */
const typesIn = (message: Message): Sayable[] => [
  message.type,
  ...(message.type === 'Update' ? message.changes.map(({ type }) => type) : []),
];

/** Sends a payload that nobody can read. */
function disturb(
  power: Power,
  to: Address | undefined,
  move: Extract<Move, { do: 'noise' | 'nest' }>,
) {
  if (to === undefined) return;
  const payload =
    move.do === 'noise'
      ? Buffer.concat([SEALED, power.draw.bytes(move.bytes - SEALED.length)])
      : power.sealText(to, '['.repeat(move.depth) + ']'.repeat(move.depth));
  if (payload !== null) power.replay(to, payload);
}

function dispute(power: Power, move: Extract<Move, { do: 'close' | 'update' }>) {
  const places = placesOf(power);
  const place = places[move.index % Math.max(1, places.length)];
  if (place === undefined) return;
  const proofs = proofsOf(power, place);
  const proof = proofs[Math.max(0, proofs.length - 1 - move.age)] ?? null;
  if (move.do === 'close') closeWith(power, place, proof);
  else if (proof !== null) updateWith(power, place, proof);
}

function takeOut(power: Power, index: number) {
  const consents = power.memory.heard.flatMap(({ line: { message, signature } }) =>
    message.type === 'WithdrawConfirmation' && signature !== null ? [{ message, signature }] : [],
  );
  const consent = consents[index % Math.max(1, consents.length)];
  const place = placesOf(power).find(({ channelId }) => channelId === consent?.message.channelId);
  if (consent !== undefined && place !== undefined) withdrawWith(power, place, consent);
}
