/** The tokens of --api-token-file: read at the start, and again when the operator asks for it. */

import type { Log } from '../../basics/environment.ts';
import { type ApiToken, createKeyring, parseTokens } from '../../http/checks/tokens.ts';
import { privateContentOf } from '../process/files.ts';
import { type Found, found, wrong } from '../process/found.ts';

export function tokensIn(file: string | null): Found<ApiToken[]> {
  if (file === null) return found([]);
  const content = privateContentOf(file, '--api-token-file');
  if (!content.ok) return content;
  const parsed = parseTokens(content.value);
  return parsed.ok ? parsed : wrong(`${file} is not a file of API tokens: ${parsed.message}`);
}

/** Decides who may call. When the file cannot be read again, the tokens before stay valid. */
export function createCallers(file: string | null, log: Log) {
  const keyring = createKeyring([]);

  return {
    identify: keyring.identify,
    /** From now on only these tokens are valid. */
    admit: (tokens: readonly ApiToken[]) => keyring.renew(tokens),
    renew() {
      if (file === null) return log.info({}, 'there is no --api-token-file to read again');
      const found = tokensIn(file);
      if (!found.ok) return log.error({}, `${found.message}: the tokens before stay`);
      keyring.renew(found.value);
      log.info({ tokens: found.value.length }, 'the API tokens were read again');
    },
  };
}
