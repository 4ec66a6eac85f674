import { readFileSync } from 'node:fs'
import type { Subprocess } from 'bun'
import { textParts } from '../../src/testing/text-parts.ts'
import { childrenOf } from '../shared/process-usage.ts'

/** Server under test, and the events that it prints, one JSON object per line. */
export class RunningServer {
  readonly #child: Subprocess<'ignore', 'pipe', 'pipe'>
  readonly #startedMs = performance.now()
  readonly #log: Promise<string>

  constructor(child: Subprocess<'ignore', 'pipe', 'pipe'>) {
    this.#child = child
    this.#log = new Response(child.stderr).text()
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Waits for the server to listen. `key`: the key that a first start makes. */
  async listening(): Promise<{ url: string; key: string | undefined; afterMs: number }> {
    let key: string | undefined
    for await (const line of textParts(this.#child.stdout)) {
      const event = JSON.parse(line)
      if (typeof event.key === 'string') key = event.key
      if (event.event === 'listening') {
        return { url: String(event.url), key, afterMs: performance.now() - this.#startedMs }
      }
    }
    throw new Error(`the server ended before it listened: ${await this.#log}`)
  }

  /** Returns the process ids of the running engines. */
  enginePids(): number[] {
    return childrenOf(this.pid).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('engine'),
    )
  }

  /** Sends SIGTERM and returns the exit code. */
  async stop(): Promise<number> {
    this.#child.kill('SIGTERM')
    return this.#child.exited
  }

  /** Kills the server and returns its log. For use after a failed check. */
  async killAndReadLog(): Promise<string> {
    this.#child.kill('SIGKILL')
    return this.#log
  }
}
