import { describe, expect, it } from 'vitest';
import { meaningOf } from '../../../src/chain/words.ts';

describe('the words of an endpoint', () => {
  // From the sources of the programs named, and from what gateways answer.
  it.each([
    ['geth, erigon, reth', 'already known', 'already_known'],
    ['erigon behind its gateway', 'ALREADY_EXISTS: already known', 'already_known'],
    ['erigon', 'INTERNAL_ERROR: existing tx with same hash', 'already_known'],
    ['nethermind', 'AlreadyKnown', 'already_known'],
    ['besu', 'Known transaction', 'already_known'],
    ['old geth', `known transaction: 0x${'ab'.repeat(32)}`, 'already_known'],
    ['anvil', 'transaction already imported', 'already_known'],
    ['OpenEthereum', 'Transaction with the same hash was already imported.', 'already_known'],
    ['geth', 'nonce too low: next nonce 7, tx nonce 6', 'nonce_too_low'],
    ['besu', 'Nonce too low', 'nonce_too_low'],
    ['nethermind', 'OldNonce, Current nonce: 7, nonce of rejected tx: 6', 'nonce_too_low'],
    ['OpenEthereum', 'Transaction nonce is too low. Try incrementing the nonce.', 'nonce_too_low'],
    ['geth', 'replacement transaction underpriced', 'underpriced'],
    ['geth', 'max fee per gas less than block base fee: address 0xab', 'underpriced'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low.', 'underpriced'],
    ['nethermind', 'FeeTooLowToCompete', 'underpriced'],
    ['nethermind', 'ReplacementNotAllowed', 'underpriced'],
    ['besu', 'Gas price below current base fee', 'underpriced'],
    ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
    ['erigon', 'could not replace existing tx', 'underpriced'],
    [
      'OpenEthereum',
      'Transaction gas price is too low. There is another transaction with same nonce in the queue.',
      'underpriced',
    ],
    [
      'Hardhat',
      'Transaction maxFeePerGas (9) is too low for the next block, which has a baseFeePerGas of 10',
      'underpriced',
    ],
    ['geth', 'insufficient funds for gas * price + value', 'insufficient_gas'],
    ['nethermind', 'InsufficientFunds, Account balance: 0', 'insufficient_gas'],
    ['besu', 'Upfront cost exceeds account balance', 'insufficient_gas'],
    ['Hardhat', "Sender doesn't have enough funds to send tx.", 'insufficient_gas'],
    ['geth', 'execution reverted: TN: deposit limit', 'reverted'],
    ['besu', 'Execution reverted', 'reverted'],
    ['nethermind', 'VM execution error.', 'reverted'],
    ['ganache', 'VM Exception while processing transaction: revert', 'reverted'],
    ['Hardhat', "Error: VM Exception: reverted with reason string 'no'", 'reverted'],
    ['geth', 'gas required exceeds allowance (30000000)', 'reverted'],
    ['geth', 'invalid opcode: INVALID', 'reverted'],
    ['geth', 'out of gas', 'reverted'],
    ['anvil', 'EVM error OutOfGas', 'reverted'],
    ['Hardhat', 'Transaction ran out of gas', 'reverted'],
    ['Hardhat', 'Transaction reverted without a reason string', 'reverted'],
  ] as const)('of %s, "%s", mean %s', (_who, words, meaning) => {
    expect(meaningOf(words)).toBe(meaning);
  });

  it('that a contract chose are those of a revert', () => {
    for (const text of ['already known', 'nonce too low', 'insufficient funds'])
      expect(meaningOf(`execution reverted: ${text}`)).toBe('reverted');
  });

  it.each([
    'unknown transaction type',
    'header not found',
    'missing trie node',
    'txpool is full',
    'internal error',
    '',
  ])('"%s" mean nothing that is known', (words) => {
    expect(meaningOf(words)).toBeNull();
  });
});
