import * as v from 'valibot';
import type { AbiEvent } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  answerOfLog,
  type ChannelLog,
  channelEventsAbi,
  channelLog,
  channelLogAnswers,
  channelLogOf,
} from '../../../src/contracts/channel-events.ts';
import { HASH, NETWORK, OWN, PARTNER } from '../http/fake-node.ts';

const ROOT = `0x${'4f'.repeat(32)}` as const;
const AT = { block: 120n, logIndex: 3, transactionHash: HASH };
const of = { tokenNetwork: NETWORK, channelId: 7n, at: AT };
const common = {
  channel_identifier: '7',
  block_number: '120',
  log_index: '3',
  transaction_hash: HASH,
};

/** A value for each argument, as the decoder of logs gives it. */
const VALUES: Record<string, unknown> = { uint256: 7n, address: OWN, bytes32: ROOT };
function decoded(event: AbiEvent) {
  return Object.fromEntries(event.inputs.map(({ name, type }) => [name, VALUES[type]]));
}

describe('the definition of an event of a channel', () => {
  it.each<[string, ChannelLog, object]>([
    [
      'a deposit',
      { ...of, type: 'chain.channelDeposit', participant: OWN, totalDeposit: 10n ** 30n },
      {
        event: 'ChannelNewDeposit',
        participant: OWN,
        total_deposit: `1${'0'.repeat(30)}`,
        ...common,
      },
    ],
    [
      'a brought balance proof',
      { ...of, type: 'chain.proofUpdated', closer: OWN, nonce: 9n, balanceHash: ROOT },
      {
        event: 'NonClosingBalanceProofUpdated',
        closing_participant: OWN,
        nonce: '9',
        balance_hash: ROOT,
        ...common,
      },
    ],
    [
      'a settlement',
      {
        ...of,
        type: 'chain.channelSettled',
        participant1: OWN,
        amount1: 1n,
        locksroot1: ROOT,
        participant2: PARTNER,
        amount2: 2n,
        locksroot2: HASH,
      },
      {
        event: 'ChannelSettled',
        participant1: OWN,
        participant1_amount: '1',
        participant1_locksroot: ROOT,
        participant2: PARTNER,
        participant2_amount: '2',
        participant2_locksroot: HASH,
        ...common,
      },
    ],
  ])('shows %s with these fields in this order', (_, log, shown) => {
    expect(JSON.stringify(answerOfLog(log))).toBe(JSON.stringify(shown));
  });

  it.each(channelEventsAbi.map((event) => [event.name, event] as const))(
    'reads what the contract emits as %s, and shows it in a shape of its own',
    (name, event) => {
      const log = channelLogOf({ eventName: name, args: decoded(event) }, of);
      expect(v.parse(channelLog, log)).toEqual(log);
      const shapes = channelLogAnswers.filter(({ entries }) => entries.event.literal === name);
      expect(shapes).toHaveLength(1);
      for (const shape of shapes)
        expect(Object.keys(answerOfLog(log))).toEqual(Object.keys(shape.entries));
      const shown = v.parse(v.variant('event', channelLogAnswers), answerOfLog(log));
      expect(shown).toEqual({ ...answerOfLog(log), event: name });
    },
  );

  it('has a type, a name and a shape that no other event has', () => {
    const names = channelEventsAbi.map(({ name }) => name);
    const types = channelLog.options.map(({ entries }) => entries.type.literal);
    const shown = channelLogAnswers.map(({ entries }) => entries.event.literal);
    expect(new Set(types).size).toBe(types.length);
    expect(new Set(names).size).toBe(types.length);
    expect(shown).toEqual(names);
  });

  it('refuses arguments that are not those of the event', () => {
    const args = { channelId: 7n, participant: OWN, totalDeposit: -1n };
    expect(() => channelLogOf({ eventName: 'ChannelNewDeposit', args }, of)).toThrow();
    expect(() => channelLogOf({ eventName: 'ChannelWithdraw', args }, of)).toThrow();
  });
});
