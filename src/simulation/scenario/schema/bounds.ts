/** Bounds of what others can make a node hold and spend: a scenario makes them small, so that few nodes meet them. */
import * as v from 'valibot';
import type { BoundName } from '../../../node/runtime/knowledge/bounds.ts';
import { object, whole } from './values.ts';

const bound = (what: string) =>
  v.exactOptional(v.pipe(whole(1, 1_000_000_000), v.description(what)));

export const boundsSchema = v.pipe(
  object({
    waitingRows: bound('Messages of a channel that wait for their acknowledgement'),
    waitingBytes: bound('Their bytes'),
    partnerRegistrations: bound('Registrations of secrets that a partner may cost'),
    strangerRegistrations: bound('The same of all strangers'),
    tokenRegistrations: bound('The same of a token that is no money here'),
    lateSecrets: bound('Secrets that are shown late and paid for off chain'),
    secretsPerBlock: bound('Secrets that can be registered in a block'),
    strangerBytes: bound('Bytes of a stranger that are read at once'),
    partnerChanges: bound('Changes of a partner whose signatures are checked at once'),
    syncs: bound('Syncs that are heard of a channel at once, and said in it'),
    heldBytes: bound('Bytes of a sender that wait to be read'),
  } satisfies Record<BoundName, ReturnType<typeof bound>>),
  v.description('What others can make it hold and spend, where it is not as usual'),
);
