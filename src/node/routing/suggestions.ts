/** Whom the path-finding service suggests as partners. It gives an order and nothing else: it is not trusted. */
import * as v from 'valibot';
import { type Address, parseAddress } from '../../protocol/hex.ts';
import { apiOf, callService } from './service-call.ts';

const TIMEOUT_MS = 3_000;

const suggestions = v.pipe(
  v.array(v.looseObject({ address: v.string(), score: v.union([v.number(), v.bigint()]) })),
  v.transform((entries) =>
    entries.map(({ address }) => parseAddress(address)).filter((address) => address !== null),
  ),
);

/**
 * The suggested addresses, best first; none when the service does not answer as it should in time. Some
 * services want the address of the token network where the document has that of the token.
 */
export async function suggestedPartners(
  service: string,
  token: Address,
  tokenNetwork: Address,
  timeoutMs = TIMEOUT_MS,
): Promise<Address[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const address of [token, tokenNetwork]) {
    const found = await ask(`${apiOf(service)}/${address}/suggest_partner`, signal);
    if (found.length > 0) return found;
  }
  return [];
}

async function ask(url: string, signal: AbortSignal): Promise<Address[]> {
  const answer = await callService({ url, signal });
  if (answer?.status !== 200) return [];
  const parsed = v.safeParse(suggestions, answer.body);
  return parsed.success ? parsed.output : [];
}
