import type { CustomFetch } from 'openid-client'

/** Longest time of one request to a provider, its answer included. */
const requestLimitMs = 10_000
/** Largest answer of a provider. Metadata, keys and tokens are a few KB. */
const answerLimitBytes = 1024 * 1024

/**
 * Returns the function that sends requests to a provider: it follows no redirects, and rejects if the whole answer is
 * not there in time or is too large. `ca`: certificates (PEM) to trust in place of the usual ones.
 */
export function providerFetch(ca: string | undefined): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const limit = AbortSignal.timeout(requestLimitMs)
    const response = await fetch(url, {
      method,
      headers,
      // The library sends forms alone, and its type allows every body.
      body: (body ?? null) as URLSearchParams | null,
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(ca !== undefined && { tls: { ca } }),
    })
    const bytes = await readAtMost(response.body, answerLimitBytes)
    const { status, statusText } = response
    const given = new Headers(response.headers)
    // The bytes are decoded already.
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) given.delete(name)
    const hasBody = status >= 200 && ![204, 205, 304].includes(status)
    return new Response(hasBody ? bytes : null, { status, statusText, headers: given })
  }
}

async function readAtMost(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > limitBytes) throw new Error('the answer is too large')
    parts.push(new Uint8Array(part))
  }
  return new Blob(parts)
}
