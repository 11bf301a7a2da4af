/** A call that is made more than once, with other headers. */

/** What has no body can be sent any number of times. */
export const reusable = (request: Request): Request =>
  request.body === null ? request : request.clone();

/** `headers`: with a proof or a ticket. Whoever gets it can use it: it does not follow a redirection. */
export const fetchWith = (
  fetch: typeof globalThis.fetch,
  request: Request,
  headers: Headers,
): Promise<Response> => fetch(reusable(request), { headers, redirect: 'manual' });
