/**
 * Partners that the path-finding service suggests. Its answer is not trusted: it only changes the order of candidates.
 */
import * as v from 'valibot';
import { type Address, parseAddress } from '../../basics/hex.ts';
import { apiOf, callService } from './service-call.ts';

const TIMEOUT_MS = 3_000;

const suggestions = v.pipe(
  v.array(v.looseObject({ address: v.string(), score: v.union([v.number(), v.bigint()]) })),
  v.transform((entries) =>
    entries.map(({ address }) => parseAddress(address)).filter((address) => address !== null),
  ),
);

/**
 * The suggested addresses, best first; none when the service does not answer properly in time. Some services expect the
 * token network's address where the document has the token's.
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
