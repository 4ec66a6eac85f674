import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Job, JobResult } from './job.ts'
import type { Peer, PeerProcesses } from './peer.ts'
import { childrenOf } from './process-usage.ts'
import { type BenchSettings, contextTokensPerStream, mostStreams } from './settings.ts'
import { type ChatTarget, streamChat } from './stream-chat.ts'

const modelId = 'bench/chat'

interface Running {
  readonly process: Subprocess<'ignore', 'pipe', 'pipe'>
  readonly data: string
  readonly target: ChatTarget
}

/** inferd over HTTP, with a data folder of its own that holds nothing but the benchmark's model. */
export class InferdPeer implements Peer {
  readonly name = 'inferd'
  readonly description: string
  readonly #command: readonly string[]
  readonly #options: readonly string[]
  readonly #model: string
  #running: Running | undefined

  constructor(settings: BenchSettings, model: string) {
    const streams = mostStreams(settings)
    this.#command = settings.inferd
    this.#model = model
    this.#options = [
      ...['--parallel', `${streams}`, '--context-tokens', `${streams * contextTokensPerStream(settings)}`],
      ...['--request-tokens', `${contextTokensPerStream(settings)}`],
      ...['--threads', `${settings.threads}`, '--device', 'cpu'],
      ...settings.inferdArgs,
    ]
    this.description = `${settings.inferd.join(' ')} serve ${this.#options.join(' ')}`
  }

  async start(): Promise<number> {
    const data = mkdtempSync(join(tmpdir(), 'inferd-bench-'))
    await this.#runCommand(['import', this.#model, '--id', modelId, '--data', data, '--json'])
    const created: unknown = JSON.parse(
      await this.#runCommand(['keys', 'create', '--name', 'bench', '--data', data, '--json']),
    )
    const startMs = performance.now()
    const child = Bun.spawn(
      [...this.#command, 'serve', '--data', data, '--host', '127.0.0.1', '--port', '0', '--json', ...this.#options],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    )
    const log = child.stderr.text()
    const url = await listeningUrl(child.stdout)
    const tookMs = performance.now() - startMs
    if (url === undefined) throw new Error(`inferd ended: ${(await log).slice(-2000)}`)
    const target = { baseUrl: `${url}/v1`, apiKey: readText(created, 'key'), model: modelId }
    this.#running = { process: child, data, target }
    return tookMs
  }

  run(jobs: readonly Job[]): Promise<JobResult[]> {
    const running = this.#running
    if (running === undefined) throw new Error('not started')
    return Promise.all(jobs.map((job) => streamChat(running.target, job)))
  }

  processes(): PeerProcesses {
    if (this.#running === undefined) return {}
    const server = this.#running.process.pid
    const [engine] = childrenOf(server)
    return engine === undefined ? { server } : { server, engine }
  }

  async stop(): Promise<void> {
    this.#running?.process.kill()
    await this.#running?.process.exited
    if (this.#running !== undefined) rmSync(this.#running.data, { recursive: true })
    this.#running = undefined
  }

  async #runCommand(args: readonly string[]): Promise<string> {
    const child = Bun.spawn([...this.#command, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [output, log] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (child.exitCode !== 0) throw new Error(`inferd ${args[0]} failed: ${log}`)
    return output
  }
}

/** The address in the first `listening` line; undefined when the output ends without. The rest is drained. */
function listeningUrl(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of output) {
      text += decoder.decode(bytes, { stream: true })
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      const line = lines.find((candidate) => candidate.includes('"listening"'))
      if (line !== undefined) resolve(readText(JSON.parse(line), 'url'))
    }
    resolve(undefined)
  }
  read().catch(reject)
  return promise
}

function readText(value: unknown, field: string): string {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  if (typeof text !== 'string') throw new Error(`inferd printed no "${field}": ${JSON.stringify(value)}`)
  return text
}
