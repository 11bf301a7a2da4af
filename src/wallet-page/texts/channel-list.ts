/** Which channels of many are shown, and in which order. */

/** Amounts in the smallest unit of their token. */
export type ListedChannel = {
  token: string;
  partner: string;
  state: string;
  canPay: bigint;
  canReceive: bigint;
};
/** The empty text in a field lets everything through. `text`: a part of the partner's name or address. */
export type ChannelFilter = { text: string; token: string; state: string };
export const EVERY_CHANNEL: ChannelFilter = { text: '', token: '', state: '' };

/** From so many on they are listed in rows, and in pages. */
export const MANY = 12;
export const PAGE = 25;

/** Token by token; of each token those that can pay most first. `names`: of the partner. */
export function listed<Channel extends ListedChannel>(
  channels: readonly Channel[],
  { text, token, state }: ChannelFilter,
  names: (partner: string) => string,
): Channel[] {
  const wanted = text.trim().toLowerCase();
  const tokens = [...new Set(channels.map((one) => one.token))];
  const fits = (one: Channel) =>
    (token === '' || one.token === token) &&
    (state === '' || one.state === state) &&
    [one.partner, names(one.partner)].some((name) => name.toLowerCase().includes(wanted));
  return channels
    .filter(fits)
    .toSorted(
      (a, b) =>
        tokens.indexOf(a.token) - tokens.indexOf(b.token) ||
        compare(b.canPay, a.canPay) ||
        compare(b.canReceive, a.canReceive),
    );
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
