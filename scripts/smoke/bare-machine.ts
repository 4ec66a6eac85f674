import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunningServer } from './running-server.ts'

/**
 * Runs the executable in a separate folder as on an empty machine: its environment has only a home and a PATH, which
 * are empty folders. No Bun, Node, compiler or `node_modules` can be found from there.
 */
export class BareMachine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'inferd-smoke-'))
  readonly #executable = join(this.#folder, 'inferd')
  readonly dataDir = join(this.#folder, 'data')

  constructor(executable: string) {
    copyFileSync(executable, this.#executable)
    chmodSync(this.#executable, 0o755)
    for (const name of ['home', 'path', 'empty']) mkdirSync(join(this.#folder, name))
  }

  /** Runs a command to its end and returns its standard output. Throws with its standard error if it fails. */
  async run(...args: string[]): Promise<string> {
    const child = Bun.spawn([this.#executable, ...args], { ...this.#surroundings(), stdout: 'pipe', stderr: 'pipe' })
    const [output, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (code !== 0) throw new Error(`inferd ${args.join(' ')} ended with ${code}: ${errors}${output}`)
    return output
  }

  /** Starts a command that may be killed. */
  start(...args: string[]) {
    return Bun.spawn([this.#executable, ...args], { ...this.#surroundings(), stdout: 'ignore', stderr: 'ignore' })
  }

  /** Runs a command that prints JSON, and returns that. */
  async runJson(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.run(...args, '--data', this.dataDir, '--json'))
  }

  startServer(): RunningServer {
    const command = [this.#executable, 'serve', '--json', '--port', '0', '--data', this.dataDir]
    return new RunningServer(Bun.spawn(command, { ...this.#surroundings(), stdout: 'pipe', stderr: 'pipe' }))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #surroundings() {
    return {
      cwd: join(this.#folder, 'empty'),
      env: { HOME: join(this.#folder, 'home'), PATH: join(this.#folder, 'path') },
      stdin: 'ignore',
    } as const
  }
}
