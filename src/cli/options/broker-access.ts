/** What the options for joining the broker of --nats name. */
import type { NatsAccess } from '../../partner/nats-access.ts';
import { parseNatsUrl } from '../../partner/nats-url.ts';
import { contentOf, privateContentOf } from '../process/files.ts';
import { type Found, found, wrong } from '../process/found.ts';
import type { BrokerFiles } from './broker-options.ts';

/**
 * `access` reads the files again for each connection, so that renewed files are used without a restart; it throws when
 * something is wrong with them. They are also read here, so that mistakes are reported at the start.
 */
export function brokerAccess(
  nats: string | null,
  files: BrokerFiles,
): Found<{ access: () => NatsAccess }> {
  const problem = contradiction(nats, files);
  if (problem !== null) return wrong(problem);
  const first = read(files);
  if (!first.ok) return first;
  const access = () => {
    const found = read(files);
    if (!found.ok) throw new Error(found.message);
    return found.value;
  };
  return { ok: true, value: { access } };
}

type Streaming = { stream: string | null; nats: string | null; isStandby: boolean };

/** Which option is missing for a program whose commits go to a stream, or that follows one; null: none. */
export function missingForStream({ stream, nats, isStandby }: Streaming): string | null {
  if (stream !== null && nats === null)
    return '--replicate needs --nats: the stream is at the broker';
  return stream === null && isStandby
    ? '--standby needs --replicate: the stream that it follows'
    : null;
}

function contradiction(nats: string | null, files: BrokerFiles): string | null {
  const { creds, user, passwordFile, certificate, key } = files;
  const isAny = Object.values(files).some((one) => one !== null);
  if (isAny && nats === null) return 'options that begin with --nats- need --nats';
  if ((user === null) !== (passwordFile === null))
    return '--nats-user and --nats-password-file belong together';
  if ((certificate === null) !== (key === null))
    return '--nats-cert and --nats-key belong together';
  const server = parseNatsUrl(nats ?? '');
  const inUrl = server?.user !== undefined || server?.token !== undefined;
  const logins = [creds !== null, user !== null, inUrl].filter((isGiven) => isGiven);
  if (logins.length > 1)
    return 'choose one of --nats-creds, --nats-user and a login in the address of --nats';
  return null;
}

function read(files: BrokerFiles): Found<NatsAccess> {
  const { user } = files;
  const creds = fileWith(files.creds, '--nats-creds', /BEGIN NATS USER JWT/, true);
  if (!creds.ok) return creds;
  const pass = fileWith(files.passwordFile, '--nats-password-file', /\S/, true);
  if (!pass.ok) return pass;
  const authority = fileWith(files.authority, '--nats-ca', CERTIFICATE_TEXT, false);
  if (!authority.ok) return authority;
  const cert = fileWith(files.certificate, '--nats-cert', CERTIFICATE_TEXT, false);
  if (!cert.ok) return cert;
  const key = fileWith(files.key, '--nats-key', /BEGIN [A-Z ]*PRIVATE KEY/, true);
  if (!key.ok) return key;
  return found({
    ...(creds.value === null ? {} : { credentials: creds.value }),
    ...(user === null || pass.value === null
      ? {}
      : { login: { user, pass: pass.value.replace(/\r?\n$/, '') } }),
    ...(authority.value === null ? {} : { authority: authority.value }),
    ...(cert.value === null || key.value === null
      ? {}
      : { certificate: { cert: cert.value, key: key.value } }),
  });
}

const CERTIFICATE_TEXT = /BEGIN CERTIFICATE/;

/** The file's content; null when the option names no file. */
function fileWith(
  file: string | null,
  option: string,
  pattern: RegExp,
  isPrivate: boolean,
): Found<string | null> {
  if (file === null) return found(null);
  const content = (isPrivate ? privateContentOf : contentOf)(file, option);
  if (!content.ok || pattern.test(content.value)) return content;
  return wrong(`${file} is no file for ${option}: ${EXPECTED[option] ?? 'empty'}`);
}

const EXPECTED: Partial<Record<string, string>> = {
  '--nats-creds': 'it holds no NATS user JWT; "nsc generate creds" writes such a file',
  '--nats-ca': 'it holds no certificate in PEM',
  '--nats-cert': 'it holds no certificate in PEM',
  '--nats-key': 'it holds no private key in PEM',
};
