/**
 * A node on real parts whose owner has changed the program: it tells its own actors what no honest node
 * would. What it sends is signed and packed by the node's own code, so that no attack knows the wire.
 */
import type { ChannelContext } from '../../machines/channel/context.ts';
import type { Address, Hash } from '../../src/basics/hex.ts';
import { assemble } from '../../src/node/node.ts';
import { channelState } from '../../src/node/runtime/actors/channel-states.ts';
import { stateIn } from '../../src/node/runtime/actors/kinds.ts';
import type { Delivery } from '../../src/node/runtime/commits/delivery.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import type { Store } from '../../src/store/store.ts';
import type { Network } from './network.ts';
import { until } from './until.ts';

export type CheatingNode = Awaited<ReturnType<typeof startCheat>>;
type Twin = {
  partner: string;
  path: readonly string[];
  secrethash: Hash;
  amount: bigint;
  paymentId: bigint;
};

/** Starts a cheat on the database that an honest node of this name has left. */
export async function startCheat(network: Network, name: string) {
  const parts = await network.parts(name);
  const wire = network.bus.connect(parts.signer.address);
  /** After each payload, before what it changed is committed. */
  let afterwards = () => {};
  const transport: typeof wire = {
    ...wire,
    onMessage: (handler, publicKey) =>
      wire.onMessage((payload) => {
        handler(payload);
        afterwards();
      }, publicKey),
  };
  const node = assemble(network.settings, { ...parts, transport, checkBooks: false });
  node.start();
  await until(() => node.headStatus()?.status === 'ready', `${name} is ready`);

  const channelWith = (partner: string) => {
    const id = node.directory.find(network.token, network.addressOf(partner));
    if (id === null) throw new Error(`${name} has no channel with ${partner}`);
    return id;
  };
  const channel = (partner: string) => channelState(node.actors, channelWith(partner))?.channel;
  const tell = (to: string, event: Delivery['event']) => node.engine.turn([{ to, event }]);

  function lockAgain({ partner, path, secrethash, amount, paymentId }: Twin) {
    const route = path.map(network.addressOf);
    const [initiator, target] = [route[0] ?? node.own, route.at(-1) ?? node.own];
    const metadata = routesMetadata(route);
    const facts = { from: 'nobody', paymentId, amount, secrethash, lockTimeout: null };
    tell(channelWith(partner), { type: 'actor.addLock', ...facts, initiator, target, metadata });
  }

  return {
    node,
    channel,
    tell,
    channelWith,
    pay: node.payments.pay,
    /** As soon as the lock with this secrethash is paid, the same hash locks again, in the same payload. */
    async lockTwice(twin: Twin): Promise<void> {
      let isDone = false;
      afterwards = () => {
        const { transferred = 0n, locks = [] } = channel(twin.partner)?.ownEnd ?? {};
        if (isDone || transferred === 0n || locks.length > 0) return;
        isDone = true;
        lockAgain(twin);
      };
      await until(() => isDone, 'the second lock is signed');
    },
    async stop() {
      await node.stop();
      parts.connection.stop();
    },
  };
}

/** The channel with a neighbour as an honest node has it on disk. */
export function storedChannel(store: Store, partner: Address): ChannelContext {
  const found = store
    .loadActors()
    .map(stateIn)
    .flatMap((state) => (state.kind === 'channel' ? [state.context] : []))
    .find((context) => context.partner === partner);
  if (found === undefined) throw new Error(`there is no channel with ${partner}`);
  return found;
}
