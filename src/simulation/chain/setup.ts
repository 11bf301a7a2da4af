/** Sets up large networks on a simulated chain quickly, with the same state and logs as ordinary transactions. */
import type { Address, Hash } from '../../basics/hex.ts';
import type { Chain } from './chain.ts';
import { callData, type Word } from './contracts/abi.ts';

type Parts = {
  userDeposit: Address;
  serviceToken: Address;
  networkAt(address: Address): { tokenAddress: Address; channelCount(): bigint } | null;
};

/** The first of the pair opens the channel. Deposits in the token's smallest unit, the timeout in blocks. */
export type Opening = {
  pair: readonly [Address, Address];
  depositA: bigint;
  depositB: bigint;
  settleTimeout: bigint;
};

/** Pays for what the simulation sets up. */
export const FAUCET: Address = '0xfa00000000000000000000000000000000000000';

/** All setup is executed in the next block, before all other transactions, whatever gas it takes. */
export function createSetup({ setUp, head }: Pick<Chain, 'setUp' | 'head'>, parts: Parts) {
  const from = FAUCET;
  /** Channel openings that wait for the next block. */
  let waiting = { head: 0n, byNetwork: new Map<Address, bigint>() };

  function send(to: Address, signature: string, ...args: readonly Word[]): Hash {
    return setUp({ from, to, data: callData(signature, ...args), value: 0n });
  }
  function nextId(network: Address, opened: bigint): bigint {
    if (waiting.head !== head().number)
      waiting = { head: head().number, byNetwork: new Map<Address, bigint>() };
    const others = (waiting.byNetwork.get(network) ?? 0n) + 1n;
    waiting.byNetwork.set(network, others);
    return opened + others;
  }
  function fund(token: Address, spender: Address, amount: bigint): void {
    send(token, 'mintFor(uint256,address)', amount, from);
    send(token, 'approve(address,uint256)', spender, amount);
  }

  return {
    /** Mints units of the token for the owner. */
    mint: (token: Address, owner: Address, amount: bigint): Hash =>
      send(token, 'mintFor(uint256,address)', amount, owner),
    /** Gives the owner wei for gas. */
    give: (owner: Address, wei: bigint): Hash => setUp({ from, to: owner, data: '0x', value: wei }),
    /** Raises the owner's total deposit in the user deposit to `total`, in units of the service token. */
    fillUserDeposit(owner: Address, total: bigint): Hash {
      fund(parts.serviceToken, parts.userDeposit, total);
      return send(parts.userDeposit, 'deposit(address,uint256)', owner, total);
    },
    /**
     * Opens channels with new tokens as deposits, and returns their identifiers. The pairs must not have channels. The
     * tokens of all are made at once: a large network would make them in tens of thousands of transactions.
     */
    openChannels(tokenNetwork: Address, openings: readonly Opening[]): bigint[] {
      const network = parts.networkAt(tokenNetwork);
      if (network === null) throw new Error(`no token network ${tokenNetwork}`);
      const deposits = openings.reduce(
        (sum, { depositA, depositB }) => sum + depositA + depositB,
        0n,
      );
      if (deposits > 0n) fund(network.tokenAddress, tokenNetwork, deposits);
      return openings.map(({ pair: [a, b], depositA, depositB, settleTimeout }) => {
        const id = nextId(tokenNetwork, network.channelCount());
        const opening = [a, b, settleTimeout] as const;
        const open = 'openChannelWithDeposit(address,address,uint256,uint256)';
        if (depositA > 0n) send(tokenNetwork, open, ...opening, depositA);
        else send(tokenNetwork, 'openChannel(address,address,uint256)', ...opening);
        const raise = 'setTotalDeposit(uint256,address,uint256,address)';
        if (depositB > 0n) send(tokenNetwork, raise, id, b, depositB, a);
        return id;
      });
    },
  };
}
