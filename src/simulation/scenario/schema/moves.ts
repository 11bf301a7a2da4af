/** The moves of a dishonest partner, one at a time: the words in which plans of attack are written and drawn. */

import * as v from 'valibot';
import { CHANGES, type ChangeType } from '../../../protocol/messages/changes.ts';
import { MESSAGES, type MessageType } from '../../../protocol/messages/table.ts';
import { readBy } from '../../../protocol/shapes.ts';
import { blocks, list, MOST_BLOCKS, maybe, object, oneOf, tag, whole, word } from './values.ts';

export const FORGERIES = [
  'twin',
  'lock',
  'unlock',
  'expire',
  'request',
  'reveal',
  'refund',
  'withdraw',
  'consent',
  'lapse',
  'order',
  'mixed',
  'twice',
  'many',
  'elsewhere',
  'jump',
  'other',
] as const;
/**
 * What is sealed with a lock in place of its secret: nothing, bytes that nobody can read, a secret that does not fit, that of
 * another payment, or the right one and the promise of more than the lock holds, or of less.
 */
export const WRONG_SEALS = [
  'nothing',
  'noise',
  'other_secret',
  'other_payment',
  'more',
  'less',
] as const;
/** What an attacker can do with a lock around its expiration. */
export const AT_EXPIRATION = ['register', 'reveal', 'unlock', 'expire', 'request'] as const;
/** Tokens that are worth nothing to anybody honest; of one that burns, a payment by a contract takes much gas. */
export const JUNK = ['worthless', 'burning'] as const;
export type Junk = (typeof JUNK)[number];
const MOST_MOVES = 5_000;
/** Keys that one node of an attack can make. */
export const MOST_KEYS = 500;
const ALWAYS = 1_000_000;

const integer = v.pipe(
  v.union([v.string(), v.pipe(v.number(), v.safeInteger())], 'must be a whole number'),
  v.title('integer'),
  readBy((given: string | number) => {
    const text = String(given);
    return /^-?[0-9]{1,78}$/.test(text) ? BigInt(text) : null;
  }, 'must be a whole number of at most 78 digits'),
);
/** A number in a move. `head`: the newest block plus so many. */
const value = v.pipe(
  oneOf('kind', [
    object({ kind: tag('constant', 'This number'), value: integer }),
    object({ kind: tag('shifted', 'So much more than it was'), by: integer }),
    object({ kind: tag('scaled', 'So many times as much'), by: integer }),
    object({ kind: tag('head', 'The newest block, and so many more'), plus: integer }),
  ]),
  v.title('number'),
);
export type Value = v.InferOutput<typeof value>;

const field = v.pipe(
  v.string('must name a field'),
  v.regex(/^[a-zA-Z.]{1,40}$/, 'must name a field of a message, e.g. lock.amount'),
);
const change = v.pipe(object({ field, value }), v.title('change'));
export type Change = v.InferOutput<typeof change>;
/** What a move on messages can be about: a type of message, or a type of change in an Update. */
export type Sayable = MessageType | ChangeType;
const SAYABLE: readonly Sayable[] = [...MESSAGES.types, ...CHANGES.types];
const type = word(MESSAGES.types);
const index = v.optional(whole(0, ALWAYS), 0);
const duration = blocks(1, MOST_BLOCKS);

/**
 * For moves on messages that the node itself sends or gets: after the first `skip` messages, the next `times` are
 * affected. A change that is dropped is left out of its Update, and one that is changed has another number; other moves on
 * a change concern all of the Update.
 */
const counted = {
  type: word(SAYABLE),
  skip: v.optional(whole(0, ALWAYS), 0),
  times: v.optional(whole(1, ALWAYS), 1),
};
/** For moves at a block, counted from the block in which the attack begins. */
const timed = { after: v.optional(blocks(0, MOST_BLOCKS, 'Since the attack began'), 0) };
/** For moves of keys that no node has, each of which may have a channel with node `to`: so many, from the first on. */
const strange = {
  ...timed,
  to: whole(0, ALWAYS),
  token: v.optional(word(JUNK), 'worthless'),
  first: v.optional(whole(0, MOST_KEYS - 1), 0),
  keys: v.optional(whole(1, MOST_KEYS), 1),
};

const move = oneOf('do', [
  object({ do: tag('drop', 'The node does not say it'), ...counted }),
  object({ do: tag('double', 'It says it twice'), ...counted }),
  object({
    do: tag(
      'seal',
      'It seals something else for the target of its payment than the secret and what is to arrive',
    ),
    ...counted,
    type: v.optional(word(['lock']), 'lock'),
    what: word(WRONG_SEALS),
  }),
  object({ do: tag('missign', 'It signs something else than it says'), ...counted }),
  object({ do: tag('hold', 'It says it so much later'), ...counted, blocks: duration }),
  object({
    do: tag('change', 'It says another number'),
    ...counted,
    field,
    value,
    isHidden: v.optional(
      v.pipe(v.boolean('must be true or false'), v.description('All else in it fits the number')),
      false,
    ),
  }),
  object({ do: tag('ignore', 'It does not hear it'), ...counted }),
  object({ do: tag('silence', 'Nobody hears it'), ...timed, blocks: duration }),
  object({ do: tag('deafness', 'It hears nobody'), ...timed, blocks: duration }),
  object({
    do: tag('repeat', 'It says once more what it said or heard, as its next step where it is one'),
    ...timed,
    index,
    to: v.optional(whole(0, ALWAYS), 0),
    change: maybe(change),
  }),
  object({
    do: tag('noise', 'It sends what begins as a payload does, and means nothing'),
    ...timed,
    to: whole(0, ALWAYS),
    bytes: whole(2, 100_000),
  }),
  object({
    do: tag('nest', 'It says a line of JSON that is nested so deep'),
    ...timed,
    to: whole(0, ALWAYS),
    depth: whole(1, 30_000),
  }),
  object({
    do: tag(
      'flood',
      'At each of these blocks it says so many lines of a type, which are of no use',
    ),
    ...timed,
    to: whole(0, ALWAYS),
    type,
    times: whole(1, 100_000),
    payloads: v.optional(whole(1, 1_000), 1),
    blocks: v.optional(duration, 1),
  }),
  object({ do: tag('replay', 'It sends a payload once more'), ...timed, index }),
  object({
    do: tag('forge', 'It says what no honest node would say now'),
    ...timed,
    what: word(FORGERIES),
    index,
    value: v.optional(value, { kind: 'shifted', by: 0 }),
    times: v.optional(whole(1, 1_000), 1),
    until: maybe(v.pipe(value, v.description('The expiration of a withdrawal; absent: any'))),
    secret: v.optional(word(['own', 'zero', 'public']), 'own'),
  }),
  object({
    do: tag('close', 'It closes with the proof of so many steps ago; 0: the newest'),
    ...timed,
    index,
    age: v.optional(whole(0, ALWAYS), 0),
  }),
  object({
    do: tag('update', 'It brings such a proof to a channel that was closed'),
    ...timed,
    index,
    age: v.optional(whole(0, ALWAYS), 0),
  }),
  object({ do: tag('register', 'It registers a secret'), ...timed, index }),
  object({ do: tag('withdraw', 'It takes out what was once agreed to'), ...timed, index }),
  object({
    do: tag('open', 'Keys of which nobody has heard open channels of a junk token with a node'),
    ...strange,
    settleTimeout: v.optional(blocks(2, 100_000), 20),
    deposit: v.optional(v.pipe(whole(1, 100_000), v.description('Units in each channel')), 1),
    gift: v.optional(
      v.pipe(whole(0, 100_000), v.description('Units that they put in for the node itself')),
      0,
    ),
  }),
  object({
    do: tag('stuff', 'They give the node locks of one unit each in their channels'),
    ...strange,
    times: v.optional(v.pipe(whole(1, 160), v.description('In each channel')), 1),
    secrets: v.optional(
      v.pipe(word(['own', 'shared']), v.description('shared: those of all channels are the same')),
      'own',
    ),
    show: v.optional(
      v.pipe(
        word(['never', 'told', 'registered']),
        v.description('Whether they tell the node the secrets, or bring them on chain'),
      ),
      'never',
    ),
    blocks: v.optional(v.pipe(blocks(1, 100_000), v.description('Until the locks expire')), 40),
  }),
  object({
    do: tag('abandon', 'They close their channels, and leave the rest to the node'),
    ...strange,
  }),
  object({
    do: tag('at_expiration', 'What it does with each lock so many blocks after its expiration'),
    what: word(AT_EXPIRATION),
    plus: v.optional(whole(-10_000, 10_000), 0),
  }),
]);
export type Move = v.InferOutput<typeof move>;
export const moveList = list(move, MOST_MOVES);
