/** What it would cost now to bring home what is in the channels. Protocol section 9, missing_gas_reserve. */
import { GAS_ESTIMATES } from '../chain/calls.ts';

const { close, settle, unlock } = GAS_ESTIMATES;

/** Gas that a channel in this state can still take; `state` is the word of its actor. */
function gasOf(state: string): bigint {
  switch (state.split('.', 1)[0]) {
    case 'closed':
    case 'settling':
      return settle + unlock;
    case 'claiming':
      return unlock;
    case 'gone':
      return 0n;
    default:
      return close + settle + unlock;
  }
}

/**
 * Wei that an account should hold for its channels at this price, with a tenth to spare. Without a channel
 * that can be closed, one is assumed: it may be opened at any moment, by others too.
 */
export function gasReserve(states: readonly string[], gasPrice: bigint): bigint {
  const whole = gasOf('opened');
  const hasOpen = states.some((state) => gasOf(state) === whole);
  const gas = states.reduce((sum, state) => sum + gasOf(state), hasOpen ? 0n : whole);
  return (11n * gas * gasPrice) / 10n;
}
