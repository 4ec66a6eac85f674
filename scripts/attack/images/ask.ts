import { toDataUrl } from '../../../src/testing/pictures.ts'

export interface PictureTarget {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
}

export interface PictureAnswer {
  /** 0: the connection ended without an answer, or none came in time. */
  readonly status: number
  /** Of an error. */
  readonly code: string
  /** The place of the picture that an error names. */
  readonly param: string
  readonly seconds: number
}

const givesUpMs = 120_000
const model = 'inferd/starter-chat'

/** Asks for one token about a picture that stands in the request `count` times. */
export async function askAbout(target: PictureTarget, file: Uint8Array, count = 1): Promise<PictureAnswer> {
  const url = toDataUrl(file)
  const pictures = Array.from({ length: count }, () => ({ type: 'image_url', image_url: { url } }))
  const content = [...pictures, { type: 'text', text: 'What is this?' }]
  const beginMs = performance.now()
  const answer = await send(target, { model, messages: [{ role: 'user', content }], max_tokens: 1, temperature: 0 })
  const seconds = (performance.now() - beginMs) / 1000
  return {
    status: answer.status,
    code: /"code":\s*"(\w+)"/.exec(answer.text)?.[1] ?? '',
    param: paramOf(answer.text),
    seconds,
  }
}

function paramOf(text: string): string {
  return /"param":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
}

async function send({ baseUrl, apiKey }: PictureTarget, body: unknown): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
      // A kept connection may be closed by the server just as the next request is written to it.
      keepalive: false,
      signal: AbortSignal.timeout(givesUpMs),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}
