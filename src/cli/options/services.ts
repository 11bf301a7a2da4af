/** The options of the services. */
import { MAX_UINT256 } from '../../basics/amount.ts';
import { NODE_OPTIONS } from './node-options.ts';
import { defaulting, flag, optional, required, type Values } from './settings.ts';
import { bigNumber, hostAndPort, natsUrl } from './values.ts';

const { rpcUrl, contractsFile, networkId, key, database } = NODE_OPTIONS;
const { brokerFiles, confirmations, pollIntervalMs, log } = NODE_OPTIONS;

const SERVICE_OPTIONS = {
  ...{ rpcUrl, contractsFile, networkId, key, database },
  nats: required('--nats <url>', 'message broker that the nodes are on', natsUrl),
  ...{ brokerFiles, confirmations, pollIntervalMs, log },
};
export type ServiceOptions = Values<typeof SERVICE_OPTIONS>;

const REGISTRATION = {
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

export const MONITORING_OPTIONS = {
  shared: SERVICE_OPTIONS,
  /** The default is worth a transaction: 5 whole service tokens. */
  minReward: defaulting(
    '--min-reward <units>',
    'least reward a request must promise, in units of the service token',
    bigNumber(0n, MAX_UINT256),
    String(5n * 10n ** 18n),
  ),
  apiAddress: optional(
    '--api-address <host:port>',
    'where /livez, /readyz and /metrics are answered (default: nowhere)',
    hostAndPort,
  ),
  allowedHosts: NODE_OPTIONS.apiLimits.allowedHosts,
  registration: REGISTRATION,
};

const UNITS = bigNumber(0n, MAX_UINT256);

export const PATHFINDING_OPTIONS = {
  shared: SERVICE_OPTIONS,
  apiAddress: defaulting(
    '--api-address <host:port>',
    'where the API listens',
    hostAndPort,
    '127.0.0.1:6001',
  ),
  allowedHosts: NODE_OPTIONS.apiLimits.allowedHosts,
  origins: NODE_OPTIONS.apiLimits.origins,
  price: defaulting(
    '--price <amount>',
    'what a request for paths costs, in units of the service token',
    UNITS,
    '0',
  ),
  leastClaim: defaulting(
    '--least-claim <amount>',
    'IOUs that owe less are not redeemed: their gas would cost more',
    UNITS,
    '1',
  ),
  registration: REGISTRATION,
};
