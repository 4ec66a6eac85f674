import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textParts } from '../../src/testing/text-parts.ts'

export interface InferdServer {
  readonly pid: number
  /** Folder of its data. */
  readonly data: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Until it listened. */
  readonly startMs: number
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts inferd with a new data folder and a key in it. `prepare` fills that folder before. When the server has ended,
 * its log is added to `logFile`.
 */
export async function startInferd(
  command: readonly string[],
  options: readonly string[],
  prepare: (data: string, run: (args: readonly string[]) => Promise<string>) => Promise<unknown>,
  logFile?: string,
): Promise<InferdServer> {
  const data = mkdtempSync(join(tmpdir(), 'inferd-bench-'))
  const run = (args: readonly string[]) => runCommand(command, [...args, '--data', data, '--json'])
  await prepare(data, run)
  const created: unknown = JSON.parse(await run(['keys', 'create', '--name', 'bench']))
  const startMs = performance.now()
  const child = Bun.spawn(
    [...command, 'serve', '--data', data, '--host', '127.0.0.1', '--port', '0', '--json', ...options],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  const log = child.stderr.text()
  const url = await listeningUrl(child.stdout)
  const tookMs = performance.now() - startMs
  if (url === undefined) throw new Error(`inferd ended: ${(await log).slice(-2000)}`)
  return {
    pid: child.pid,
    data,
    baseUrl: `${url}/v1`,
    apiKey: readText(created, 'key'),
    startMs: tookMs,
    stop: async () => {
      child.kill()
      await child.exited
      if (logFile !== undefined) appendFileSync(logFile, `=== inferd serve ${options.join(' ')}\n${await log}\n`)
      rmSync(data, { recursive: true })
    },
  }
}

/** Makes a chat model in another place known to the server of this data folder, without reading or copying it. */
export async function describeModel(data: string, id: string, path: string): Promise<void> {
  const folder = join(data, 'models.d')
  mkdirSync(folder, { recursive: true })
  const lines = [
    ...[`id = "${id}"`, 'type = "chat"', 'engine = "llama"', 'license = "mit"', 'context_length = 32768'],
    ...['[[files]]', 'role = "model"', `path = "${path}"`],
  ]
  await Bun.write(join(folder, `${encodeURIComponent(id)}.toml`), `${lines.join('\n')}\n`)
}

async function runCommand(command: readonly string[], args: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, log] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`inferd ${args[0]} failed: ${log}`)
  return output
}

/** Returns the address in the first `listening` line; undefined if the output ends without one. */
async function listeningUrl(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  for await (const line of textParts(output)) {
    if (line.includes('"listening"')) return readText(JSON.parse(line), 'url')
  }
  return undefined
}

function readText(value: unknown, field: string): string {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  if (typeof text !== 'string') throw new Error(`inferd printed no "${field}": ${JSON.stringify(value)}`)
  return text
}
