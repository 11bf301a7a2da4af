import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { webhooksIn } from '../../../src/cli/options/node-config.ts';
import { temporaryFolder } from '../../support/store.ts';

const URLS = ['https://hook.example/'];

function withSecret(content: string, mode = 0o600) {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, content, { mode });
  return webhooksIn({ urls: URLS, secretFile: file });
}

it('a webhook is called with the secret of its file', () => {
  const secret = 'c0ffee'.repeat(8);
  expect(withSecret(`${secret}\n`)).toEqual({ ok: true, value: { urls: URLS, secret } });
});

it('without a webhook no secret is read', () => {
  const choices = { urls: [], secretFile: '/nowhere' };
  expect(webhooksIn(choices)).toEqual({ ok: true, value: null });
});

it.each([
  ['without a secret', () => webhooksIn({ urls: URLS, secretFile: null })],
  ['with a short one', () => withSecret('too short')],
  ['with two of them', () => withSecret('a-long-enough-secret another-secret')],
  ['with one that others may read', () => withSecret('a-long-enough-secret', 0o644)],
  [
    'with one that is not there',
    () => webhooksIn({ urls: URLS, secretFile: join(temporaryFolder(), 'none') }),
  ],
])('a webhook %s is refused, and the secret is not repeated', (_, read) => {
  const refused = read();
  expect(refused.ok).toBe(false);
  expect(JSON.stringify(refused)).toMatch(/webhook-secret-file|openssl/);
  expect(JSON.stringify(refused)).not.toMatch(/too short|long-enough/);
});
