/** What the page knows of its node: read every two seconds and after each event, and not while the page is hidden. */
import { type Signal, signal } from '@preact/signals';
import { type Client, type ClientOptions, createClient } from '../../client/api.ts';
import { watchEvents } from '../../client/watch.ts';
import type { Event } from '../../http/shapes/answers.ts';
import type { WalletFacts, WalletGrant } from '../../http/wallet.ts';
import { SourceError } from '../../inspector/source.ts';
import { connectionAfter, type NodeConnection } from '../../page-parts/connection.ts';
import { keep, kept } from '../../page-parts/kept.ts';
import { setLabels } from '../../page-parts/labels.ts';
import { storedToken } from '../../page-parts/token.tsx';
import { reasonOf } from '../texts/reasons.ts';
import { createMessages, type Messages } from './messages.ts';
import { createOrderBook, type Orders } from './orders.ts';
import { performOrder } from './perform.ts';

type Answer<T extends (...given: never[]) => Promise<{ status: number }>> = Extract<
  Awaited<ReturnType<T>>,
  { status: 200 }
>;
export type WalletChannel = Awaited<ReturnType<Answer<Client['channels']['$get']>['json']>>[number];
export type OpeningChannel = Awaited<
  ReturnType<Answer<Client['pending_channels']['$get']>['json']>
>[number];
export type WalletNode = WalletFacts & WalletGrant;
export type Wallet = {
  url: string;
  /** Null until the node has answered; the last answer while it is away. */
  facts: Signal<WalletNode | null>;
  channels: Signal<readonly WalletChannel[] | null>;
  /** Those that the node is opening. */
  pending: Signal<readonly OpeningChannel[]>;
  connection: Signal<NodeConnection>;
  /** Why the channels cannot be read, in the node's words; null: they can. */
  problem: Signal<string | null>;
  /** Whether the channels may be out of date: the node answers calls in order, and another one takes long. */
  isBehind: Signal<boolean>;
  messages: Messages;
  orders: Orders;
  options(): ClientOptions;
  setToken(token: string): void;
  /** Reads everything now. */
  ask(): void;
  end(): void;
};

/** What every view is given. `facts`: the node has answered. */
export type WalletViewProps = { wallet: Wallet; facts: WalletNode };

const PERIOD_MS = 2_000;
const LATE_MS = 3_000;

export function createWallet(url: string): Wallet {
  const facts = signal<WalletNode | null>(null);
  const channels = signal<readonly WalletChannel[] | null>(null);
  const pending = signal<readonly OpeningChannel[]>([]);
  const connection = signal<NodeConnection>('connecting');
  const problem = signal<string | null>(null);
  const isBehind = signal(false);
  const messages = createMessages();
  let token = storedToken();
  let signIn = kept('session', 'wallet-sign-in') ?? '';
  let silentSince: number | null = null;

  const options = (): ClientOptions => (token === '' ? {} : { token });
  const orders = createOrderBook({
    perform: (order, key) => performOrder(url, options(), order, key),
    signIn: () => signIn,
    onEnd: () => ask(),
    now: () => Date.now(),
    kept: () => kept('session', 'wallet-orders'),
    keep: (text) => keep('session', 'wallet-orders', text),
  });

  async function readFacts(): Promise<void> {
    try {
      const found = await factsAt(url, token);
      facts.value = found;
      setLabels(found);
      silentSince = null;
      connection.value = 'live';
    } catch (error) {
      const now = performance.now();
      silentSince ??= now;
      connection.value = connectionAfter(error, now - silentSince);
    }
  }

  async function readChannels(): Promise<void> {
    const late = setTimeout(() => {
      isBehind.value = true;
    }, LATE_MS);
    try {
      const answer = await createClient(url, options()).channels.$get();
      if (answer.status === 200) {
        channels.value = await answer.json();
        problem.value = null;
        isBehind.value = false;
      } else refused(await answer.json());
    } catch {
      // The connection says so already.
    }
    clearTimeout(late);
  }

  async function readPending(): Promise<void> {
    try {
      const answer = await createClient(url, options()).pending_channels.$get();
      if (answer.status === 200) pending.value = await answer.json();
    } catch {
      // The connection says so already.
    }
  }

  function refused(answer: Parameters<typeof reasonOf>[0] & { code: string }): void {
    const isBusy = answer.code === 'too_many_calls';
    isBehind.value = isBusy;
    problem.value = isBusy ? null : reasonOf(answer);
  }

  // A call that waits for its turn, behind a deposit that waits for blocks, is not made once more meanwhile.
  const askFacts = oneAtATime(readFacts);
  const askChannels = oneAtATime(readChannels);
  // Answered at once, while the call that opens a channel keeps the list of channels waiting.
  const askPending = oneAtATime(readPending);
  function ask(): void {
    if (document.visibilityState === 'hidden') return;
    askFacts();
    if (connection.value === 'token') return;
    askChannels();
    askPending();
  }

  const stream = followEvents(url, options, (event) => {
    messages.take(event);
    ask();
  });
  const timer = setInterval(ask, PERIOD_MS);
  document.addEventListener('visibilitychange', ask);
  ask();
  return {
    ...{ url, facts, channels, pending, connection, problem, isBehind },
    ...{ messages, orders, options, ask },
    setToken(given) {
      token = given;
      // Keys belong to a token, which is itself in no storage but its own.
      signIn = crypto.randomUUID();
      keep('session', 'wallet-sign-in', signIn);
      connection.value = 'connecting';
      stream.renew();
      ask();
    },
    end() {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
      stream.end();
    },
  };
}

async function factsAt(url: string, token: string): Promise<WalletNode> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}wallet/facts`, { headers });
  if (!answer.ok) throw new SourceError(answer.status, await answer.text());
  return answer.json();
}

/** A function that begins nothing while what it began is not over. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isBusy = false;
  return () => {
    if (isBusy) return;
    isBusy = true;
    void work().finally(() => {
      isBusy = false;
    });
  };
}

/**
 * The events of the node while the page is seen: a browser has six connections for all tabs of one node. What happens
 * while it is hidden comes when it is seen again.
 */
function followEvents(url: string, options: () => ClientOptions, take: (event: Event) => void) {
  let running: AbortController | null = null;
  let after: string | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    const from = after === undefined ? {} : { after };
    for await (const event of watchEvents(url, { ...options(), ...from, signal })) {
      after = event.type === 'gap' ? event.to : event.seq;
      take(event);
    }
  }

  function end(): void {
    running?.abort();
    running = null;
  }
  function begin(): void {
    end();
    if (document.visibilityState === 'hidden') return;
    running = new AbortController();
    // It ends where the node wants another token; that is seen from the facts, and the next token begins it anew.
    void run(running.signal).catch(() => {});
  }
  document.addEventListener('visibilitychange', begin);
  begin();
  return {
    renew: begin,
    end() {
      document.removeEventListener('visibilitychange', begin);
      end();
    },
  };
}
