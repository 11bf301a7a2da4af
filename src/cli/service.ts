/** The options that the commands of all services share. */
import { MAX_UINT256 } from '../basics/amount.ts';
import type { RegistrationChoices } from '../services/base/registration.ts';
import { BROKER_SETTINGS, brokerFilesOf } from './options/broker-access.ts';
import { ADDRESS, KEYSTORE_PATH, keyChoiceOf, PASSWORD_FILE } from './options/key-choice.ts';
import * as settings from './options/node-settings.ts';
import { flag, optional, type Read, required } from './options/settings.ts';
import { bigNumber, natsUrl } from './options/values.ts';

const NATS = required('--nats <url>', 'message broker that the nodes are on', natsUrl);

export const SERVICE_SETTINGS = [
  settings.ETH_RPC_ENDPOINT,
  settings.CONTRACTS,
  settings.NETWORK_ID,
  KEYSTORE_PATH,
  ADDRESS,
  PASSWORD_FILE,
  settings.DATABASE,
  NATS,
  ...BROKER_SETTINGS,
  settings.CONFIRMATIONS,
  settings.POLL_INTERVAL,
  settings.LOG_LEVEL,
  settings.LOG_JSON,
];

const REGISTER = flag('--register', 'register in the service registry when this key is not');
const REGISTER_UNTIL_STOPPED = flag(
  '--register-until-stopped',
  'register, and renew the registration before it ends, as long as this runs',
);
const ACCEPT_PRICE = optional(
  '--accept-price <units>',
  'most that a registration or renewal may deposit, in units of the service token (default: nothing)',
  bigNumber(0n, MAX_UINT256),
);
export const REGISTRATION_SETTINGS = [REGISTER, REGISTER_UNTIL_STOPPED, ACCEPT_PRICE];

export const registrationChoicesOf = (read: Read): RegistrationChoices => ({
  register: read(REGISTER),
  registerUntilStopped: read(REGISTER_UNTIL_STOPPED),
  acceptedPrice: read(ACCEPT_PRICE),
});

export type ServiceChoices = ReturnType<typeof serviceChoicesOf>;

/** Reads all options before anything is done, so that usage errors are reported first. */
export function serviceChoicesOf(read: Read) {
  return {
    rpcUrl: read(settings.ETH_RPC_ENDPOINT),
    contractsFile: read(settings.CONTRACTS),
    networkId: read(settings.NETWORK_ID),
    key: keyChoiceOf(read),
    database: read(settings.DATABASE),
    nats: read(NATS),
    brokerFiles: brokerFilesOf(read),
    confirmations: read(settings.CONFIRMATIONS),
    pollIntervalMs: read(settings.POLL_INTERVAL),
    log: { level: read(settings.LOG_LEVEL), isJson: read(settings.LOG_JSON) },
  };
}
