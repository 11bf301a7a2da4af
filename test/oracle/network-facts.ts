/** What the nodes of a devnet or of a simulation say of themselves: the ground on which the page over all of them is judged. */
import * as v from 'valibot';

const whole = v.pipe(
  v.string(),
  v.regex(/^-?\d+$/),
  v.transform((text) => BigInt(text)),
);
const end = v.object({
  deposit: whole,
  withdrawn: whole,
  withdraws: v.array(v.object({ totalWithdraw: whole })),
  transferred: whole,
  locked: whole,
  locks: v.array(v.object({ secrethash: v.string(), amount: whole })),
  nonce: whole,
});
const context = v.object({
  token: v.string(),
  own: v.string(),
  partner: v.string(),
  settleTimeout: whole,
  ownEnd: end,
  partnerEnd: end,
  dispute: v.nullable(v.object({ closeBlock: whole })),
});
const row = v.object({
  actor: v.string(),
  state: v.string(),
  isEnded: v.boolean(),
  paymentId: v.nullable(whole),
  amount: v.nullable(whole),
  target: v.nullable(v.string()),
  deadlineBlock: v.nullable(whole),
  endTime: v.nullable(v.number()),
});
const list = v.object({ block: whole, hasMore: v.boolean(), actors: v.array(row) });
const site = v.object({
  hasTime: v.optional(v.literal(true)),
  canPlay: v.optional(v.literal(true)),
  nodes: v.array(v.object({ name: v.string(), address: v.string(), base: v.string() })),
  tokens: v.array(v.object({ address: v.string(), symbol: v.string(), decimals: v.number() })),
});
const opening = v.object({
  context: v.object({
    openings: v.array(v.object({ partner: v.string(), totalDeposit: whole })),
  }),
});
const time = v.object({
  state: v.string(),
  seed: v.number(),
  block: v.number(),
  blocks: v.number(),
  step: v.number(),
  payments: v.number(),
  down: v.array(v.string()),
});
const play = v.object({
  nodes: v.array(
    v.object({
      name: v.string(),
      api: v.string(),
      isRunning: v.boolean(),
      isConnected: v.nullable(v.boolean()),
    }),
  ),
});
const restChannel = v.object({
  token_address: v.string(),
  partner_address: v.string(),
  state: v.string(),
  balance: whole,
  total_deposit: whole,
  total_withdraw: whole,
});

export type End = v.InferOutput<typeof end>;
type Row = v.InferOutput<typeof row>;
/** `channels`: those that live, by the actor's id. */
export type NodeFacts = {
  address: string;
  /** Null: the node does not answer. */
  block: bigint | null;
  channels: Map<string, { row: Row; context: v.InferOutput<typeof context> }>;
  payments: Map<string, Row>;
  /** The deposits of the channels that the node is opening, by the partner's address. */
  openings: Map<string, bigint>;
};
export type NetworkFacts = {
  nodes: Map<string, NodeFacts>;
  tokens: Map<string, { symbol: string; decimals: number }>;
  time: v.InferOutput<typeof time> | null;
  play: v.InferOutput<typeof play> | null;
};

async function asked<Shape extends v.GenericSchema>(url: string | URL, shape: Shape) {
  const response = await fetch(url);
  if (!response.ok) return null;
  return v.parse(shape, await response.json());
}

/** `inspector`: URL of the page, with a slash at its end. */
export async function readNetwork(inspector: string): Promise<NetworkFacts> {
  const all = await asked(`${inspector}nodes`, site);
  if (all === null) throw new Error('the page over all nodes is gone');
  const nodes = await Promise.all(
    all.nodes.map(async ({ name, address, base }) => {
      const facts = await readNode(`${inspector}${base}`, address);
      return [name, facts] as const;
    }),
  );
  return {
    nodes: new Map(nodes),
    tokens: new Map(all.tokens.map((token) => [token.address.toLowerCase(), token])),
    time: all.hasTime ? await asked(`${inspector}time`, time) : null,
    play: all.canPlay ? await asked(new URL('/devnet/', inspector), play) : null,
  };
}

async function readNode(base: string, address: string): Promise<NodeFacts> {
  const [live, started, networks] = await Promise.all([
    asked(`${base}actors?machine=channel`, list),
    asked(`${base}actors?machine=initiator&ended=1`, list),
    asked(`${base}actors?machine=tokenNetwork`, list),
  ]);
  if (live === null || started === null || networks === null)
    return {
      address,
      block: null,
      channels: new Map(),
      payments: new Map(),
      openings: new Map(),
    };
  const channels = await Promise.all(
    live.actors.map(async ({ actor }) => {
      const shape = v.object({ row, context });
      const view = await asked(`${base}actors/${encodeURIComponent(actor)}`, shape);
      return view === null || view.row.isEnded ? [] : [[actor, view] as const];
    }),
  );
  const openings = await Promise.all(
    networks.actors.map(async ({ actor }) => {
      const view = await asked(`${base}actors/${encodeURIComponent(actor)}`, opening);
      return view?.context.openings ?? [];
    }),
  );
  return {
    address,
    openings: new Map(openings.flat().map(({ partner, totalDeposit }) => [partner, totalDeposit])),
    block: live.block,
    channels: new Map(channels.flat()),
    payments: new Map(started.actors.map((one) => [one.actor, one])),
  };
}

/** What the API says of the node's channels, by `token/partner` in small letters. `api`: the node's, without a path. */
export async function readRest(api: string) {
  const channels = await asked(`${api}/api/v1/channels`, v.array(restChannel));
  return new Map(
    (channels ?? []).map((one) => [
      `${one.token_address}/${one.partner_address}`.toLowerCase(),
      one,
    ]),
  );
}
