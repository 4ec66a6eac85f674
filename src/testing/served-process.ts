import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlSocketPath, type ServerStatus } from '../server/control.ts'
import { testedProgram } from './tested-program.ts'
import { textParts } from './text-parts.ts'
import { testsBehind, writeManifestsBehind } from './upstream/behind.ts'

/** `inferd serve` as an operator runs it: a separate process with a new data folder and the shipped models. */
export interface ServedProcess extends AsyncDisposable {
  readonly pid: number
  readonly dataDir: string
  /** Address that ends with /v1. */
  readonly baseUrl: string
  /** Address of the port where programs look for Ollama. Undefined if the server does not listen there. */
  readonly ollamaUrl: string | undefined
  /** API key that the first start printed. */
  readonly key: string
  /** Returns the status that `inferd ps` shows. */
  status(): Promise<ServerStatus>
  /** Ends the server and returns its whole log. The data folder stays until disposal. */
  stop(): Promise<string>
}

/**
 * Starts a server on an empty data folder with only the given environment. Resolves once it listens. `program` are
 * the words that start it.
 */
export async function startServedProcess(
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  program = testedProgram,
): Promise<ServedProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const behind = testsBehind()
  if (behind !== undefined && behind !== 'twin') writeManifestsBehind(dataDir, behind)
  const child = Bun.spawn([...program, 'serve', '--json', '--port', '0', '--data', dataDir, ...flags], {
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
