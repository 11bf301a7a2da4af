/** Turns the options of `sluice node` into the configuration that `src/host` opens. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownContracts, parseContracts } from '../../host/contracts-file.ts';
import { type NamedAddress, parseNames } from '../../host/names-file.ts';
import type { NodeConfig } from '../../host/node-config.ts';
import type { ReplicaConfig } from '../../host/replica/open-replica.ts';
import type { RpcOptions } from '../../http/rpc.ts';
import { READ_ONLY_METHODS } from '../../http/rpc-methods.ts';
import type { WebUiOptions } from '../../http/web-ui.ts';
import { createBus } from '../../partner/bus.ts';
import { contentOf, privateContentOf } from '../process/files.ts';
import { dataFolder, stateFolder } from '../process/folders.ts';
import { version } from '../process/version.ts';
import { tokensIn } from './api-tokens.ts';
import { brokerAccess } from './broker-access.ts';
import type { Found } from './key.ts';
import { feesOf, routingModeIn } from './mediation.ts';
import type { Choices } from './node-choices.ts';

export function configOf(choices: Choices): Found<NodeConfig> {
  const contracts = contractsIn(choices.contractsFile);
  if (!contracts.ok) return contracts;
  const tokens = tokensIn(choices.apiTokenFile);
  if (!tokens.ok) return tokens;
  const webUi = webUiIn(choices);
  if (!webUi.ok) return webUi;
  const names = namesIn(choices.namesFile);
  if (!names.ok) return names;
  const webhooks = webhooksIn(choices);
  if (!webhooks.ok) return webhooks;
  const routingMode = routingModeIn(choices);
  if (!routingMode.ok) return routingMode;
  const { nats, brokerFiles } = choices;
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  const replica = replicaIn(choices);
  if (!replica.ok) return replica;
  const { apiAddress, apiConcurrency, concurrentReads, allowedHosts, origins } = choices;
  const { apiQueueSeconds, statelyPort } = choices;
  const isStately = statelyPort !== null;
  if (isStately && !choices.hasInspector)
    return {
      ok: false,
      message: '--stately-inspect reads the inspector: leave --no-inspector out',
    };
  // Clients of @statelyai/inspect cannot send a token, and an operator who sets tokens wants every client to need one.
  if (isStately && choices.apiTokenFile !== null)
    return { ok: false, message: '--stately-inspect cannot be used with --api-token-file' };
  return {
    ok: true,
    value: {
      ...choices,
      version: version(),
      contracts: contracts.value,
      names: names.value,
      webhooks: webhooks.value,
      routingMode: routingMode.value,
      fees: feesOf(choices),
      replica: replica.value,
      broker: nats === null ? { bus: createBus() } : { nats, ...access.value },
      dataFolder: dataFolder(),
      stateFolder: stateFolder(),
      api: {
        ...apiAddress,
        concurrency: apiConcurrency,
        queueSeconds: apiQueueSeconds,
        concurrentReads,
        tokens: tokens.value,
        allowedHosts,
        origins,
        rpc: rpcIn(choices),
        webUi: webUi.value,
      },
    },
  };
}

function replicaIn({
  nats,
  stream,
  replicaMode: mode,
  isStandby,
  takeoverAfter,
}: Choices): Found<ReplicaConfig | null> {
  if (stream !== null && nats === null)
    return { ok: false, message: '--replicate needs --nats: the stream is at the broker' };
  if (stream === null && isStandby)
    return { ok: false, message: '--standby needs --replicate: the stream that it follows' };
  if (takeoverAfter !== null && !isStandby)
    return { ok: false, message: '--takeover-after needs --standby' };
  return { ok: true, value: stream === null ? null : { stream, mode } };
}

export function contractsIn(file: string): Found<KnownContracts> {
  const content = contentOf(file, '--contracts');
  if (!content.ok) return content;
  const parsed = parseContracts(content.value);
  return parsed.ok
    ? parsed
    : { ok: false, message: `${file} is not a file of contracts: ${parsed.message}` };
}

function namesIn(file: string | null): Found<NamedAddress[]> {
  if (file === null) return { ok: true, value: [] };
  const content = contentOf(file, '--names');
  if (!content.ok) return content;
  const parsed = parseNames(content.value);
  return parsed.ok
    ? parsed
    : { ok: false, message: `${file} is not a file for --names: ${parsed.message}` };
}

export function webhooksIn({
  webhookUrls: urls,
  webhookSecretFile: file,
}: Pick<Choices, 'webhookUrls' | 'webhookSecretFile'>): Found<NodeConfig['webhooks']> {
  if (urls.length === 0) return { ok: true, value: null };
  if (file === null)
    return {
      ok: false,
      message:
        '--webhook needs --webhook-secret-file: without a signature, nobody could tell who calls',
    };
  const content = privateContentOf(file, '--webhook-secret-file');
  if (!content.ok) return content;
  const secret = content.value.trim();
  return /^[\x21-\x7e]{16,}$/.test(secret)
    ? { ok: true, value: { urls, secret } }
    : {
        ok: false,
        message: `${file} must hold a secret of at least 16 printable characters, e.g. from "openssl rand -hex 32"`,
      };
}

function rpcIn({ rpcUrl: url, rpcMethods }: Choices): RpcOptions | null {
  return rpcMethods === null ? null : { url, methods: [...READ_ONLY_METHODS, ...rpcMethods] };
}

export function webUiIn(choices: Choices): Found<WebUiOptions | null> {
  const { webUi: folder, isProduction, defaultSettleTimeout, defaultRevealTimeout } = choices;
  const { pathfindingServiceAddress, rpcUrl } = choices;
  if (folder === null) return { ok: true, value: null };
  if (statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile() !== true)
    return { ok: false, message: `the folder of --web-ui has no index.html: ${folder}` };
  return {
    ok: true,
    value: {
      folder,
      // Origins only: the page's policy is public, and the rest of a URL may hold a password or an access key.
      connections: [pathfindingServiceAddress, rpcUrl]
        .filter((url) => url !== null)
        .map((url) => new URL(url).origin),
      settleTimeout: defaultSettleTimeout,
      revealTimeout: defaultRevealTimeout,
      environmentType: isProduction ? 'production' : 'development',
    },
  };
}
