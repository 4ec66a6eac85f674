import { readFileSync } from 'node:fs'
import type { Subprocess } from 'bun'

/** A server under test and the events that it prints, one JSON object a line. */
export class RunningServer {
  readonly #child: Subprocess<'ignore', 'pipe', 'pipe'>
  readonly #startedMs = performance.now()
  readonly #log: Promise<string>
  readonly #events: AsyncGenerator<Record<string, unknown>>

  constructor(child: Subprocess<'ignore', 'pipe', 'pipe'>) {
    this.#child = child
    this.#log = new Response(child.stderr).text()
    this.#events = readEvents(child.stdout)
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Waits for the server to listen. `key` is the one that a first start makes. */
  async listening(): Promise<{ url: string; key: string | undefined; afterMs: number }> {
    let key: string | undefined
    while (true) {
      const next = await this.#events.next()
      if (next.done) throw new Error(`the server ended before it listened: ${await this.#log}`)
      const event = next.value
      if (typeof event.key === 'string') key = event.key
      if (event.event === 'listening') {
        return { url: String(event.url), key, afterMs: performance.now() - this.#startedMs }
      }
    }
  }

  /** Resident memory of the server alone, in MB. */
  residentMegabytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1000
  }

  /** Process ids of the engines that run now. */
  enginePids(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')
    return children
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number)
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('engine'))
  }

  /** Sends SIGTERM and returns the exit code. */
  async stop(): Promise<number> {
    this.#child.kill('SIGTERM')
    return this.#child.exited
  }

  /** For when a check has failed. */
  async killAndReadLog(): Promise<string> {
    this.#child.kill('SIGKILL')
    return this.#log
  }
}

async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}
