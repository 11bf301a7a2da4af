import { hashMessage, hashTypedData, serializeTransaction } from 'viem';
import { type LocalAccount, toAccount } from 'viem/accounts';
import { keccak256 } from '../protocol/hash.ts';
import { type Address, fromHex, type Hex, type Signature, toHex } from '../protocol/hex.ts';
import { addressOf, isPrivateKey, sign as signDigest } from './ecdsa.ts';

/** The only holder of the key. It has no field that contains it, so no log and no dump can show it. */
export type Signer = {
  address: Address;
  /** Over 32 bytes, v 27 or 28. The same digest gives the same signature, always. */
  sign(digest: Uint8Array): Signature;
  /** The serialized and signed transaction, ready to be sent. Source: viem's local account. */
  signTransaction: LocalAccount['signTransaction'];
  /** The same key in viem's form, for its wallet client. */
  account: LocalAccount;
  /** Overwrites the key; whoever asks for a signature afterwards gets an exception. */
  wipe(): void;
};

/** Keeps a copy of the 32 bytes; the caller may overwrite its own. Throws when they are no private key. */
export function createSigner(privateKey: Uint8Array): Signer {
  if (!isPrivateKey(privateKey)) throw new Error('these bytes are not a private key');
  const key = Uint8Array.from(privateKey);
  const address = addressOf(key);
  let wiped = false;

  const sign = (digest: Uint8Array): Signature => {
    if (wiped) throw new Error(`the key of ${address} was wiped`);
    return toHex(signDigest(digest, key));
  };
  const account = accountOf(address, sign);
  return {
    address,
    sign,
    signTransaction: account.signTransaction,
    account,
    wipe() {
      wiped = true;
      key.fill(0);
    },
  };
}

function accountOf(address: Address, sign: (digest: Uint8Array) => Signature): LocalAccount {
  return toAccount({
    address,
    sign: async ({ hash }) => sign(fromHex(hash)),
    signMessage: async ({ message }) => sign(fromHex(hashMessage(message))),
    signTypedData: async (typedData) => sign(fromHex(hashTypedData(typedData))),
    async signTransaction(transaction, options) {
      const serialize = options?.serializer ?? serializeTransaction;
      const digest = keccak256(fromHex(await serialize(transaction)));
      return serialize(transaction, splitSignature(sign(digest)));
    },
  });
}

/** In the form of viem's serializer; a legacy transaction is made from v, all later ones from the parity. */
function splitSignature(signature: Signature) {
  const yParity = signature.endsWith('1c') ? 1 : 0;
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const s: Hex = `0x${signature.slice(66, 130)}`;
  return { r, s, yParity, v: BigInt(27 + yParity) };
}
