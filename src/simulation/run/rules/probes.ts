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
type Terms = { ifQuiet: boolean; judge(failure: string | null): void };

/** Blocks in which a close is mined that was under way already: then nothing arrives any more. */
const CLOSING = 5n;

export function createProbes({ world, trust, quiet, indexOf, onViolation }: Options) {
  const failed: Failed[] = [];
  /** Payments that have had no end. `isOwed`: whether they must have one. */
  const begun = new Set<{ who: string; text: string; isOwed(): boolean }>();
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
    const text = `${machine.name} never ends a payment over ${channel}`;
    const one = { who: machine.name, text, isOwed: () => machine.node() === node };
    begun.add(one);
    machine.call(() => {
      node
        .pay({ token, target: partner, amount: 1n, ...open, routes })
        .then(
          (result) => result.ok || fails(result.code),
          (error) => fails(String(error)),
        )
        .finally(() => begun.delete(one));
    });
  }

  /** Looks at what had failed by this block: when there was time for a close that was under way. */
  function look(byBlock: bigint) {
    for (const one of failed.splice(0)) {
      if (one.block > byBlock) failed.push(one);
      else if (world.chain.channelOf(one.channel)?.state === 'opened')
        onViolation(new Violation(21, one.who, one.text));
    }
  }

  return {
    /** The node pays its partners. `ifQuiet`: only when nothing is in the way; else it fails if something is. */
    begin(index: number, { ifQuiet, judge }: Terms) {
      const node = world.inhabitants[index]?.machine.node();
      const views = node?.channels({ token: world.token }).filter(isForProbe) ?? [];
      if (!node) return judge(ifQuiet ? null : 'is not possible: it is down');
      if (!trust.isWhole(index) || !isQuiet())
        return judge(ifQuiet ? null : 'is not possible: something is in the way');
      if (views.length === 0 && !ifQuiet) return judge('is not possible: it can pay nobody');
      for (const view of views) pay(index, view);
      judge(null);
    },
    block: () => look(head() - CLOSING),
    /** The run ends: there is no time for anything any more. */
    end() {
      look(head());
      for (const { who, text, isOwed } of begun)
        if (isOwed()) onViolation(new Violation(21, who, text));
    },
  };
}
