/** Pictures over real sockets, in every dialect, against scripted engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createHash, randomFillSync } from 'node:crypto'
import { pictureConversations } from '../testing/picture-conversations.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({ parallel: 8, models: { 'test/sees': { manifest: { type: 'vision' } } } })
afterAll(() => server[Symbol.asyncDispose]())

interface Answer {
  readonly text: string
  readonly promptTokens: number
}

interface Dialect {
  readonly name: 'chat' | 'responses' | 'messages'
  readonly path: string
  readonly read: (answer: never) => Answer
}

const dialects: readonly Dialect[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    read: (answer: { choices: { message: { content: string } }[]; usage: { prompt_tokens: number } }) => ({
      text: answer.choices[0]?.message.content ?? '',
      promptTokens: answer.usage.prompt_tokens,
    }),
  },
  {
    name: 'responses',
    path: '/v1/responses',
    read: (answer: { output: { content: { text: string }[] }[]; usage: { input_tokens: number } }) => ({
      text: answer.output[0]?.content[0]?.text ?? '',
      promptTokens: answer.usage.input_tokens,
    }),
  },
  {
    name: 'messages',
    path: '/v1/messages',
    read: (answer: { content: { text: string }[]; usage: { input_tokens: number } }) => ({
      text: answer.content[0]?.text ?? '',
      promptTokens: answer.usage.input_tokens,
    }),
  },
]

/** Picture of noise, whose file is as large as its pixels because noise cannot be compressed */
const large = toPng({ width: 1000, height: 1000, rgb: randomFillSync(new Uint8Array(3_000_000)) })
const blue = toPng(paint(3, 2, () => [0, 0, 255]))
const described = (bytes: Uint8Array, size: string) =>
  `[image ${size} ${createHash('sha256').update(bytes).digest('hex')}]`

async function post({ name, path }: Dialect, model: string, body: object): Promise<{ status: number; answer: never }> {
  const limit = name === 'messages' ? { max_tokens: 1000 } : {}
  const response = await server.post(path, { model, ...limit, ...body })
  return { status: response.status, answer: (await response.json()) as never } // each dialect's own shape
}

async function ask(dialect: Dialect, body: object): Promise<Answer> {
  const { status, answer } = await post(dialect, 'test/sees', body)
  expect({ status, answer }).toMatchObject({ status: 200 })
  return dialect.read(answer)
}

const describing = '{"script":[{"describePictures":true}]}'
const echoing = '{"script":[{"echoRequest":true}]}'
const [inTexts, ofTool] = pictureConversations(toDataUrl(blue), describing)
if (inTexts === undefined || ofTool === undefined) throw new Error('there are two conversations')

describe.each(dialects)('$path', (dialect) => {
  const { name, path } = dialect

  test.each([
    [inTexts, 4],
    [ofTool, 1],
  ])('pictures reach a model that sees, and their tokens are the prompt’s', async (conversation, pictures) => {
    const { text, promptTokens } = await ask(dialect, conversation[name])
    const one = described(blue, '3x2')
    expect([...(text.match(/\[[^\]]+\]/g) ?? [])]).toEqual(Array(pictures).fill(one))
    expect(promptTokens).toBe(5 + 64 * pictures)
  })

  test('edge case 78: a picture of 3 MB', async () => {
    const [, conversation] = pictureConversations(toDataUrl(large), describing)
    expect((await ask(dialect, conversation?.[name] ?? {})).text).toContain(described(large, '1000x1000'))
  })

  test('a model that reads text only refuses the picture of a user, and names its place', async () => {
    const { status, answer } = await post(dialect, 'fake', inTexts[name])
    expect(status).toBe(400)
    const place = name === 'responses' ? 'input[0].content[1]' : 'messages[0].content[1]'
    expect(JSON.stringify(answer)).toContain(`'${place}'`)
  })

  test('a model that reads text only is told of the picture of a tool', async () => {
    const [, asked] = pictureConversations(toDataUrl(blue), echoing)
    const { status, answer } = await post(dialect, 'fake', asked?.[name] ?? {})
    expect(status).toBe(200)
    const { messages } = JSON.parse(dialect.read(answer).text)
    const content = [{ type: 'text', text: 'Read.\n[image omitted: this model reads text only]' }]
    expect(messages.at(-1)).toEqual({ role: 'tool', content, toolCallId: 'c1' })
  })

  test('a remark takes the place of a picture of a tool that has no data', async () => {
    const [, empty] = pictureConversations('', echoing)
    const remarks = { fake: 'this model reads text only', 'test/sees': 'it cannot be read' }
    for (const [model, reason] of Object.entries(remarks)) {
      const { status, answer } = await post(dialect, model, empty?.[name] ?? {})
      expect(status).toBe(200)
      expect(dialect.read(answer).text).toContain(`[image omitted: ${reason}]`)
    }
  })

  if (name === 'messages') {
    test('tokens are counted with pictures', async () => {
      const response = await server.post(`${path}/count_tokens`, { model: 'test/sees', ...inTexts.messages })
      expect(await response.json()).toMatchObject({ input_tokens: 5 + 64 * 4 })
    })
  }
})

test('the list of models says which see', async () => {
  const { data } = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: { id: string }[] }
  const row = (id: string) => data.find((model) => model.id === id)
  expect(row('test/sees')).toMatchObject({ type: 'vision', capabilities: { vision: true } })
  expect(row('test/fake')).toMatchObject({ type: 'chat', capabilities: { vision: false } })
})
