/** What a node's own copy of the network knows of the node's own channels. */
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { channelState } from '../../../src/node/runtime/actors/channel-states.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createOwnWord } from '../../../src/node/runtime/actors/own-channels.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { CHANNEL, closed, NETWORK, OWN, PARTNER, REVEAL_TIMEOUT } from '../../support/makers.ts';
import { PAYEE_CHANNEL } from '../../support/mediation-makers.ts';

type Copy = NonNullable<ReturnType<Parameters<typeof createOwnWord>[1]>>;
type Update = Parameters<Copy['update']>[0];

/** A node with these channels, one copy of their network, and what was written into it. */
function world(channels: Record<string, PlayedChannel>) {
  const written: Update[] = [];
  const copy = {
    update(said: Update) {
      written.push(said);
      return true;
    },
  };
  const state = { channels, copy: new Map<Address, Copy | null>([[NETWORK, copy]]) };
  const stateOf = (id: string) => {
    const one = state.channels[id];
    return one === undefined ? null : stateFrom(id, one.snapshot);
  };
  const word = createOwnWord(
    {
      channels: () => Object.keys(state.channels),
      stateOf: (id) => channelState({ stateOf }, id),
    },
    (network) => state.copy.get(network),
  );
  return {
    ...word,
    state,
    copy,
    /** What was written since the last call. */
    written: () => written.splice(0),
    /** The channels of which something was written since the last call, each as often as it was. */
    named: () => written.splice(0).map(({ channelId }) => channelId),
  };
}

const channel = openChannel({ deposit: 100n, partnerDeposit: 50n });
const other = openChannel({ channelId: 2n });
const two = () => world({ [CHANNEL]: channel, [PAYEE_CHANNEL]: other });

describe('what the copy holds of an own channel', () => {
  it('is what each side can pay now, in the name of each', async () => {
    const locked = withPartnersLock({ deposit: 100n, partnerDeposit: 50n }).ours;
    const { tell, written } = world({ [CHANNEL]: locked.tell(addLock({ n: 2, amount: 30n })) });
    await tell();
    const facts = { channelId: 1n, revealTimeout: REVEAL_TIMEOUT };
    expect(written()).toEqual([
      { ...facts, updatingParticipant: OWN, updatingCapacity: 70n, otherCapacity: 40n },
      { ...facts, updatingParticipant: PARTNER, updatingCapacity: 40n, otherCapacity: 70n },
    ]);
  });

  it.each<[string, PlayedChannel]>([
    ['that is closed', channel.tell(closed(PARTNER))],
    ['whose timeouts are not safe', openChannel({ revealTimeout: 1n })],
  ])('is nothing for a channel %s', async (_, useless) => {
    const { tell, written } = world({ [CHANNEL]: useless });
    await tell();
    expect(written()).toMatchObject([
      { updatingCapacity: 0n, otherCapacity: 0n },
      { updatingCapacity: 0n, otherCapacity: 0n },
    ]);
  });
});

describe('the copy of a network', () => {
  it('is told of all channels first, and then of those that changed', async () => {
    const { tell, changed, named } = two();
    changed(new Set([CHANNEL]));
    await tell();
    expect(named()).toEqual([1n, 1n, 2n, 2n]);
    await tell();
    expect(named()).toEqual([]);
    changed(new Set(['node', PAYEE_CHANNEL]));
    changed(new Set(['keeper:1']));
    await tell();
    expect(named()).toEqual([2n, 2n]);
    await tell();
    expect(named()).toEqual([]);
  });

  it('is told, once it has been read, what changed until then', async () => {
    const { state, copy, tell, named } = two();
    state.copy.set(NETWORK, null);
    await tell();
    await tell();
    expect(named()).toEqual([]);
    state.copy.set(NETWORK, copy);
    await tell();
    expect(named()).toEqual([1n, 1n, 2n, 2n]);
  });

  it('is told nothing of a channel that is gone, and nothing when there is no copy', async () => {
    const { state, copy, changed, tell, named } = two();
    await tell();
    named();
    changed(new Set([CHANNEL, PAYEE_CHANNEL]));
    state.channels = { [PAYEE_CHANNEL]: other };
    await tell();
    expect(named()).toEqual([2n, 2n]);
    state.copy.clear();
    changed(new Set([PAYEE_CHANNEL]));
    await tell();
    state.copy.set(NETWORK, copy);
    await tell();
    expect(named()).toEqual([]);
  });

  it('is asked about no actor but channels', async () => {
    const asked: string[] = [];
    const stateOf = (id: string) => {
      asked.push(id);
      return null;
    };
    const { tell, changed } = createOwnWord({ channels: () => [], stateOf }, () => null);
    await tell();
    changed(new Set(['node', CHANNEL, `mediator:${CHANNEL}`]));
    await tell();
    expect(asked).toEqual([CHANNEL]);
  });
});
