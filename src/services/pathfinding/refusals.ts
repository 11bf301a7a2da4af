/** The errors of the service's API, by the numbers of the protocol, section 7.1. */

/** All refusals, each with its code, HTTP status and text. */
export const REFUSALS = {
  invalid_request: { code: 2000, status: 400, text: 'The request is not what the endpoint takes.' },
  invalid_signature: { code: 2001, status: 400, text: 'The signature is not that of the sender.' },
  outdated: { code: 2002, status: 400, text: 'The request is more than an hour off.' },
  invalid_network: { code: 2003, status: 400, text: 'The URL holds no address of a network.' },
  unknown_network: { code: 2004, status: 400, text: 'There is no such token network here.' },
  wrong_chain: { code: 2005, status: 400, text: 'The IOU is for another chain.' },
  invalid_address: { code: 2006, status: 400, text: 'An address is not one.' },
  bad_iou: { code: 2100, status: 400, text: 'The IOU cannot be used.' },
  missing_iou: { code: 2101, status: 400, text: 'This service wants to be paid: send an IOU.' },
  wrong_recipient: { code: 2102, status: 400, text: 'The IOU is for somebody else.' },
  expires_too_early: { code: 2103, status: 400, text: 'The IOU expires too early.' },
  insufficient_payment: { code: 2104, status: 400, text: 'The IOU is too low.' },
  already_claimed: {
    code: 2105,
    status: 400,
    text: 'An IOU of this session was redeemed already.',
  },
  use_this_iou: { code: 2106, status: 400, text: 'Raise the IOU of the session that is open.' },
  deposit_too_low: { code: 2107, status: 400, text: 'The user deposit of the sender is too low.' },
  wrong_one_to_n: { code: 2108, status: 400, text: 'The IOU is for another OneToN contract.' },
  no_route: { code: 2201, status: 404, text: 'There is no way to the target for this amount.' },
  chain_unavailable: { code: 2202, status: 500, text: 'The chain cannot be asked just now.' },
  too_many_strangers: {
    code: 2204,
    status: 503,
    text: 'Too many senders who have not paid yet ask at once: try again in a few seconds.',
  },
  not_registered: {
    code: 2205,
    status: 503,
    text: 'The registration of this service has ended: it could redeem no IOU, and takes none.',
  },
  not_online: { code: 2203, status: 404, text: 'The target does not answer.' },
} as const;

export type RefusalName = keyof typeof REFUSALS;
/** `details` are sent as JSON; a bigint as an integer. */
export type RefusedRequest = { ok: false; refusal: RefusalName; details?: Record<string, unknown> };

export function refusedRequest(
  refusal: RefusalName,
  details?: Record<string, unknown>,
): RefusedRequest {
  return details === undefined ? { ok: false, refusal } : { ok: false, refusal, details };
}
