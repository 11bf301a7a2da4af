/** The calls by which the driver of a live run uses real nodes: their own API, as an owner would use it. */
import * as v from 'valibot';
import type { Address } from '../../basics/hex.ts';
import { channels, history } from '../../http/shapes/answers.ts';
import type { LiveNode } from './network.ts';

export type Calls = ReturnType<typeof createCalls>;
export type LiveChannel = v.InferOutput<typeof channels>[number];

/** Null: done; else the reason why not: the node's error, or that it does not answer. */
type Answer = Promise<string | null>;

const refused = v.object({ errors: v.unknown() });
const AWAY = 'node_down';

export function createCalls(token: Address) {
  async function send({ api }: LiveNode, method: string, path: string, body?: object): Answer {
    try {
      const response = await fetch(`${api}/api/v1/${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return response.ok ? null : reasonIn(response.status, text);
    } catch {
      return AWAY;
    }
  }

  async function read<Schema extends v.GenericSchema>(
    { api }: LiveNode,
    path: string,
    schema: Schema,
  ): Promise<v.InferOutput<Schema> | null> {
    try {
      const response = await fetch(`${api}/api/v1/${path}`);
      return response.ok ? v.parse(schema, await response.json()) : null;
    } catch {
      return null;
    }
  }

  const channelPath = (partner: LiveNode) => `channels/${token}/${partner.address}`;
  return {
    open(node: LiveNode, partner: LiveNode, deposit: bigint, settleTimeout: bigint | null): Answer {
      return send(node, 'PUT', 'channels', {
        partner_address: partner.address,
        token_address: token,
        total_deposit: String(deposit),
        ...(settleTimeout === null ? {} : { settle_timeout: String(settleTimeout) }),
      });
    },
    deposit: (node: LiveNode, partner: LiveNode, total: bigint): Answer =>
      send(node, 'PATCH', channelPath(partner), { total_deposit: String(total) }),
    withdraw: (node: LiveNode, partner: LiveNode, total: bigint): Answer =>
      send(node, 'PATCH', channelPath(partner), { total_withdraw: String(total) }),
    close: (node: LiveNode, partner: LiveNode): Answer =>
      send(node, 'PATCH', channelPath(partner), { state: 'closed' }),
    leave: (node: LiveNode): Answer => send(node, 'DELETE', `connections/${token}`),
    pay(node: LiveNode, target: LiveNode, amount: bigint, lockTimeout: bigint | null): Answer {
      return send(node, 'POST', `payments/${token}/${target.address}`, {
        amount: String(amount),
        ...(lockTimeout === null ? {} : { lock_timeout: String(lockTimeout) }),
      });
    },
    /** Null: the node does not answer. */
    channels: (node: LiveNode): Promise<LiveChannel[] | null> =>
      read(node, `channels/${token}`, channels),
    payments: (node: LiveNode) => read(node, `payments/${token}`, history),
  };
}

function reasonIn(status: number, text: string): string {
  try {
    const read = v.safeParse(refused, JSON.parse(text));
    const errors = read.success ? read.output.errors : text;
    return typeof errors === 'string' ? errors : JSON.stringify(errors);
  } catch {
    return `status ${status}`;
  }
}
