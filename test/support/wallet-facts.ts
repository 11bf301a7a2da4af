import type { WalletFacts } from '../../src/http/wallet.ts';
import { PARTNER, TOKEN } from '../unit/http/fake-node.ts';
import { OWN } from './makers.ts';

/** What a wallet's page is told of a node that nobody runs. */
export function walletFacts(): WalletFacts {
  return {
    address: OWN,
    chainId: '31337',
    block: '100',
    blockSeconds: 12,
    confirmations: '5',
    settleTimeout: '500',
    revealTimeout: '50',
    wei: '1000000000000000000',
    gasPrice: '1000000000',
    gas: {
      ...{ approve: '60000', openChannel: '200000', deposit: '130000', withdraw: '150000' },
      ...{ close: '130000', settle: '180000', userDeposit: '150000', userDepositPlan: '80000' },
      userDepositWithdraw: '80000',
    },
    tokens: [{ address: TOKEN, symbol: 'TTA', decimals: 2, isRegistered: true, onChain: '1000' }],
    names: [{ address: PARTNER, name: 'bob' }],
    userDeposit: null,
    capacities: [
      { token: TOKEN, partner: PARTNER, canPay: '900', canReceive: '100', settleBlock: null },
    ],
    troubles: [],
  };
}
