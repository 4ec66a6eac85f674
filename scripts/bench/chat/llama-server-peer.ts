import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Subprocess } from 'bun'
import type { Job, JobResult } from './job.ts'
import type { PeerOptions, PeerProcesses, ServerPeer } from './peer.ts'
import { type ChatTarget, streamChat } from './stream-chat.ts'

export interface LlamaServerOptions {
  readonly binary: string
  /**
   * True for one KV cache that all slots share, as in inferd, instead of a part for each. Ignored without sizes, for
   * llama-server's default.
   */
  readonly isUnified: boolean
}

/** llama.cpp's own server, over HTTP. */
export class LlamaServerPeer implements ServerPeer {
  readonly name: string
  readonly description: string
  readonly #arguments: readonly string[]
  readonly #logFile: string | undefined
  #process: Subprocess<'ignore', 'ignore', 'pipe'> | undefined
  #target: ChatTarget | undefined
  #log: Promise<string> = Promise.resolve('')

  constructor({ binary, isUnified }: LlamaServerOptions, peerOptions: PeerOptions) {
    this.name = isUnified ? 'llama-server-unified' : 'llama-server'
    const { model, projector, threads, sized, logFile, more } = peerOptions
    this.#logFile = logFile
    const options = [
      ...(sized === undefined ? [] : sizes(sized, isUnified)),
      ...['--threads', `${threads}`, '--threads-batch', `${threads}`, '--no-ui', '--jinja'],
      ...more,
    ]
    const files = ['--model', model, ...(projector === undefined ? [] : ['--mmproj', projector])]
    this.#arguments = [binary, ...files, '--host', '127.0.0.1', ...options]
    this.description = `llama-server ${options.join(' ')}`
  }

  async start(): Promise<number> {
    const port = await freePort()
    const startMs = performance.now()
    const child = Bun.spawn([...this.#arguments, '--port', `${port}`], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    this.#process = child
    this.#target = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'none', model: 'bench' }
    this.#log = child.stderr.text()
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw await this.#endedError(child)
      // Its health is the only sign that it is ready.
      await Bun.sleep(20)
    }
    return performance.now() - startMs
  }

  async run(jobs: readonly Job[]): Promise<JobResult[]> {
    const target = this.target()
    const child = this.#process
    if (child === undefined) throw new Error('not started')
    try {
      return await Promise.all(jobs.map((job) => streamChat(target, job)))
    } catch (error) {
      // A broken connection often precedes the end of the process.
      await Promise.race([child.exited, Bun.sleep(1000)])
      throw child.exitCode !== null || child.signalCode !== null ? await this.#endedError(child) : error
    }
  }

  target(): ChatTarget {
    if (this.#target === undefined) throw new Error('not started')
    return this.#target
  }

  processes(): PeerProcesses {
    return this.#process === undefined ? {} : { engine: this.#process.pid }
  }

  async stop(): Promise<void> {
    this.#process?.kill()
    await this.#process?.exited
    if (this.#logFile !== undefined) appendFileSync(this.#logFile, `=== ${this.description}\n${await this.#log}\n`)
  }

  async #endedError(child: Subprocess): Promise<Error> {
    const log = (await this.#log).slice(-2000)
    return new Error(`llama-server ended with ${child.signalCode ?? child.exitCode}: ${log}`)
  }
}

function sizes({ streams, contextTokens }: NonNullable<PeerOptions['sized']>, isUnified: boolean): string[] {
  const cache = ['--parallel', `${streams}`, '--ctx-size', `${streams * contextTokens}`]
  // Saving evicted prompts to host memory would only cost time, since prompts never come back.
  return [...cache, '--cache-ram', '0', isUnified ? '--kv-unified' : '--no-kv-unified']
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2000)
    return (await fetch(`http://127.0.0.1:${port}/health`, { keepalive: false, signal })).ok
  } catch {
    // Not listening yet.
    return false
  }
}

/** A free port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
}
