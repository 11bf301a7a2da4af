/** The options that the commands of all services share. */
import { MAX_UINT256 } from '../basics/amount.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { flag, optional, required, type Values } from './options/settings.ts';
import { bigNumber, natsUrl } from './options/values.ts';

const { rpcUrl, contractsFile, networkId, key, database } = NODE_OPTIONS;
const { brokerFiles, confirmations, pollIntervalMs, log } = NODE_OPTIONS;

export const SERVICE_OPTIONS = {
  ...{ rpcUrl, contractsFile, networkId, key, database },
  nats: required('--nats <url>', 'message broker that the nodes are on', natsUrl),
  ...{ brokerFiles, confirmations, pollIntervalMs, log },
};
export type ServiceOptions = Values<typeof SERVICE_OPTIONS>;

export const REGISTRATION_OPTIONS = {
  register: flag('--register', 'register in the service registry when this key is not'),
  registerUntilStopped: flag(
    '--register-until-stopped',
    'register, and renew the registration before it ends, as long as this runs',
  ),
  acceptedPrice: optional(
    '--accept-price <units>',
    'most that a registration or renewal may deposit, in units of the service token (default: nothing)',
    bigNumber(0n, MAX_UINT256),
  ),
};
