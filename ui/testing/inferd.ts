import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textParts } from '../../src/testing/text-parts.ts'

const root = join(import.meta.dir, '..', '..')

/** Tested program: the executable that INFERD_EXECUTABLE names, or the checkout with the pages of build/ui */
const program =
  process.env.INFERD_EXECUTABLE === undefined
    ? [process.execPath, join(root, 'src', 'main.ts')]
    : [process.env.INFERD_EXECUTABLE]

export interface InferdOptions {
  readonly programs?: string | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** `inferd serve` with a temporary data folder. It can be stopped and started again at the same address. */
export class Inferd implements AsyncDisposable {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'inferd-pages-'))
  /** API key that the first start printed */
  key = ''
  url = ''
  /** Address where programs look for Ollama. Empty without one. */
  ollamaUrl = ''
  #server: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined
  #log: Promise<string> = Promise.resolve('')
  readonly #environment: Readonly<Record<string, string>>

  /** Creates the data folder. `programs` is a folder put first in PATH, `environment` are variables of every start. */
  constructor({ programs, environment = {} }: InferdOptions = {}) {
    const path = [programs ?? [], process.env.PATH ?? []].flat().join(':')
    // The machine's own settings for inferd are left out.
    this.#environment = { PATH: path, HOME: process.env.HOME ?? '', ...environment }
  }

  /** Process id of the running server */
  get pid(): number {
    if (this.#server === undefined) throw new Error('no server runs')
    return this.#server.pid
  }

  /**
   * Starts the server and resolves when it listens. `flags` are those of `inferd serve`, `variables` are added to the
   * environment. The first start picks a free port, which later starts use too.
   */
  async start(flags: readonly string[] = [], variables: Readonly<Record<string, string>> = {}): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const words = ['serve', '--json', '--port', port, '--data', this.dataDir, ...flags]
    this.#server = Bun.spawn([...program, ...words], {
      ...{ env: { ...this.#environment, ...variables }, cwd: this.dataDir },
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    })
    this.#log = new Response(this.#server.stderr).text()
    for await (const line of textParts(this.#server.stdout)) {
      const event = JSON.parse(line)
      if (event.event === 'first-key') this.key = String(event.key)
      if (event.event !== 'listening') continue
      this.url = new URL(String(event.url ?? event.baseUrl)).origin
      this.ollamaUrl = event.ollamaUrl ?? ''
      return
    }
    throw new Error(`the server did not start: ${await this.#log}`)
  }

  /** Ends the server and returns its log. */
  async stop(): Promise<string> {
    this.#server?.kill('SIGTERM')
    await this.#server?.exited
    return this.#log
  }

  /** Resolves with the exit status once the server has ended by itself. */
  async ended(): Promise<number> {
    if (this.#server === undefined) throw new Error('no server runs')
    return this.#server.exited
  }

  /** Runs a command on the same data folder and returns its output. Rejects with the output if the command fails. */
  async run(...words: readonly string[]): Promise<string> {
    const child = Bun.spawn([...program, ...words, '--data', this.dataDir], {
      ...{ env: this.#environment, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    })
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(`inferd ${words.join(' ')}: ${out}${error}`)
    return out
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
