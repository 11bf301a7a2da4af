/** Calls as lines for a shell, so that whoever sees one can make it without the page. */

/** `body`: sent as JSON; null: none. */
export function curlOf(method: string, url: string, body: object | null = null): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const sent =
    body === null ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return `curl${verb} ${url}${sent}`;
}
