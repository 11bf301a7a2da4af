/**
 * Strangers who have keys and next to no tokens, and what they make a node pay for gas. They act on the simulated chain:
 * what they send there takes its gas as everybody's does, and is mined in the next block.
 */
import type { Address, Hash, Hex, Secret } from '../../src/basics/hex.ts';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { closeCalls, registerSecretsCall, settleCalls } from '../../src/chain/queue/calls.ts';
import { registerNewToken } from '../../src/contracts/tokens.ts';
import type { NodeSettings } from '../../src/node/runtime/parts.ts';
import {
  type Balances,
  closingDigest,
  EMPTY_SIGNATURE,
} from '../../src/protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import type { Contract, World } from '../../src/simulation/chain/contracts/contract.ts';
import { anvilCall } from './chain.ts';
import { startVirtualNetwork } from './network.ts';
import { createParticipant, type Participant } from './stranger.ts';
import { until } from './until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
/** Wei for a unit of gas, as long as the blocks are half full. */
export const GWEI = 10n ** 9n;
const HALF_FULL = 15_000_000n;
/** In virtual milliseconds: long enough for a node to send what it wants to. */
const BETWEEN_BLOCKS = 400;
/** Locks in one payload. */
const AT_A_TIME = 20;

export type GasWorld = ReturnType<typeof startGasWorld>;
export type Token = { token: Address; tokenNetwork: Address };
export type Stranger = { signer: Signer; channelId: bigint; of: Token };
/** A stranger, its voice, and the secrets of its locks. */
export type Speaker = {
  stranger: Stranger;
  says: Participant;
  secrets: Secret[];
};
/** `over`: to whom the victim has to pass them on; absent: they are for the victim itself. */
type Locks = {
  amount?: bigint;
  count?: number;
  lifetime: bigint;
  isShown: boolean;
  over?: Address;
  /** Absent: each has another one. */
  secret?: Secret;
};
export type Timeouts = { settleTimeout: bigint; revealTimeout: bigint };
export const SHORT: Timeouts = { settleTimeout: 100n, revealTimeout: 40n };
export const USUAL: Timeouts = { settleTimeout: 500n, revealTimeout: 50n };

const NO_BALANCES: Balances = {
  transferredAmount: 0n,
  lockedAmount: 0n,
  locksroot: NO_LOCKS_ROOT,
};

let keys = 0n;
let drawn = 0n;
/** Somebody with a new key. */
export function newKey(): Signer {
  keys += 1n;
  return createSigner(Buffer.from((2n ** 200n + keys).toString(16).padStart(64, '0'), 'hex'));
}

/** A network without fees, and a chain on which gas costs one gwei. */
export function startGasWorld(timeouts: Timeouts, choices: Partial<NodeSettings> = {}) {
  const network = startVirtualNetwork({
    checkBooks: false,
    choices: {
      fees: { byToken: new Map(), others: FREE },
      defaultSettleTimeout: timeouts.settleTimeout,
      defaultRevealTimeout: timeouts.revealTimeout,
      ...choices,
    },
  });
  const { simulated, chain, tokenNetwork, token, bus, contracts } = network;
  simulated.setWeather({ others: { gas: HALF_FULL, tip: 0n }, usualTip: 0n });
  const ordinary: Token = { token, tokenNetwork };
  const place = {
    chainId: chain.chainId,
    tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
  };
  const head = () => simulated.head().number;
  const send = (from: Address, { to, data }: { to: Address; data: Hex }): Hash =>
    simulated.setUp({ from, to, data, value: 0n });
  const attempt = (from: Address, { to, data }: { to: Address; data: Hex }): Hash =>
    simulated.setUp({ from, to, data, value: 0n }, { isTrial: true });

  return {
    network,
    timeouts,
    ordinary,
    head,
    /**
     * A token of the strangers; `burns`: gas that it takes whenever a contract pays it out; `isHidden`: only in blocks, so
     * that no simulation shows it.
     */
    async createJunk(symbol: string, burns = 0, { isHidden = false } = {}): Promise<Token> {
      const created = await network.createToken(symbol);
      const { machine } = simulated;
      const contract = machine.contracts.get(created);
      if (contract === null) throw new Error('there is no such token');
      if (burns > 0)
        machine.contracts.set(
          created,
          burning(contract, () => charge(machine.world, burns, isHidden)),
        );
      const registry = contracts.tokenNetworkRegistryAddress;
      return {
        token: created,
        tokenNetwork: await registerNewToken(network.clients, registry, created),
      };
    },
    /**
     * Each with a channel with the victim, and `deposit` in it; in the next block. `given`: what they put in on the victim's side.
     */
    open(
      victim: Address,
      many: { of: Token; count: number; settleTimeout: bigint; deposit?: bigint; given?: bigint },
    ): Stranger[] {
      const { of, count, settleTimeout, deposit = 1n, given = 0n } = many;
      const signers = Array.from({ length: count }, newKey);
      const openings = signers.map(({ address }) => {
        const pair = [address, victim] as const;
        return { pair, depositA: deposit, depositB: given, settleTimeout };
      });
      const ids = simulated.openChannels(of.tokenNetwork, openings);
      return signers.map((signer, n) => ({ signer, channelId: ids[n] ?? 0n, of }));
    },
    /** Each closes its channel, in the next block, as if the victim had never sent anything. */
    close(strangers: readonly Stranger[], partner: Address): void {
      const none = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
      const tx = { type: 'tx.close', from: '', key: '', deadlineBlock: null, proof: null } as const;
      for (const { signer, channelId, of } of strangers) {
        const { tokenNetwork } = of;
        const digest = closingDigest(
          { chainId: chain.chainId, tokenNetwork, channelId, ...none },
          EMPTY_SIGNATURE,
        );
        const closingSignature = signer.sign(digest);
        const closing = { own: signer.address, closingSignature };
        for (const call of closeCalls({ ...tx, tokenNetwork, channelId, partner }, closing))
          send(signer.address, call);
      }
    },
    /** Each tries to settle its channel, in the next block; `balancesOf`: by its proof that the partner has brought. */
    settle(
      strangers: readonly Stranger[],
      partner: Address,
      balancesOf: (stranger: Stranger) => Balances = () => NO_BALANCES,
    ): void {
      const tx = { type: 'tx.settle', from: '', key: '', deadlineBlock: null } as const;
      const hashes = { channel: '', ownHash: null, partnerHash: null };
      for (const stranger of strangers) {
        const { signer, channelId, of } = stranger;
        const facts = { ...tx, ...hashes, tokenNetwork: of.tokenNetwork, channelId, partner };
        const ownBalances = balancesOf(stranger);
        const given = { own: signer.address, ownBalances, partnerBalances: NO_BALANCES };
        for (const call of settleCalls(facts, given)) attempt(signer.address, call);
      }
    },
    /** Brings secrets on chain, in the next block. */
    register(by: Signer, secrets: readonly Hash[]): void {
      send(by.address, registerSecretsCall(contracts.secretRegistryAddress, secrets));
    },
    /** A stranger that speaks to the victim in its channel, and locks what it has there. */
    speaker(stranger: Stranger, victim: string): Speaker {
      const { signer, channelId, of } = stranger;
      const partner = network.signerOf(victim);
      const transport = bus.connect(signer.address);
      const parts = { signer, partner, transport, place, ...of, channelId, acknowledges: true };
      return { stranger, says: createParticipant(parts), secrets: [] };
    },
    /** It locks so much, once or several times; with `isShown` the victim can read the secrets. */
    lock({ stranger, says, secrets }: Speaker, victim: string, many: Locks): void {
      const { amount = 1n, count = 1, lifetime, isShown } = many;
      const own = network.addressOf(victim);
      const target = many.over ?? own;
      const route = many.over === undefined ? [says.address, own] : [says.address, own, many.over];
      const parties = { initiator: says.address, target };
      const messages = Array.from({ length: count }, (): Update => {
        drawn += 1n;
        const secret = many.secret ?? secretOf(drawn);
        const [paymentId, secrethash] = [drawn, secrethashOf(secret)];
        const payment = { token: stranger.of.token, paymentId, secrethash };
        const sealed = isShown ? says.sealSecret(payment, { secret, amount }) : null;
        const lock = { amount, expiration: head() + lifetime, secrethash };
        const metadata = routesMetadata(route, sealed);
        secrets.push(secret);
        return says.lockMessage({ paymentId, ...parties, lock, metadata });
      });
      for (let at = 0; at < messages.length; at += AT_A_TIME)
        says.say(...messages.slice(at, at + AT_A_TIME));
    },
    /** Waits until the victim has taken so many messages of each. */
    heard: (speakers: readonly Speaker[], count: number) =>
      until(() => speakers.every(({ says }) => answersIn(says.heard()) >= count), 'all is heard'),
    /** Each locks one unit for the victim under one secret, which one of them brings on chain: they owe it, and are silent. */
    async owe(strangers: readonly Stranger[], victim: string, lifetime: bigint): Promise<void> {
      const secret = secretOf(0n);
      const speakers = strangers.map((one) => this.speaker(one, victim));
      for (const one of speakers) this.lock(one, victim, { lifetime, isShown: false, secret });
      await this.heard(speakers, 1);
      this.register(newKey(), [secret]);
    },
    /** Gas that the account has paid for since this block. */
    gasSince(block: bigint, isAsked: (from: Address) => boolean): bigint {
      let sum = 0n;
      for (let number = block; number <= head(); number++)
        for (const { transaction, run } of simulated.block(number)?.receipts ?? [])
          if (isAsked(transaction.from)) sum += run.gasUsed;
      return sum;
    },
    setMoney: (name: string, wei: bigint) =>
      anvilCall(chain, 'anvil_setBalance', network.addressOf(name), `0x${wei.toString(16)}`),
    wei: (name: string) => simulated.wei(network.addressOf(name)),
    /** For so many blocks the chain is busy, and each costs an eighth more than the one before; the price stays there. */
    async makeDearer(blocks: bigint): Promise<void> {
      simulated.setWeather({ others: { gas: 2n * HALF_FULL, tip: 0n } });
      await this.mine(blocks);
      simulated.setWeather({ others: { gas: HALF_FULL, tip: 0n } });
    },
    /** Blocks are only made when `mine` is called. */
    stopMining: () => anvilCall(chain, 'evm_setAutomine', false),
    /** One block after the other, each after a time in which the nodes have sent what they want. */
    async mine(blocks: bigint): Promise<void> {
      for (let left = blocks; left > 0n; left--) {
        await network.mine(1n);
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
      }
    },
  };
}

const secretOf = (n: bigint): Secret => `0x${(2n ** 220n + n).toString(16).padStart(64, '0')}`;

/** How many of its messages were taken. */
const answersIn = (heard: readonly SentMessage[]): number =>
  new Set(heard.flatMap(({ message }) => (message.type === 'Processed' ? [message.messageId] : [])))
    .size;

function charge({ meter, isMining }: World, burns: number, isHidden: boolean): void {
  if (isMining || !isHidden) meter.charge(burns);
}

/** The token, but for what happens before it pays somebody. */
function burning(contract: Contract, burn: () => void): Contract {
  const { token } = contract;
  if (token === undefined) throw new Error('it is no token');
  const transfer: typeof token.transfer = (call, to, amount) => {
    burn();
    token.transfer(call, to, amount);
  };
  return { ...contract, token: { ...token, transfer } };
}
