/** Checks the message broker, other processes with the same key, and the port of the API. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import * as v from 'valibot';
import type { Address } from '../../basics/hex.ts';
import { isLoopback } from '../../http/server.ts';
import { health } from '../../http/shapes/answers.ts';
import { type AtPath, lookAt, socketOf } from '../../http/socket-file.ts';
import { connectNats } from '../../partner/nats.ts';
import type { NatsAccess } from '../../partner/nats-access.ts';
import { recover } from '../../signer/ecdsa.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

type BrokerRequest = {
  nats: string | null;
  /** The login; absent when the broker needs none, or when it is in the broker's address. */
  access?: () => NatsAccess;
  chainId: bigint;
  tokenNetworkRegistry: Address;
  address: Address;
  /** Whether a node on this machine uses the key. */
  isRunning: boolean;
};

const ANSWER_MS = 3_000;

/** Checks the broker without listening: the only question it asks is whether another process uses the key. */
export async function checkBroker(request: BrokerRequest): Promise<Finding[]> {
  const { nats, isRunning } = request;
  if (nats === null) {
    const advice = 'give --nats: without it nobody outside of the process can be paid';
    return [warning('broker', 'none', advice)];
  }
  const problems: string[] = [];
  const transport = connectNats({
    ...request,
    url: nats,
    sign: null,
    recover,
    report: (problem) => void problems.push(problem),
  });
  try {
    const hasOther = (await transport.findRival()) !== 'none';
    if (!transport.isConnected())
      return [failed('broker', ...whyNot(problems[0] ?? 'it does not answer'))];
    if (hasOther && !isRunning) {
      const advice =
        'end it: one key must never run twice. Only if this machine is its standby (--standby), leave it';
      const what = 'another process, not of this machine, listens with this key';
      return [ok('broker', 'reachable'), failed('key in use', what, advice)];
    }
    if (isRunning && !hasOther) {
      const advice = 'look into its log: its partners cannot reach it';
      return [warning('broker', 'reachable, but the running node does not listen there', advice)];
    }
    return [ok('broker', hasOther ? 'reachable, the running node listens' : 'reachable')];
  } finally {
    await transport.close();
  }
}

/** The broker's problem, and what the operator should check. */
function whyNot(problem: string): [found: string, advice: string] {
  if (/authorization|authentication/i.test(problem))
    return [problem, 'check --nats-user and --nats-password-file'];
  const isDistrusted = /self.signed|issuer cert|verify the first cert/i.test(problem);
  const advice = 'give the certificate of the authority that signed the broker’s by --nats-ca';
  return [problem, isDistrusted ? advice : 'check --nats'];
}

type ApiRequest = {
  host: string;
  port: number;
  /** A bearer token with at least the scope `read`, or null. */
  token: string | null;
  address: Address | null;
};

/** Checks that the port is free, or served by this very node. */
export async function checkApi({ host, port, token, address }: ApiRequest): Promise<Finding[]> {
  const socket = socketOf(host);
  if (socket !== null) return [socketFinding(socket, await lookAt(socket))];
  const place = `${host}:${port}`;
  if (token === null && !isLoopback(host)) {
    const advice = 'give --api-token-file, or listen on 127.0.0.1';
    return [failed('API', `${place} can be reached by others without a token`, advice)];
  }
  const problem = await listenProblem(host, port);
  if (problem === null) return [ok('API', `${place} is free`)];
  if (problem !== 'EADDRINUSE')
    return [failed('API', `${place} cannot be listened on (${problem})`, 'choose --api-address')];
  const base = `http://${place}/api/v1`;
  const served = await servedAddress(base, token);
  if (served !== null && served === address)
    return [ok('API', `${place} is served by this node`), ...(await troublesOf(base, token))];
  const what =
    served === null ? 'is taken by another program' : `is served by another node, ${served}`;
  return [failed('API', `${place} ${what}`, 'choose another --api-address')];
}

function socketFinding(path: string, found: AtPath): Finding {
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true)
    return failed('API', `there is no folder ${dirname(path)}`, 'make it, or choose --api-address');
  switch (found) {
    case 'other':
      return failed('API', `${path} is no socket`, 'choose another --api-address');
    case 'used':
      return ok('API', `somebody answers at ${path}`);
    case 'left':
    case 'nothing':
      return ok('API', `${path} is free`);
  }
}

async function listenProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port, exclusive: true });
    await listening;
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  } finally {
    server.close();
  }
}

/** What the API answers, as JSON. Rejects when it does not. */
async function read(url: string, token: string | null): Promise<unknown> {
  const response = await fetch(url, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return response.json();
}

/** What the running node itself finds wrong. */
async function troublesOf(base: string, token: string | null): Promise<Finding[]> {
  const rows = v.safeParse(health, await read(`${base}/health`, token).catch(() => null));
  if (!rows.success)
    return [
      warning('node', 'does not say how it is', 'look into its log, and at --api-token-file'),
    ];
  const bad = rows.output.filter(({ state }) => state === 'bad');
  if (bad.length === 0) return [ok('node', 'finds nothing wrong')];
  return bad.map(({ check, urgency, summary, body }) => {
    const say = urgency === 'high' ? failed : warning;
    return say(`node: ${check}`, summary ?? check, body ?? 'look into its log');
  });
}

async function servedAddress(base: string, token: string | null): Promise<string | null> {
  try {
    const body = await read(`${base}/address`, token);
    const isObject = typeof body === 'object' && body !== null && 'our_address' in body;
    return isObject && typeof body.our_address === 'string' ? body.our_address : null;
  } catch {
    return null;
  }
}
