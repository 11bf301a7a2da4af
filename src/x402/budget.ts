/**
 * What may be spent: in one call, at one host in a day, in a day at all. Days are those of UTC. It is kept in memory: a
 * program that starts anew begins anew, so give the token of the node a daily limit, too (docs/options.md).
 */
export type Caps = {
  /** In the token's smallest unit, as all of these; fees of mediators come on top. */
  most: bigint;
  mostPerHost: bigint;
  mostPerDay: bigint;
};
type Reserved = { ok: true; giveBack(): void } | { ok: false; reason: string };
export type Budget = {
  /** `most`: what one payment may be, when it is for more than a call. */
  reserve(host: string, amount: bigint, most?: bigint): Reserved;
};

const MAPPED = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;

/** Whom a URL names, so that one server has one budget: its name in one form, without a port. */
export function hostOf(url: string): string {
  // The parser has written letters, addresses and foreign signs in one form, and left the dot at the end.
  const name = new URL(url).hostname.toLowerCase().replace(/\.+$/, '');
  const [, high, low] = MAPPED.exec(name) ?? [];
  if (high === undefined || low === undefined) return name;
  return [high, low]
    .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
    .join('.');
}

const DAY_MS = 86_400_000;
const MOST_HOSTS = 10_000;

export function createBudget({ most, mostPerHost, mostPerDay }: Caps, now: () => number): Budget {
  let day = 0;
  let spent = 0n;
  const atHost = new Map<string, bigint>();
  const beginDay = () => {
    const today = Math.floor(now() / DAY_MS);
    // A clock that is set back does not give a day a second time.
    if (today <= day) return;
    day = today;
    spent = 0n;
    atHost.clear();
  };
  const add = (host: string, amount: bigint) => {
    spent += amount;
    atHost.set(host, (atHost.get(host) ?? 0n) + amount);
  };
  return {
    reserve(host, amount, largest = most) {
      beginDay();
      const refused = (reason: string): Reserved => ({ ok: false, reason });
      if (amount > largest) return refused(`it costs ${amount}, and a call may cost ${largest}`);
      const here = atHost.get(host) ?? 0n;
      if (here + amount > mostPerHost)
        return refused(`it costs ${amount}, and of ${mostPerHost} a day ${host} has had ${here}`);
      if (spent + amount > mostPerDay)
        return refused(`it costs ${amount}, and of ${mostPerDay} a day ${spent} are spent`);
      if (!atHost.has(host) && atHost.size >= MOST_HOSTS)
        return refused(`${MOST_HOSTS} hosts were paid today`);
      add(host, amount);
      const that = day;
      let isBack = false;
      return {
        ok: true,
        giveBack() {
          if (!isBack && that === day) add(host, -amount);
          isBack = true;
        },
      };
    },
  };
}
