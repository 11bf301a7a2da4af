/** What the definition of one event of a channel says, and what the logs of all these events have in common. */
import * as v from 'valibot';
import type { AbiEvent, AbiParameterToPrimitiveType } from 'viem';
import { type Address, type Hash, isHexOf } from '../basics/hex.ts';
import { uint } from '../protocol/shapes.ts';
import * as text from '../protocol/text-shapes.ts';

export const addressField = v.custom<Address>((value) => isHexOf(value, 20));
export const hashField = v.custom<Hash>((value) => isHexOf(value, 32));

/** The place of a log on the chain. */
export type Position = { block: bigint; logIndex: number; transactionHash: Hash };

const ofLog = {
  tokenNetwork: addressField,
  channelId: uint,
  at: v.object({ block: uint, logIndex: v.number(), transactionHash: hashField }),
};
const ofAnswer = {
  channel_identifier: text.decimal,
  block_number: text.decimal,
  log_index: text.decimal,
  transaction_hash: text.hash,
};

/** A shape for each argument of the event, but the channel's id. */
type Stored<Event extends AbiEvent> = {
  [Input in Exclude<Event['inputs'][number], { name: 'channelId' }> as NonNullable<
    Input['name']
  >]: v.GenericSchema<unknown, AbiParameterToPrimitiveType<Input>>;
};
type Output<Fields extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Fields, undefined>>;

/**
 * `abi`: as the contract emits it; its name is the answer's `event`. `type`: the name that actors know. `stored`: its
 * arguments under the names of the contract, as a node gets and stores them. `answer`: what the API shows of them, and
 * `toAnswer` makes it.
 */
export function defineEvent<
  const Event extends AbiEvent,
  const Type extends string,
  Log extends Stored<Event>,
  Answer extends v.ObjectEntries,
>(definition: {
  abi: Event;
  type: Type;
  stored: Log;
  answer: Answer;
  toAnswer(log: Output<Log>): Output<Answer>;
}) {
  const { abi, type, stored, answer, toAnswer } = definition;
  const name: Event['name'] = abi.name;
  return {
    abi,
    type,
    log: v.object({ type: v.literal(type), ...ofLog, ...stored }),
    answer: v.strictObject({ event: v.literal(name), ...answer, ...ofAnswer }),
    toAnswer: (log: Output<Log> & Output<typeof ofLog>) => ({
      event: name,
      ...toAnswer(log),
      channel_identifier: String(log.channelId),
      block_number: String(log.at.block),
      log_index: String(log.at.logIndex),
      transaction_hash: log.at.transactionHash,
    }),
  };
}
