/** Whom a person means: an address, or one of the names that the operator gave. */
import { type Address, isChecksummed, parseAddress } from '../../basics/hex.ts';

type Named = { address: Address; name: string };
export type Meant = { ok: true; address: Address } | { ok: false; message: string };

export function addressMeant(text: string, names: readonly Named[]): Meant {
  const written = text.trim();
  if (written === '') return no('Write an address or a name.');
  if (isChecksummed(written)) return { ok: true, address: written };
  if (parseAddress(written) !== null)
    return no('Its capital letters are a checksum, and do not fit: copy the address anew.');
  if (/^0x/i.test(written)) return no('This is no address: it has 0x and 40 more digits.');
  const alike = names.filter(({ name }) => name.toLowerCase() === written.toLowerCase());
  const [first, ...others] = alike;
  if (first === undefined) return no('No address has this name.');
  return others.some(({ address }) => address !== first.address)
    ? no('Several addresses have this name: write the address.')
    : { ok: true, address: first.address };
}

/** What a person did not write of whom they mean: the address of a name, or the name of an address, if it has one. */
export function otherName(text: string, address: Address, names: readonly Named[]): string {
  if (text.trim() !== address) return address;
  return (
    names.find((named) => named.address === address)?.name ?? 'No name of this node is for it.'
  );
}

const no = (message: string): Meant => ({ ok: false, message });
