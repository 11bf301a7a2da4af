/** The chain of the tests is the chain of the devnet. */
export { type Anvil, type AnvilOptions, startAnvil } from '../../src/devnet/chain/anvil.ts';
