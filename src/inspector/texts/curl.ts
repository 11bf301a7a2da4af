/** Requests as `curl` lines for a shell, so that a reader of the page can make the same call without it. */

/** `body`: sent as JSON; null: none. */
export function curlOf(method: string, url: string, body: object | null = null): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const sent =
    body === null ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return `curl${verb} ${url}${sent}`;
}
