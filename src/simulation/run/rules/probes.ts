/** Payments that must arrive: one unit over each open channel of two honest nodes, when nothing is in the way. */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address } from '../../../basics/hex.ts';
import type { ChannelView } from '../../../node/runtime/actors/channel-states.ts';
import { Violation } from '../../invariants/violation.ts';
import type { Quiet } from '../faults/quiet.ts';
import type { Trust } from '../faults/trust.ts';
import type { World } from '../world.ts';

type Options = {
  world: Pick<World, 'chain' | 'inhabitants' | 'addressOf' | 'token'>;
  trust: Pick<Trust, 'isWhole'>;
  quiet: Quiet;
  indexOf(address: Address): number | null;
  onViolation(violation: Violation): void;
};
type Failed = { who: string; text: string; channel: string; block: bigint };

/** Blocks in which a close is mined that was under way already: then nothing arrives any more. */
const CLOSING = 5n;

export function createProbes({ world, trust, quiet, indexOf, onViolation }: Options) {
  const failed: Failed[] = [];
  const head = () => world.chain.head().number;

  function isQuiet(): boolean {
    const since = quiet.since();
    return since !== null && head() - since > quiet.healing;
  }

  function isForProbe({ partner, state, balance, tokenNetwork, channelId }: ChannelView): boolean {
    const other = indexOf(partner);
    if (other === null || !trust.isWhole(other) || state !== 'opened' || balance <= 0n)
      return false;
    const facts = world.chain.channelOf(channelActorId({ tokenNetwork, channelId }));
    return facts?.state === 'opened';
  }

  function pay(index: number, { partner, tokenNetwork, channelId }: ChannelView) {
    const machine = world.inhabitants[index]?.machine;
    const node = machine?.node();
    if (!machine || !node) return;
    const { token } = world;
    const open = { lockTimeout: null, paymentId: null, secret: null, secrethash: null };
    const routes = [{ route: [world.addressOf(index), partner], fee: null }];
    const channel = channelActorId({ tokenNetwork, channelId });
    const fails = (why: string) => {
      const text = `${machine.name} cannot pay over ${channel}: ${why}`;
      if (machine.node() === node) failed.push({ who: machine.name, text, channel, block: head() });
    };
    machine.call(() => {
      node.pay({ token, target: partner, amount: 1n, ...open, routes }).then(
        (result) => result.ok || fails(result.code),
        (error) => fails(String(error)),
      );
    });
  }

  return {
    /** The node pays its partners. */
    begin(index: number) {
      const node = world.inhabitants[index]?.machine.node();
      if (!node || !trust.isWhole(index) || !isQuiet()) return;
      for (const view of node.channels({ token: world.token }))
        if (isForProbe(view)) pay(index, view);
    },
    /** Looks at what has failed, when there was time for a close that was under way. */
    block() {
      for (const one of failed.splice(0)) {
        if (head() < one.block + CLOSING) failed.push(one);
        else if (world.chain.channelOf(one.channel)?.state === 'opened')
          onViolation(new Violation(21, one.who, one.text));
      }
    },
  };
}
