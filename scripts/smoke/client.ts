import { toDataUrl } from '../../src/testing/pictures.ts'

/** Address and key of any HTTP client. */
export interface Client {
  readonly url: string
  readonly key: string
}

const question = {
  model: 'inferd/starter-chat',
  messages: [{ role: 'user', content: 'Hello, who are you?' }],
  max_tokens: 24,
  temperature: 0,
}

/** Returns the status of each listed model by id. */
export async function modelStatuses({ url }: Client): Promise<Map<string, string>> {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string; status: string }[] }
  return new Map(data.map(({ id, status }) => [id, status]))
}

/** Returns the status of a chat request with this key. */
export async function chatStatus(client: Client): Promise<number> {
  return (await post(client, question)).status
}

/** Returns the answer's text. Throws if there is none. */
export async function ask(client: Client, model = question.model): Promise<string> {
  const answer = await postForText(client, { ...question, model })
  const body = JSON.parse(answer)
  return requireText(body.choices?.[0]?.message?.content, answer)
}

/** Returns the text of an answer by server-sent events. Throws unless the stream ends with `[DONE]`. */
export async function askStreaming(client: Client): Promise<string> {
  const answer = await postForText(client, { ...question, stream: true })
  const frames = answer.split('\n\n').filter((frame) => frame.startsWith('data: '))
  if (frames.at(-1) !== 'data: [DONE]') throw new Error(`the stream did not end with [DONE]: ${answer}`)
  const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)))
  return requireText(chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join(''), answer)
}

/** Returns the answer about a picture. `picture`: bytes of a file. */
export async function see(client: Client, picture: Uint8Array): Promise<string> {
  const content = [
    { type: 'text', text: 'What is in the picture?' },
    { type: 'image_url', image_url: { url: toDataUrl(picture) } },
  ]
  const answer = await postForText(client, { ...question, messages: [{ role: 'user', content }] })
  return requireText(JSON.parse(answer).choices?.[0]?.message?.content, answer)
}

/** Returns the tokens of a prompt with a document. `document`: bytes of a file. */
export async function countDocument(client: Client, document: Uint8Array): Promise<number> {
  const source = { type: 'base64', media_type: 'application/pdf', data: Buffer.from(document).toString('base64') }
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }]
  const answer = await postForText(client, { model: question.model, messages }, 'messages/count_tokens')
  return JSON.parse(answer).input_tokens
}

/** Returns the number of dimensions of a text's vector. */
export async function embed(client: Client): Promise<number> {
  const body = { model: 'inferd/starter-embed', input: 'moon', encoding_format: 'float' }
  const answer = await postForText(client, body, 'embeddings')
  return JSON.parse(answer).data[0].embedding.length
}

/** Returns the index of the document that the reranker ranks first. */
export async function rerank(client: Client): Promise<number> {
  const documents = ['Bake the bread.', 'Reset your password on the sign-in page.']
  const body = { model: 'inferd/starter-rerank', query: 'reset my password', documents }
  return JSON.parse(await postForText(client, body, 'rerank')).results[0].index
}

/** Returns a spoken sentence as mp3. */
export async function speak(client: Client, sentence: string): Promise<Blob> {
  const spoken = await post(client, { model: 'inferd/starter-tts', input: sentence, voice: 'nova' }, 'audio/speech')
  if (spoken.status !== 200) throw new Error(`audio/speech answered ${spoken.status}: ${await spoken.text()}`)
  return spoken.blob()
}

interface HeardSpeech {
  readonly text: string
  /** Speakers, if they are told apart. */
  readonly speakers?: readonly string[]
}

/**
 * Returns the transcription of a recording, decoded without any program of the system. `fields`: further fields besides
 * the model.
 */
export async function hear(
  client: Client,
  recording: Blob,
  fields: Readonly<Record<string, string>> = {},
): Promise<HeardSpeech> {
  const form = new FormData()
  form.append('model', 'inferd/starter-stt')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', recording, 'sentence.mp3')
  const headers = { authorization: `Bearer ${client.key}` }
  const heard = await fetch(`${client.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  const answer = await heard.text()
  if (heard.status !== 200) throw new Error(`audio/transcriptions answered ${heard.status}: ${answer}`)
  const body: HeardSpeech = JSON.parse(answer)
  requireText(body.text, answer)
  return body
}

function post({ url, key }: Client, body: object, endpoint = 'chat/completions'): Promise<Response> {
  return fetch(`${url}/v1/${endpoint}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function postForText(client: Client, body: object, endpoint?: string): Promise<string> {
  const response = await post(client, body, endpoint)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${endpoint ?? 'chat'} answered ${response.status}: ${text}`)
  return text
}

function requireText(content: unknown, answer: string): string {
  if (typeof content !== 'string' || !/\p{L}{2,}/u.test(content)) throw new Error(`no text in the answer: ${answer}`)
  return content
}
