// A server in the manner of OpenAI, for want of a model an echo: node model-server.mjs [PORT]
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const server = createServer(async (request, response) => {
  const { messages = [], max_tokens = 100 } = JSON.parse((await text(request)) || '{}');
  const asked = messages.flatMap(({ content }) => `${content}`.split(/\s+/));
  const said = asked.slice(0, max_tokens);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  for (const word of said) {
    send({ choices: [{ index: 0, delta: { content: `${word} ` } }] });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const counts = { prompt_tokens: asked.length, completion_tokens: said.length };
  send({ choices: [], usage: { ...counts, total_tokens: asked.length + said.length } });
  response.end('data: [DONE]\n\n');
});
server.listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => {
  console.log(`ready: http://127.0.0.1:${server.address().port}`);
});
