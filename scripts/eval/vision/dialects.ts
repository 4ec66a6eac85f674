/** Server with an OpenAI-style API, and the tested model. */
export interface VisionServer {
  /** With /v1. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  /** Fields of chat/completions that this server needs in addition. */
  readonly extra?: Readonly<Record<string, unknown>>
}

interface Part {
  readonly text?: string
}

/** Used parts of the answers of all three dialects. */
interface Answer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[]
  readonly output?: readonly { readonly content?: readonly Part[] }[]
  readonly content?: readonly Part[]
}

interface Dialect {
  /** Turns a picture (a data: URL) and a question into a request. */
  readonly body: (picture: string, question: string) => object
  readonly text: (answer: Answer) => string
}

const limitTokens = 120

/** The dialects by the route below /v1. */
export const dialects = {
  'chat/completions': {
    body: (picture, question) => {
      const content = [
        { type: 'image_url', image_url: { url: picture } },
        { type: 'text', text: question },
      ]
      return { max_tokens: limitTokens, messages: [{ role: 'user', content }] }
    },
    text: ({ choices }) => choices?.[0]?.message.content ?? '',
  },
  responses: {
    body: (picture, question) => {
      const content = [
        { type: 'input_image', image_url: picture },
        { type: 'input_text', text: question },
      ]
      return { max_output_tokens: limitTokens, input: [{ role: 'user', content }] }
    },
    text: ({ output }) => joined(output?.flatMap(({ content }) => content ?? [])),
  },
  messages: {
    body: (picture, question) => {
      const [head = '', data = ''] = picture.split(',')
      const source = { type: 'base64', media_type: head.slice('data:'.length, head.indexOf(';')), data }
      const content = [
        { type: 'image', source },
        { type: 'text', text: question },
      ]
      return { max_tokens: limitTokens, messages: [{ role: 'user', content }] }
    },
    text: ({ content }) => joined(content),
  },
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects

function joined(parts: readonly Part[] | undefined): string {
  return (parts ?? []).map(({ text = '' }) => text).join('')
}

/** Asks about a picture at temperature 0. Throws if the answer is not 200. */
export async function askAboutPicture(
  { baseUrl, apiKey, model, extra }: VisionServer,
  name: DialectName,
  picture: string,
  question: string,
): Promise<string> {
  const dialect = dialects[name]
  const response = await fetch(`${baseUrl}/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, temperature: 0, ...dialect.body(picture, question), ...extra }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${text}`)
  return dialect.text(JSON.parse(text) as Answer).trim()
}
