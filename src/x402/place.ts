/** Which resource a call is for, as the client names it. */

export type Resource = { method: string; url: string };

const PARTS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i;

/**
 * In what a resource server tells of the call. The text of the URL is taken as it came, since two texts may be two
 * resources to the server. Null: it is no call over HTTP. `publicUrl`: without a slash at its end.
 */
export function resourcePlace(transport: unknown, publicUrl: string | null): Resource | null {
  const { request }: { request?: unknown } = Object(transport);
  const { method, adapter }: { method?: unknown; adapter?: unknown } = Object(request);
  const asked: { getUrl?: unknown } = Object(adapter);
  if (typeof method !== 'string' || typeof asked.getUrl !== 'function') return null;
  const given: unknown = asked.getUrl();
  if (typeof given !== 'string') return null;
  const [whole, path] = PARTS.exec(given) ?? [];
  if (whole === undefined) return null;
  return { method: method.toUpperCase(), url: publicUrl === null ? whole : `${publicUrl}${path}` };
}
