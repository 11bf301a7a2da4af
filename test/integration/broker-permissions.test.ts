/** Nodes on a broker that lets each of them do only what it needs, and knows them by password, JWT or certificate. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeys } from 'nats';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, startNats } from '../support/nats.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';

const NAMES = ['alice', 'bob'] as const;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

let world: World;
let pair: Pair;
let folder: string;
const left: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 100n);
  await pair.open();
  folder = mkdtempSync(join(tmpdir(), 'sluice-permissions-'));
});
afterEach(async () => {
  for (const name of NAMES) await pair.nodes[name].stop();
  for (const stop of left.splice(0).toReversed()) await stop();
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const ownOf = (name: Name) => pair.address[name].toLowerCase();

function network(): string {
  const registry = world.contracts.tokenNetworkRegistryAddress.toLowerCase();
  return `sluice.${world.chain.chainId}.${registry}`;
}

/** As docs/messages.md gives them to a node. */
function permissionsOf(name: Name) {
  const own = ownOf(name);
  return {
    publish: [`${network()}.*`, `${network()}.*.presence`],
    subscribe: [
      ...[`${network()}.${own}`, `${network()}.${own}.presence`, `_INBOX.${own}.>`],
      ...[`${network()}.pathfinding`, `${network()}.hello`],
    ],
    allow_responses: true,
  };
}

async function brokerWith(configuration: string): Promise<NatsServer> {
  const server = await startNats({ args: ['--config', file('server.conf', configuration)] });
  left.push(server.stop);
  return server;
}

/** Both start again on this broker, and alice pays bob. */
async function payOn(nats: string, optionsOf: (name: Name) => Record<string, string>) {
  for (const name of NAMES) await pair.nodes[name].stop();
  await Promise.all(
    NAMES.map((name) => pair.restart(name, { options: { nats, ...optionsOf(name) } })),
  );
  await pair.meet();
  return (await pair.pay('alice', 1n)).status;
}

describe('a broker that lets each node do what it needs', () => {
  it('carries payments of nodes with a user and a password', async () => {
    const users = NAMES.map((name) => ({
      user: name,
      password: `secret of ${name}`,
      permissions: permissionsOf(name),
    }));
    const { url, port } = await brokerWith(JSON.stringify({ authorization: { users } }));
    const passwordOf = (name: Name) => file(`password-${name}`, `secret of ${name}\n`);
    const status = await payOn(url, (name) => ({
      'nats-user': name,
      'nats-password-file': passwordOf(name),
    }));
    expect(status).toBe(200);

    const spy = await connect({ port, user: 'bob', pass: 'secret of bob' });
    left.push(() => spy.close());
    for (const subject of [`${network()}.${ownOf('alice')}`, '_INBOX.>', 'sluice.>'])
      await expect(refusalOf(spy, subject)).resolves.toContain('Permissions Violation');
  });

  it('carries payments of nodes with credentials files', async () => {
    const operator = nkeys.createOperator();
    const account = nkeys.createAccount();
    const configuration = {
      operator: jwtOf(operator, operator, { type: 'operator' }),
      resolver: 'MEMORY',
      resolver_preload: {
        [account.getPublicKey()]: jwtOf(operator, account, { type: 'account', limits: UNLIMITED }),
      },
    };
    const { url } = await brokerWith(JSON.stringify(configuration));
    const status = await payOn(url, (name) => {
      const user = nkeys.createUser();
      const { publish, subscribe } = permissionsOf(name);
      const allowed = {
        pub: { allow: publish },
        sub: { allow: subscribe },
        resp: { max: 1, ttl: 0 },
      };
      const jwt = jwtOf(account, user, {
        type: 'user',
        ...allowed,
        subs: -1,
        data: -1,
        payload: -1,
      });
      return { 'nats-creds': file(`${name}.creds`, credentialsOf(jwt, user)) };
    });
    expect(status).toBe(200);
  });

  it.runIf(hasOpenssl)(
    'carries payments of nodes with certificates of a private authority',
    async () => {
      const authority = certificateOf('ca', '/CN=authority', null);
      const server = certificateOf('server', '/CN=localhost', authority);
      const users = NAMES.map((name) => ({ user: `CN=${name}`, permissions: permissionsOf(name) }));
      const tls = { cert_file: server.cert, key_file: server.key, ca_file: authority.cert };
      const { port } = await brokerWith(
        JSON.stringify({ tls: { ...tls, verify_and_map: true }, authorization: { users } }),
      );
      const status = await payOn(`tls://localhost:${port}`, (name) => {
        const { cert, key } = certificateOf(name, `/CN=${name}`, authority);
        return { 'nats-ca': authority.cert, 'nats-cert': cert, 'nats-key': key };
      });
      expect(status).toBe(200);
    },
  );
});

/** What the server says to a subscription that is not allowed. */
async function refusalOf(connection: NatsConnection, subject: string): Promise<string> {
  return new Promise((resolve) => {
    connection.subscribe(subject, {
      callback: (error) => resolve(error === null ? 'it is allowed' : error.message),
    });
    void connection.flush();
  });
}

const UNLIMITED = {
  subs: -1,
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  data: -1,
  payload: -1,
  wildcards: true,
};

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Of the subject, signed by the issuer, as a server with an operator expects it. */
function jwtOf(issuer: KeyPair, subject: KeyPair, claims: Record<string, unknown>) {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ typ: 'JWT', alg: 'ed25519-nkey' });
  const body = part({
    jti: 'one',
    iat: 1,
    name: 'test',
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    nats: { version: 2, ...claims },
  });
  const signed = `${head}.${body}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

function credentialsOf(jwt: string, user: KeyPair): string {
  const seed = Buffer.from(user.getSeed()).toString();
  return [
    '-----BEGIN NATS USER JWT-----',
    jwt,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
}

type Certificate = { cert: string; key: string };

/** Files of a certificate; `authority` null: it signs itself, and others. */
function certificateOf(name: string, subject: string, authority: Certificate | null): Certificate {
  const [cert, key] = [join(folder, `${name}-cert.pem`), join(folder, `${name}-key.pem`)];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', subject, '-addext', 'subjectAltName=DNS:localhost'];
  const signed = authority === null ? [] : ['-CA', authority.cert, '-CAkey', authority.key];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...kind, '-days', '2', ...names, ...signed, ...files], {
    stdio: 'ignore',
  });
  chmodSync(key, 0o600);
  return { cert, key };
}
