import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlSocketPath, type ServerStatus } from '../control.ts'

/** `inferd serve` as an operator runs it: a process of its own, a data folder of its own, the shipped models. */
export interface ServedProcess extends AsyncDisposable {
  readonly pid: number
  /** With /v1. */
  readonly baseUrl: string
  /** The key that the first start printed. */
  readonly key: string
  /** What `inferd ps` would say now. */
  status(): Promise<ServerStatus>
}

/** Starts a server on an empty data folder and resolves when it listens. */
export async function startServedProcess(): Promise<ServedProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const child = Bun.spawn(
    [process.execPath, `${import.meta.dir}/../main.ts`, 'serve', '--json', '--port', '0', '--data', dataDir],
    { env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  const log = new Response(child.stderr).text()
  let key: string | undefined
  for await (const event of jsonLines(child.stdout)) {
    if (event.event === 'first-key') key = String(event.key)
    if (event.event !== 'listening' || key === undefined) continue
    return {
      pid: child.pid,
      baseUrl: String(event.baseUrl),
      key,
      status: async () => {
        const answer = await fetch('http://inferd/status', { unix: controlSocketPath(dataDir) })
        return (await answer.json()) as ServerStatus // our own program's answer
      },
      [Symbol.asyncDispose]: stop,
    }
  }
  await stop()
  throw new Error(`the server did not start: ${await log}`)
}

async function* jsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder()
  let rest = ''
  // The stream stays open after the last line that is asked for: the server goes on printing to it.
  for await (const bytes of stream.values({ preventCancel: true })) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}
