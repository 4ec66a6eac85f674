/** Requests of all kinds, each with a marked word wherever a request can hold a text. */

import { toPdf } from '../../src/testing/pdfs.ts'
import { chunk, paint, toPng } from '../../src/testing/pictures.ts'
import { recording } from '../../src/testing/recording.ts'
import { until } from '../../src/testing/until.ts'
import type { CanaryServer } from './canary-server.ts'
import { markedWord } from './marked-words.ts'

export interface MarkedRequest {
  readonly kind: string
  /** Sends the request with this word, and resolves when its answer has ended, however it does. */
  send(server: CanaryServer, word: string): Promise<unknown>
}

type Body = (word: string) => object

const crashes = ['exit', 'abort', 'kill'] as const

/** Returns a chat whose script the fake engine follows, with the word beside it. */
const scripted = (script: readonly object[]) => (word: string) => ({
  model: 'test/chat',
  messages: [
    { role: 'system', content: word },
    { role: 'user', content: JSON.stringify({ script: [{ text: word }, ...script] }) },
  ],
})

function picture(word: string): string {
  const png = toPng(paint(8, 8, () => [1, 2, 3]))
  const text = chunk('tEXt', Buffer.from(`Comment\0${word}`))
  // Before the chunk IEND, which takes 12 bytes.
  return Buffer.concat([png.subarray(0, -12), text, png.subarray(-12)]).toString('base64')
}

const asUrl = (type: string, base64: string) => `data:${type};base64,${base64}`
const pdf = (word: string) => toPdf([{ lines: [`A page about ${word}`] }]).toString('base64')
const tool = (word: string) => ({
  name: word,
  description: `Looks ${word} up.`,
  parameters: { type: 'object', properties: { [word]: { type: 'string', description: word, enum: [word] } } },
})
const parts =
  (...content: readonly object[]): Body =>
  (word) => ({
    model: 'test/chat',
    messages: [{ role: 'user', content: [{ type: 'text', text: `Tell ${word}` }, ...content] }],
  })

const bodies: readonly (readonly [kind: string, path: string, body: Body])[] = [
  [
    'chat',
    '/v1/chat/completions',
    (word) => ({ model: 'test/chat', messages: [{ role: 'user', content: word }], user: word, metadata: { word } }),
  ],
  [
    'chat, streamed',
    '/v1/chat/completions',
    (word) => ({
      model: 'test/chat',
      stream: true,
      stop: [word],
      messages: [
        { role: 'system', content: word },
        { role: 'user', content: `a ${word} b` },
      ],
    }),
  ],
  [
    'chat with tools',
    '/v1/chat/completions',
    (word) => ({
      model: 'test/chat',
      tools: [{ type: 'function', function: tool(word) }],
      messages: [
        {
          role: 'user',
          content: JSON.stringify({ script: [{ tool: { name: word, arguments: [`{"${word}":"${word}"}`] } }] }),
        },
      ],
    }),
  ],
  [
    'chat with a schema',
    '/v1/chat/completions',
    (word) => ({
      model: 'test/chat',
      messages: [{ role: 'user', content: word }],
      response_format: { type: 'json_schema', json_schema: { name: word, schema: tool(word).parameters } },
    }),
  ],
  [
    'chat with choices and scores',
    '/v1/chat/completions',
    (word) => ({ model: 'test/chat', n: 2, logprobs: true, messages: [{ role: 'user', content: word }] }),
  ],
  [
    'chat with a picture',
    '/v1/chat/completions',
    (word) => parts({ type: 'image_url', image_url: { url: asUrl('image/png', picture(word)) } })(word),
  ],
  [
    'chat with a document',
    '/v1/chat/completions',
    (word) =>
      parts({ type: 'file', file: { filename: `${word}.pdf`, file_data: asUrl('application/pdf', pdf(word)) } })(word),
  ],
  [
    'chat with a text file',
    '/v1/chat/completions',
    (word) =>
      parts({
        type: 'file',
        file: {
          filename: `${word}.txt`,
          file_data: asUrl('text/plain', Buffer.from(word.repeat(2_000)).toString('base64')),
        },
      })(word),
  ],
  [
    'chat with sound',
    '/v1/chat/completions',
    (word) =>
      parts({ type: 'input_audio', input_audio: { format: 'wav', data: recording(1, word).toString('base64') } })(word),
  ],
  [
    'responses',
    '/v1/responses',
    (word) => ({ model: 'test/chat', instructions: word, input: word, metadata: { word } }),
  ],
  [
    'responses, streamed',
    '/v1/responses',
    (word) => ({
      model: 'test/chat',
      stream: true,
      input: [{ role: 'user', content: [{ type: 'input_text', text: word }] }],
    }),
  ],
  [
    'responses with tools',
    '/v1/responses',
    (word) => ({ model: 'test/chat', input: word, tools: [{ type: 'function', ...tool(word) }] }),
  ],
  [
    'responses that search the web',
    '/v1/responses',
    (word) => ({
      model: 'test/chat',
      tools: [{ type: 'web_search' }],
      input: JSON.stringify({
        script: [{ tool: { name: 'web_search', arguments: [JSON.stringify({ query: word })] } }],
        afterTools: [{ text: word }],
      }),
    }),
  ],
  [
    'messages',
    '/v1/messages',
    (word) => ({
      model: 'test/chat',
      max_tokens: 50,
      system: word,
      messages: [{ role: 'user', content: word }],
      metadata: { user_id: word },
    }),
  ],
  [
    'messages, streamed',
    '/v1/messages',
    (word) => ({
      model: 'test/chat',
      max_tokens: 50,
      stream: true,
      messages: [{ role: 'user', content: word }],
      tools: [{ name: word, description: word, input_schema: tool(word).parameters }],
    }),
  ],
  [
    'messages with a picture',
    '/v1/messages',
    (word) => ({
      model: 'test/chat',
      max_tokens: 50,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture(word) } },
            { type: 'text', text: word },
          ],
        },
      ],
    }),
  ],
  [
    'counted messages',
    '/v1/messages/count_tokens',
    (word) => ({ model: 'test/chat', messages: [{ role: 'user', content: word }] }),
  ],
  ['counted responses', '/v1/responses/input_tokens', (word) => ({ model: 'test/chat', input: word })],
  ['raw prompt', '/v1/completions', (word) => ({ model: 'test/chat', prompt: [word, `${word} again`], suffix: null })],
  [
    'raw prompt, scored',
    '/v1/completions',
    (word) => ({ model: 'test/chat', prompt: word, echo: true, logprobs: 2, max_tokens: 0 }),
  ],
  ['filled gap', '/v1/fim/completions', (word) => ({ model: 'test/chat', prompt: word, suffix: word })],
  ['embeddings', '/v1/embeddings', (word) => ({ model: 'test/embed', input: [word, `${word} too`], user: word })],
  [
    'embeddings, Cohere',
    '/v2/embed',
    (word) => ({ model: 'test/embed', texts: [word], input_type: 'search_document', embedding_types: ['float'] }),
  ],
  [
    'rerank',
    '/v1/rerank',
    (word) => ({ model: 'test/rerank', query: word, documents: [word, { text: word }], return_documents: true }),
  ],
  ['rerank, Cohere', '/v2/rerank', (word) => ({ model: 'test/rerank', query: word, documents: [word] })],
  ['moderations', '/v1/moderations', (word) => ({ input: [word, word] })],
  ['tokenize', '/tokenize', (word) => ({ model: 'test/chat', prompt: word })],
  ['template', '/apply-template', (word) => ({ model: 'test/chat', messages: [{ role: 'user', content: word }] })],
  [
    'speech',
    '/v1/audio/speech',
    (word) => ({ model: 'test/voice', voice: 'a', input: `${word}. ${word}.`, instructions: word }),
  ],
  ['web search', '/v1/alpha/search', (word) => ({ model: 'test/chat', commands: { search_query: [{ q: word }] } })],
  [
    'pictures of an upstream model',
    '/v1/images/generations',
    (word) => ({ model: 'test/painter', prompt: word, user: word }),
  ],
  [
    'upstream chat',
    '/v1/chat/completions',
    (word) => ({ model: 'test/far', messages: [{ role: 'user', content: word }] }),
  ],
  [
    'upstream chat, streamed',
    '/v1/chat/completions',
    (word) => ({ model: 'test/far', stream: true, messages: [{ role: 'user', content: word }] }),
  ],
  [
    'refusal of an upstream server',
    '/v1/chat/completions',
    (word) => ({ model: 'test/refuser', messages: [{ role: 'user', content: word }] }),
  ],
  [
    'Ollama chat',
    '/api/chat',
    (word) => ({
      model: 'test/chat',
      messages: [{ role: 'user', content: word }],
      tools: [{ type: 'function', function: tool(word) }],
    }),
  ],
  [
    'Ollama generate',
    '/api/generate',
    (word) => ({ model: 'test/chat', prompt: word, system: word, suffix: undefined }),
  ],
  ['Ollama embed', '/api/embed', (word) => ({ model: 'test/embed', input: word })],
  [
    'unknown field',
    '/v1/chat/completions',
    (word) => ({ model: 'test/chat', [word]: word, messages: [{ role: word, content: word }] }),
  ],
  [
    'wrong schema',
    '/v1/chat/completions',
    (word) => ({
      model: 'test/chat',
      messages: [{ role: 'user', content: word }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: word, schema: { type: word, pattern: `(${word}` } },
      },
    }),
  ],
  [
    'unknown model',
    '/v1/chat/completions',
    (word) => ({ model: 'test/none', messages: [{ role: 'user', content: word }] }),
  ],
  ['wrong kind of model', '/v1/embeddings', (word) => ({ model: 'test/chat', input: word })],
  [
    'wrong file',
    '/v1/chat/completions',
    (word) =>
      parts({
        type: 'file',
        file: {
          filename: `${word}.pdf`,
          file_data: asUrl('application/pdf', Buffer.from(`%PDF-1.7 ${word}`).toString('base64')),
        },
      })(word),
  ],
  [
    'too large',
    '/v1/chat/completions',
    (word) => ({ model: 'test/chat', messages: [{ role: 'user', content: word.repeat(150_000) }] }),
  ],
  ['answer that fails', '/v1/chat/completions', scripted([{ error: { kind: 'internal', message: 'failed' } }])],
  ...crashes.map((crash) => [`engine that ends by ${crash}`, '/v1/chat/completions', scripted([{ crash }])] as const),
]

const forms: readonly (readonly [kind: string, path: string, model: string])[] = [
  ['transcription', '/v1/audio/transcriptions', 'test/ears'],
  ['translation', '/v1/audio/translations', 'test/ears'],
]

/** All kinds of requests. */
export const markedRequests: readonly MarkedRequest[] = [
  ...bodies.map(([kind, path, body]) => ({
    kind,
    send: (server: CanaryServer, word: string) => server.post(path, JSON.stringify(body(word))),
  })),
  ...forms.map(([kind, path, model]) => ({
    kind,
    send: (server: CanaryServer, word: string) => {
      const form = new FormData()
      form.set('model', model)
      form.set('prompt', word)
      form.set('file', new File([recording(1, JSON.stringify({ script: [{ text: word }] }))], `${word}.wav`))
      return server.post(path, form)
    },
  })),
  {
    kind: 'broken JSON',
    send: (server, word) => server.post('/v1/chat/completions', `{"model":"test/chat","messages":[{"content":"${word}`),
  },
  {
    kind: 'wrong key',
    send: (server, word) =>
      server.post('/v1/responses', JSON.stringify({ model: 'test/chat', input: word }), 'sk-inferd-wrong'),
  },
  {
    kind: 'empty balance',
    send: (server, word) =>
      server.post('/v1/responses', JSON.stringify({ model: 'test/chat', input: word }), server.poorKey),
  },
  { kind: 'unknown path', send: (server, word) => server.post(`/v1/nothing?q=${word}`, JSON.stringify({ word })) },
  {
    kind: 'upload that is cut',
    send: (server, word) =>
      server.cut(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${server.key}\r\ncontent-length: 90000\r\n\r\n{"model":"test/chat","messages":[{"role":"user","content":"${word.repeat(1_000)}`,
      ),
  },
  {
    kind: 'client that leaves',
    send: (server, word) =>
      server.leave(
        '/v1/chat/completions',
        JSON.stringify({ ...scripted([{ waitForCancel: true }])(word), stream: true }),
      ),
  },
]

/** Requests to the models that come with the program, which native code computes. */
export const starterRequests: readonly MarkedRequest[] = [
  [
    'starter chat',
    '/v1/chat/completions',
    (word: string) => ({ model: 'starter-chat', max_tokens: 8, messages: [{ role: 'user', content: `Say ${word}.` }] }),
  ],
  [
    'starter chat with a picture',
    '/v1/chat/completions',
    (word: string) => ({
      ...parts({ type: 'image_url', image_url: { url: asUrl('image/png', picture(word)) } })(word),
      model: 'starter-chat',
      max_tokens: 4,
    }),
  ],
  ['starter embeddings', '/v1/embeddings', (word: string) => ({ model: 'starter-embed', input: [word] })],
  [
    'starter rerank',
    '/v1/rerank',
    (word: string) => ({ model: 'starter-rerank', query: word, documents: [word, 'other'] }),
  ],
  ['starter speech', '/v1/audio/speech', (word: string) => ({ model: 'starter-tts', voice: 'alloy', input: word })],
].map(([kind, path, body]) => ({
  kind: kind as string,
  send: (server: CanaryServer, word: string) => server.post(path as string, JSON.stringify((body as Body)(word))),
}))

/** Sends a chat that runs until the server ends, and a recording that never arrives whole. Resolves once both run. */
export async function sendRunning(server: CanaryServer): Promise<void> {
  const word = markedWord()
  await server.begin(
    '/v1/chat/completions',
    JSON.stringify({ ...scripted([{ waitForCancel: true }])(word), stream: true }),
  )
  const head = `--x\r\ncontent-disposition: form-data; name="model"\r\n\r\ntest/ears\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="${word}.wav"\r\n\r\n`
  const begun = head + word.repeat(10_000)
  await server.stall(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${begun.length + 1_000}\r\n\r\n${begun}`,
  )
  await until(
    'the recording lies in the spool',
    () => server.spooled(),
    (names) => names.length > 0,
  )
}
