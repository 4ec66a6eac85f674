import { controlSocketPath, type ServerStatus } from '../control.ts'

const answerWithinMs = 5_000

/** What the server of this data folder says about itself; undefined when none is running. */
export async function askServer(dataDir: string): Promise<ServerStatus | undefined> {
  try {
    const response = await fetch('http://inferd/status', {
      unix: controlSocketPath(dataDir),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    return (await response.json()) as ServerStatus // our own server's answer
  } catch (error) {
    // No socket, or one whose process has died. A server that hangs is not the same as none.
    if (error instanceof DOMException && error.name === 'TimeoutError') throw error
    return undefined
  }
}
