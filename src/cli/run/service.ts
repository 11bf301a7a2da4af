/** Runs a service until it is told to stop. */

import type { Fault } from '../../basics/fault.ts';
import type { Started } from '../../host/base/refusal.ts';
import type { ServiceConfig, ServiceHooks } from '../../host/services/open-service.ts';
import { brokerAccess } from '../options/broker-access.ts';
import { contractsIn } from '../options/node-config.ts';
import type { ServiceOptions } from '../options/services.ts';
import type { HandedOn } from '../options/settings.ts';
import { filesForBroker } from '../options/watched-files.ts';
import { dataFolder, stateFolder } from '../process/folders.ts';
import { type Found, found } from '../process/found.ts';
import { createLog } from '../process/log.ts';
import { announce } from '../process/terminal.ts';
import { FATAL } from '../process/uncaught.ts';
import { version } from '../process/version.ts';
import { runProgram } from './program.ts';

/** `url`: where the service takes calls; null when it takes none. */
type OpenService = { url: string | null; stop(): Promise<void> };
type Start = (config: ServiceConfig, hooks: ServiceHooks) => Promise<Started<OpenService>>;

/** Runs the service until it is told to stop; answers the exit code. */
export async function runService(
  { key, log: logOptions, ...others }: ServiceOptions,
  start: Start,
  fault?: Fault,
): Promise<number> {
  const log = createLog(logOptions);
  const points = fault === undefined ? {} : { fault };
  return runProgram({
    log,
    key,
    configure: () => configOf(others),
    async open({ config, signer, end }) {
      const opened = await start(config, { signer, log, onFatal: () => end(FATAL), ...points });
      if (opened.ok) announce(`ready: ${opened.value.url ?? signer.address}`);
      return opened;
    },
  });
}

function configOf({
  contractsFile,
  nats,
  brokerFiles,
  ...handedOn
}: Omit<ServiceOptions, 'key' | 'log'>): Found<ServiceConfig> {
  handedOn satisfies HandedOn<typeof handedOn, ServiceConfig>;
  const contracts = contractsIn(contractsFile);
  if (!contracts.ok) return contracts;
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  return found({
    ...handedOn,
    version: version(),
    contracts: contracts.value,
    broker: { nats, ...access.value },
    files: filesForBroker(brokerFiles),
    dataFolder: dataFolder(),
    stateFolder: stateFolder(),
  });
}
