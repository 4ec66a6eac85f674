import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlSocketPath, type ServerStatus } from '../server/control.ts'
import { textParts } from './text-parts.ts'
import { testsBehind, writeManifestsBehind } from './upstream/behind.ts'

/** `inferd serve` as an operator runs it: a process of its own, a data folder of its own, the shipped models. */
export interface ServedProcess extends AsyncDisposable {
  readonly pid: number
  readonly dataDir: string
  /** With /v1. */
  readonly baseUrl: string
  /** Of the port where programs look for Ollama; undefined: there is none. */
  readonly ollamaUrl: string | undefined
  /** The key that the first start printed. */
  readonly key: string
  /** What `inferd ps` would say now. */
  status(): Promise<ServerStatus>
  /** Ends the server and gives its whole log; the data folder stays until it is disposed. */
  stop(): Promise<string>
}

/** Starts a server on an empty data folder and resolves when it listens. It knows no variables but those given. `main`: the program. */
export async function startServedProcess(
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  main = join(import.meta.dir, '..', 'main.ts'),
): Promise<ServedProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const behind = testsBehind()
  if (behind !== undefined && behind !== 'twin') writeManifestsBehind(dataDir, behind)
  const child = Bun.spawn([process.execPath, main, 'serve', '--json', '--port', '0', '--data', dataDir, ...flags], {
    env: environment,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const log = new Response(child.stderr).text()
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
    return log
  }
  const dispose = async () => {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  let key: string | undefined
  for await (const line of textParts(child.stdout)) {
    const event = JSON.parse(line)
    if (event.event === 'first-key') key = String(event.key)
    if (event.event !== 'listening' || key === undefined) continue
    return {
      pid: child.pid,
      dataDir,
      baseUrl: String(event.baseUrl),
      ollamaUrl: event.ollamaUrl,
      key,
      status: async () => {
        const answer = await fetch('http://inferd/status', { unix: controlSocketPath(dataDir) })
        return (await answer.json()) as ServerStatus // our own program's answer
      },
      stop,
      [Symbol.asyncDispose]: dispose,
    }
  }
  await dispose()
  throw new Error(`the server did not start: ${await log}`)
}
