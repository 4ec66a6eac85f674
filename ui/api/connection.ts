/** State of the connection. A lost server is tried again after 1, 2, 4 … 15 s, and when the network returns. */
import { signal } from '@preact/signals'

/** Time of the loss in milliseconds UTC. Undefined while connected. */
export const offlineSinceMs = signal<number | undefined>(undefined)

/** Number of reconnections. Data on pages is loaded again when it changes. */
export const reconnections = signal(0)

let wake: (() => void) | undefined

/** Records that a request got no answer. */
export function connectionLost(): void {
  if (offlineSinceMs.value !== undefined) return
  offlineSinceMs.value = Date.now()
  void findAgain()
}

export function retryDelayMs(attempt: number): number {
  return Math.min(15_000, 1_000 * 2 ** attempt)
}

async function findAgain(): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    await waitOrWake(retryDelayMs(attempt))
    if (await isServed()) break
  }
  offlineSinceMs.value = undefined
  reconnections.value += 1
}

function waitOrWake(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Tells whether the server answers. If not, the connection counts as lost. */
export async function checkConnection(): Promise<boolean> {
  const isThere = await isServed()
  if (!isThere) connectionLost()
  return isThere
}

/** Loads a document if the server answers; otherwise the browser would replace our page by its error page. */
export async function loadDocument(url: URL | string): Promise<void> {
  if (await checkConnection()) location.assign(url)
}

async function isServed(): Promise<boolean> {
  try {
    const { ok } = await fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })
    return ok
  } catch {
    return false // A failed request means that the server does not answer.
  }
}

globalThis.addEventListener?.('online', () => wake?.())
