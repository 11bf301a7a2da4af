/**
 * Calls on tabs for a server that sells with the packages of x402. They settle such a call twice: before it, when its counter
 * goes to the disk, and after it, when it is known what it came to. A call of which that is never said costs nothing.
 */
import type { SchemeServerHooks, SettleResponse, VerifyContext } from '@x402/core/types';
import { parseAddress } from '../basics/hex.ts';
import type { NodeFacilitator } from './facilitator.ts';
import { amountIn } from './offer.ts';
import { type Resource, resourcePlace } from './place.ts';
import { CALL_PRICE, TAB_FLOW } from './price.ts';
import { TOO_MANY_UNSERVED } from './reasons.ts';
import { type CallOnTab, tabReceipt } from './tab-receipt.ts';
import { isTabOffer } from './tab-terms.ts';
import { type SignedTicket, ticketIn } from './ticket.ts';
import type { Serving, UnservedBounds } from './unserved.ts';

/** `price`: in the token's smallest unit. */
type Charge = { token: `0x${string}`; price: bigint };
type Refused = { ok: false; reason: string };
type Begun = { ok: true; drawing: CallOnTab } | Refused;
type Settle = Parameters<NodeFacilitator['settle']>;
/** The tabs of a seller: `openTabs` of `sluice/tabs` makes them. */
export type ServerTabs = {
  /** Whether one more may be opened: else what is paid for one would lie with the seller, and buy nothing. */
  hasRoom(): boolean;
  /** Begins a call, or closes the tab when its buyer wants that: when this resolves, no ticket is good twice. */
  begin(
    ticket: SignedTicket,
    place: Resource,
    charge: Charge,
  ): Promise<Begun | { ok: true; rest: bigint }>;
  /** Has a payment redeemed that opens a tab, and begins its first call. Throws when the node does not answer. */
  open(proof: Settle[0], demand: Settle[1], charge: Charge): Promise<Begun>;
};
type Options = {
  tabs: ServerTabs | null;
  publicUrl: string | null;
  unserved: UnservedBounds | null;
  /** Why the proof is none of this server's offer; null: it is one. */
  refusalOf(context: VerifyContext): string | null;
};
type Asked = VerifyContext;
type Settling = Parameters<NonNullable<SchemeServerHooks['onBeforeSettle']>>[0];

/** A call that has not ended by then is given up, and costs nothing: its buyer wants the rest of the tab some day. */
const LONGEST_CALL_MS = 3_600_000;
const UNAVAILABLE = 'tabs_unavailable';

const abort = (reason: string) => ({ abort: true as const, reason });
const skip = (result: SettleResponse) => ({ skip: true as const, result });

/** What is under way is known by its payload: it is the same object in all that the packages say of one call. */
export function createTabServer({ tabs, publicUrl, unserved, refusalOf }: Options) {
  const ends = new WeakMap<object, (isCharged: boolean) => SettleResponse>();
  const rests = new WeakMap<object, bigint>();

  async function begun(context: Asked): Promise<Begun | { ok: true; rest: bigint }> {
    const { paymentPayload: proof, requirements: demand, transportContext } = context;
    const place = resourcePlace(transportContext, publicUrl);
    const charge = chargeOf(demand);
    const ticket = ticketIn(proof.payload);
    if (tabs === null || place === null) return { ok: false, reason: 'unknown_tab' };
    if (charge === null) return { ok: false, reason: 'malformed_ticket' };
    const foreign = ticket === null ? refusalOf(context) : null;
    if (foreign !== null) return { ok: false, reason: foreign };
    try {
      return ticket === null
        ? await tabs.open(proof, demand, charge)
        : await tabs.begin(ticket, place, charge);
    } catch {
      // The packages would take a hook that throws for one that agrees.
      return { ok: false, reason: UNAVAILABLE };
    }
  }

  function served({ paymentPayload, requirements }: Asked, call: CallOnTab) {
    const serving: Serving | null | undefined = unserved?.begin(call.payer);
    if (serving === null) {
      call.charge(0n);
      return abort(TOO_MANY_UNSERVED);
    }
    const { network } = requirements;
    let receipt: SettleResponse | null = null;
    const end = (isCharged: boolean) => {
      clearTimeout(timer);
      if (receipt === null) serving?.end(isCharged ? 'charged' : 'uncharged');
      receipt ??= tabReceipt(call, network, call.charge(isCharged ? call.price : 0n));
      return receipt;
    };
    const timer = setTimeout(end, LONGEST_CALL_MS, false);
    timer.unref();
    ends.set(paymentPayload, end);
    const { tab: transaction, payer } = call;
    return skip({ success: true, transaction, network, payer });
  }

  return {
    /** Whether the call shows a ticket, or a proof that opens a tab here. */
    concerns: ({ paymentPayload, requirements }: Asked): boolean =>
      ticketIn(paymentPayload.payload) !== null ||
      (tabs !== null && isTabOffer(requirements.extra)),
    /** Closes a tab when its ticket wants that, and no call is made then. */
    async onBeforeVerify(context: Asked) {
      const ticket = ticketIn(context.paymentPayload.payload);
      const foreign = ticket === null ? refusalOf(context) : null;
      if (foreign !== null) return abort(foreign);
      if (ticket?.isLast !== true) return undefined;
      const closed = await begun(context);
      if (!closed.ok) return abort(closed.reason);
      if (!('rest' in closed)) throw new Error('a ticket that closes began a call');
      rests.set(context.paymentPayload, closed.rest);
      return { skip: true as const, result: { isValid: true } };
    },
    async onAfterVerify({ paymentPayload }: Asked) {
      const rest = rests.get(paymentPayload);
      if (rest === undefined) return undefined;
      const response = { contentType: 'application/json', body: { rest: `${rest}` } };
      return { skipHandler: true as const, response };
    },
    async onBeforeSettle(context: Settling) {
      const { paymentPayload, requirements, phase } = context;
      const end = ends.get(paymentPayload);
      if (end !== undefined) return skip(end(phase === 'after-handler'));
      if (rests.has(paymentPayload))
        return skip({ success: true, transaction: '', network: requirements.network });
      if (phase !== 'before-handler') return abort('tab_closed');
      const call = await begun(context);
      if (!call.ok) return abort(call.reason);
      return 'drawing' in call ? served(context, call.drawing) : abort('tab_closed');
    },
  };
}

/** Null: it is no offer of a tab. A ticket that names another one would be settled once, and never charged. */
function chargeOf({ asset, extra }: Asked['requirements']): Charge | null {
  const token = parseAddress(asset);
  const price = amountIn(extra[CALL_PRICE]);
  if (extra['paymentFlow'] !== TAB_FLOW) return null;
  return token === null || price === null ? null : { token, price };
}
