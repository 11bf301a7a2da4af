/** Messages between nodes: their seals, their form, and what strangers may do with them. */
import { editIn, type PlantedBug } from './patch.ts';

const sealing = editIn('src/node/messaging/sealing.ts');
const seal = editIn('src/signer/seal.ts');
const outbox = editIn('src/node/runtime/outbox/outbox.ts');
const replays = editIn('src/node/messaging/replay-window.ts');
const kinds = editIn('src/protocol/messages/kinds.ts');

export const MESSAGES: readonly PlantedBug[] = [
  {
    id: 'R11b',
    title: 'The node reads identifiers and nonces with the precision of a double.',
    edits: [
      kinds(
        'export const uint64 = decimal(parseUint64);',
        'export const uint64 = decimal((value) => {\n  const exact = parseUint64(value);\n  return exact && BigInt(Number(exact));\n});',
      ),
    ],
    expected: 'liveness',
    needs: ['direct-payment'],
    world: 'a payment goes a long way',
    noticedBy: 'unit/protocol/message-codec.test.ts',
  },
  {
    id: 'R14d',
    title: 'A stranger ends the node with a payload that is too short.',
    edits: [
      editIn('src/protocol/wire/envelope.ts')(
        "if (payload.length <= SEAL_BYTES) return refusal('too short for a sealed payload');",
        "if (payload.length === 0) return refusal('too short for a sealed payload');",
      ),
    ],
    expected: [30],
    needs: ['strangers', 'malformed-messages'],
    world: 'a partner sends what cannot be read',
    noticedBy: null,
  },
  {
    id: 'R14e',
    title: 'A stranger ends the node with a message about a channel that it does not have.',
    edits: [
      editIn('src/node/runtime/actors/actors.ts')(
        'const one = wake(id);\n      if (one === undefined) return null;',
        "const one = wake(id);\n      if (one === undefined && event.type.startsWith('msg.') && id.startsWith('channel:'))\n        throw new Error('no such channel');\n      if (one === undefined) return null;",
      ),
    ],
    expected: [30],
    needs: ['strangers', 'forged-fields'],
    world: 'a lock is for a channel that is not there',
    noticedBy: null,
  },
  {
    id: 'R31b',
    title: 'Two messages get one identifier, and the answer to one of them ends the other.',
    edits: [
      outbox('const drawn = drawId();', 'const drawn = drawId() % 8n;'),
      outbox('return byMessageId.has(drawn) ? freshId() : drawn;', 'return drawn;'),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'many-payments', 'lost-messages'],
    world: 'many payments pass, and messages are lost',
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R36b',
    title: 'The first words of strangers cost the node as much arithmetic as they like.',
    edits: [sealing("if (!firstWords.take()) return refusal('too many strangers at once');", '')],
    expected: [32],
    needs: ['strangers'],
    noticedBy: 'unit/node/sealing.test.ts',
  },
  {
    id: 'R37a',
    title: 'The node reads JSON however deep it is nested, until its stack is full.',
    edits: [
      editIn('src/protocol/wire/lines.ts')(
        '{ depth: MAX_LINE_DEPTH, parts: MAX_LINE_PARTS }',
        '{ depth: MAX_LINE_BYTES, parts: MAX_LINE_BYTES }',
      ),
    ],
    expected: [30],
    needs: ['malformed-messages'],
    world: 'a partner sends what cannot be read',
    noticedBy: 'unit/protocol/message-codec.test.ts',
  },
  {
    id: 'R62a',
    title: 'Messages are authenticated, and not encrypted: the broker reads every secret.',
    edits: [
      seal(
        'cipher.setAAD(authenticated);\n  const ciphertext = cipher.update(text);',
        'cipher.setAAD(Buffer.concat([authenticated, text]));\n  const ciphertext = text;',
      ),
      seal(
        'decipher.setAAD(authenticated);',
        'decipher.setAAD(Buffer.concat([authenticated, ciphertext]));',
      ),
      seal('const text = decipher.update(ciphertext);', 'const text = ciphertext;'),
    ],
    expected: [15, 31],
    needs: ['direct-payment', 'eavesdropper'],
    world: 'a payment goes a long way',
    noticedBy: 'unit/node/seal.test.ts',
  },
  {
    id: 'R62b',
    title: 'What is sealed can be opened by everybody who knows how, without a key.',
    edits: [
      sealing(
        'return peer.shared && cipher.sealKeys(peer.shared, salt, info);',
        'return peer.shared && cipher.sealKeys(salt, salt, info);',
      ),
    ],
    expected: [15, 31],
    needs: ['direct-payment', 'eavesdropper'],
    world: 'a payment goes a long way',
    noticedBy: null,
  },
  {
    id: 'R65a',
    title: 'The node takes any public key for that of its partner, from whoever tells it.',
    edits: [
      sealing(
        'if (isPublicKeyOf(told, address)) meet(newPeer(address, compressedKey(told)));',
        'meet(newPeer(address, compressedKey(told)));',
      ),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'false-presence'],
    unseen: 'Both transports drop a key that is not of the address before the node is told it.',
    noticedBy: 'unit/node/sealing.test.ts',
  },
  {
    id: 'R65b',
    title: 'A flood of strangers pushes out what the node knows of its partners.',
    edits: [
      editIn('src/node/messaging/sealing-peers.ts')(
        'const isNear = partners.has(address) || isPartner(address);',
        'const isNear = partners.has(address) && isPartner(address);',
      ),
    ],
    expected: [32],
    needs: ['strangers', 'direct-payment'],
    noticedBy: 'unit/node/sealing.test.ts',
  },
  {
    id: 'R65c',
    title: 'After a thousand payloads of one session everything in it counts as a replay.',
    edits: [
      replays(
        'else for (let between = highest + 1; between < counter; between++) set(between, false);',
        '',
      ),
      replays('return counter > highest || !isSet(counter);', 'return !isSet(counter);'),
    ],
    expected: 'liveness',
    needs: ['many-payments', 'direct-payment'],
    world: 'many payments pass between two nodes',
    noticedBy: 'unit/node/sealing.test.ts',
  },
  {
    id: 'R65d',
    title: 'A payload that was overtaken by as many as the window is wide counts as fresh.',
    edits: [
      replays(
        'if (counter < 1 || counter <= highest - WIDTH) return false;',
        'if (counter < 1 || counter < highest - WIDTH) return false;',
      ),
    ],
    expected: 'margin',
    needs: ['replayed-payloads', 'many-payments'],
    unseen:
      'The slot of such a counter is that of the highest one, which is taken: it never counts as fresh.',
    noticedBy: null,
  },
];
