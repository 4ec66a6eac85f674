import { toDataUrl } from './pictures.ts'

export interface PictureTarget {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly key: string
}

export interface PictureAnswer {
  /** HTTP status. 0 if the connection ended without an answer, or none came in time. */
  readonly status: number
  /** Code of the error. Empty for an answer. */
  readonly code: string
  /** JSON path of the picture that the error names. */
  readonly param: string
  /** The five likeliest first tokens with their log probabilities. */
  readonly likeliest: readonly { readonly token: string; readonly logprob: number }[]
  readonly seconds: number
}

/** The fields of answers and errors that the tests read. */
interface Body {
  readonly error?: { readonly code?: string; readonly param?: string }
  readonly choices?: readonly {
    readonly logprobs: { readonly content: readonly { readonly top_logprobs: PictureAnswer['likeliest'] }[] }
  }[]
}

const givesUpMs = 120_000

/** Asks the starter model for one token about a picture, which the request contains `count` times. */
export async function askAboutPicture(target: PictureTarget, file: Uint8Array, count = 1): Promise<PictureAnswer> {
  const url = toDataUrl(file)
  const pictures = Array.from({ length: count }, () => ({ type: 'image_url', image_url: { url } }))
  const messages = [{ role: 'user', content: [...pictures, { type: 'text', text: 'What colour is the background?' }] }]
  const beginMs = performance.now()
  const { status, body } = await send(target, {
    ...{ model: 'inferd/starter-chat', messages, max_tokens: 1, temperature: 0, reasoning_effort: 'none' },
    ...{ logprobs: true, top_logprobs: 5 },
  })
  return {
    status,
    code: body.error?.code ?? '',
    param: body.error?.param ?? '',
    likeliest: body.choices?.[0]?.logprobs.content[0]?.top_logprobs ?? [],
    seconds: (performance.now() - beginMs) / 1000,
  }
}

async function send({ baseUrl, key }: PictureTarget, request: unknown): Promise<{ status: number; body: Body }> {
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(request),
      // The server may close a kept connection just when the next request is written to it.
      keepalive: false,
      signal: AbortSignal.timeout(givesUpMs),
    })
    return { status: response.status, body: (await response.json()) as Body }
  } catch (error) {
    return { status: 0, body: { error: { code: String(error) } } }
  }
}

const refusals = ['invalid_image', 'payload_too_large', 'too_many_images']

/** Returns whether a picture's answer is one that `outcome` allows. A refusal must name the picture. */
export function isOutcome({ status, code, param }: PictureAnswer, outcome: 'answered' | 'refused' | 'either'): boolean {
  const isRefused = (status === 400 || status === 413) && refusals.includes(code) && param.startsWith('messages')
  return (status === 200 && outcome !== 'refused') || (isRefused && outcome !== 'answered')
}
