/** A program that webhooks call. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Call = { id: string; body: string; signature: string };
export type Answer = (call: Call, response: ServerResponse) => void;
export const taken: Answer = (_, response) => void response.writeHead(204).end();
export const refused =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end('no');

/** A receiver that answers the calls as it is told, the last way for ever. */
export async function startReceiver(answers: Answer[] = [taken]) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const header = (name: string) => String(request.headers[name]);
      const call = { id: header('sluice-event-id'), body, signature: header('sluice-signature') };
      calls.push(call);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ids = () => calls.map(({ id }) => Number(id));
  return {
    url: `http://127.0.0.1:${port}/hook?key=hidden`,
    calls,
    ids,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
