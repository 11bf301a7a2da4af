/** Turns the options of `sluice node` into the configuration that `src/host` opens. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownContracts, parseContracts } from '../../host/contracts-file.ts';
import { type NamedAddress, parseNames } from '../../host/names-file.ts';
import type { NodeConfig } from '../../host/node-config.ts';
import type { ReplicaConfig } from '../../host/replica/open-replica.ts';
import { READ_ONLY_METHODS } from '../../http/rpc-methods.ts';
import type { WebUiOptions } from '../../http/web-ui.ts';
import { createBus } from '../../partner/bus.ts';
import { contentOf, privateContentOf } from '../process/files.ts';
import { dataFolder, stateFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { version } from '../process/version.ts';
import { tokensIn } from './api-tokens.ts';
import { brokerAccess, missingForStream } from './broker-access.ts';
import { feesOf, routingModeIn } from './mediation.ts';
import type { NodeOptions } from './node-options.ts';
import type { HandedOn, Nothing } from './settings.ts';

/** What the options say of the node, but for its key and its log. An option that reaches nothing does not compile. */
export function configOf(options: Omit<NodeOptions, 'key' | 'log'>): Found<NodeConfig> {
  const { contractsFile, apiTokenFile, namesFile, webhook, nats, brokerFiles, ...others } = options;
  const { apiAddress, apiLimits, rpcMethods, webUi: folder, environmentType, ...rest } = others;
  const { routingMode: mode, fees, monitoring, replica: stream, standby, ...handedOn } = rest;
  handedOn satisfies HandedOn<typeof handedOn, NodeConfig>;
  apiLimits satisfies HandedOn<typeof apiLimits, NodeConfig['api']>;
  const contracts = contractsIn(contractsFile);
  if (!contracts.ok) return contracts;
  const tokens = tokensIn(apiTokenFile);
  if (!tokens.ok) return tokens;
  const webUi = webUiIn({ ...handedOn, webUi: folder, environmentType });
  if (!webUi.ok) return webUi;
  const names = namesIn(namesFile);
  if (!names.ok) return names;
  const webhooks = webhooksIn(webhook);
  if (!webhooks.ok) return webhooks;
  const routingMode = routingModeIn({ ...handedOn, routingMode: mode });
  if (!routingMode.ok) return routingMode;
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  const replica = replicaIn(nats, stream, standby);
  if (!replica.ok) return replica;
  const { rpcUrl, hasInspector, statelyPort } = handedOn;
  const isStately = statelyPort !== null;
  if (isStately && !hasInspector)
    return wrong('--stately-inspect reads the inspector: leave --no-inspector out');
  // Clients of @statelyai/inspect cannot send a token, and an operator who sets tokens wants every client to need one.
  if (isStately && apiTokenFile !== null)
    return wrong('--stately-inspect cannot be used with --api-token-file');
  const rpc =
    rpcMethods === null ? null : { url: rpcUrl, methods: [...READ_ONLY_METHODS, ...rpcMethods] };
  return found({
    ...handedOn,
    version: version(),
    contracts: contracts.value,
    names: names.value,
    webhooks: webhooks.value,
    routingMode: routingMode.value,
    fees: feesOf(fees),
    monitoringReward: monitoring.isEnabled ? monitoring.reward : null,
    isProduction: environmentType === 'production',
    replica: replica.value,
    broker: nats === null ? { bus: createBus() } : { nats, ...access.value },
    dataFolder: dataFolder(),
    stateFolder: stateFolder(),
    api: { ...apiAddress, ...apiLimits, tokens: tokens.value, rpc, webUi: webUi.value },
  });
}

function replicaIn(
  nats: string | null,
  { stream, mode, ...left }: NodeOptions['replica'],
  { isStandby, takeoverAfterMs, ...unused }: NodeOptions['standby'],
): Found<ReplicaConfig | null> {
  left satisfies Nothing;
  unused satisfies Nothing;
  const missing = missingForStream({ stream, nats, isStandby });
  if (missing !== null) return wrong(missing);
  if (takeoverAfterMs !== null && !isStandby) return wrong('--takeover-after needs --standby');
  return { ok: true, value: stream === null ? null : { stream, mode } };
}

export function contractsIn(file: string): Found<KnownContracts> {
  const content = contentOf(file, '--contracts');
  if (!content.ok) return content;
  const parsed = parseContracts(content.value);
  return parsed.ok ? parsed : wrong(`${file} is not a file of contracts: ${parsed.message}`);
}

function namesIn(file: string | null): Found<NamedAddress[]> {
  if (file === null) return found([]);
  const content = contentOf(file, '--names');
  if (!content.ok) return content;
  const parsed = parseNames(content.value);
  return parsed.ok ? parsed : wrong(`${file} is not a file for --names: ${parsed.message}`);
}

export function webhooksIn({
  urls,
  secretFile: file,
  ...left
}: NodeOptions['webhook']): Found<NodeConfig['webhooks']> {
  left satisfies Nothing;
  if (urls.length === 0) return found(null);
  if (file === null)
    return wrong(
      '--webhook needs --webhook-secret-file: without a signature, nobody could tell who calls',
    );
  const content = privateContentOf(file, '--webhook-secret-file');
  if (!content.ok) return content;
  const secret = content.value.trim();
  return /^[\x21-\x7e]{16,}$/.test(secret)
    ? { ok: true, value: { urls, secret } }
    : wrong(
        `${file} must hold a secret of at least 16 printable characters, e.g. from "openssl rand -hex 32"`,
      );
}

export function webUiIn(
  options: Pick<
    NodeOptions,
    | 'webUi'
    | 'environmentType'
    | 'defaultSettleTimeout'
    | 'defaultRevealTimeout'
    | 'pathfindingServiceAddress'
    | 'rpcUrl'
  >,
): Found<WebUiOptions | null> {
  const { webUi: folder, defaultSettleTimeout, defaultRevealTimeout, environmentType } = options;
  const { pathfindingServiceAddress, rpcUrl } = options;
  if (folder === null) return found(null);
  if (statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile() !== true)
    return wrong(`the folder of --web-ui has no index.html: ${folder}`);
  return found({
    folder,
    // Origins only: the page's policy is public, and the rest of a URL may hold a password or an access key.
    connections: [pathfindingServiceAddress, rpcUrl]
      .filter((url) => url !== null)
      .map((url) => new URL(url).origin),
    settleTimeout: defaultSettleTimeout,
    revealTimeout: defaultRevealTimeout,
    environmentType,
  });
}
