import { expect, it } from 'vitest';
import type { Notification } from '../../../src/node/runtime/commits/records.ts';
import { appWith, call } from './client.ts';

const LOW: Notification = {
  id: 'low_rdn',
  summary: 'Low user deposit',
  body: 'Line one.\nLine two.',
  urgency: 'normal',
};

it('lists notifications with their four fields', async () => {
  const { status, body } = await call(appWith({ notifications: () => [LOW] }), {
    path: '/notifications',
  });
  expect({ status, body }).toEqual({ status: 200, body: [LOW] });
});

it('does not empty the list for a HEAD, which shows none of it', async () => {
  let reads = 0;
  const app = appWith({
    notifications() {
      reads++;
      return [];
    },
  });
  expect((await call(app, { method: 'HEAD', path: '/notifications' })).status).toBe(200);
  expect(reads).toBe(0);
  expect((await call(app, { path: '/notifications' })).body).toEqual([]);
  expect(reads).toBe(1);
});
