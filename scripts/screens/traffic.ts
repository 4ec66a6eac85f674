/** Requests that keep the invented models busy while pictures are taken. */
import { scripted } from '../../ui/testing/chat.ts'
import type { Inferd } from '../../ui/testing/inferd.ts'
import { type InventedModel, inventedModels } from './box.ts'

/** Busy models, and the number of parallel requests to each. The others stay unloaded. */
export const busyModels = inventedModels
  .map((model, index) => [model, [5, 2][index] ?? 0] as const)
  .filter(([, parallel]) => parallel > 0)

/** Sends requests until it is disposed of, each as soon as the previous one has ended. */
export class Traffic implements AsyncDisposable {
  readonly #inferd: Inferd
  readonly #stopping = new AbortController()
  readonly #turns: Promise<void>[] = []

  constructor(inferd: Inferd) {
    this.#inferd = inferd
  }

  begin({ id }: InventedModel, parallel: number): void {
    for (let turn = 0; turn < parallel; turn += 1) this.#turns.push(this.#ask(id, turn))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#turns)
  }

  async #ask(model: string, turn: number): Promise<void> {
    const { url, key } = this.#inferd
    const { signal } = this.#stopping
    for (let count = 1; !signal.aborted; count += 1) {
      const tokens = { repeat: 60 + 37 * ((turn + count) % 5), script: [{ text: 'word ' }, { delayMs: 20 + 5 * turn }] }
      const more = { promptTokens: 180 * (turn + 1) + 31 * (count % 40), cachedTokens: 64 * turn }
      const content = scripted([{ delayMs: 60 + ((count * 37 + turn * 53) % 120) }, tokens], more)
      await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
        signal,
      })
        .then((response) => response.text())
        .catch(() => undefined) // It was stopped.
    }
  }
}

const startMs = 30_000

/** Returns the process id of a model's engine as soon as there is one. Rejects if none starts. */
export async function pidOf({ url }: Inferd, { id }: InventedModel, session: string): Promise<number> {
  const headers = { cookie: `inferd_session=${session}`, origin: url, 'content-type': 'application/json' }
  for (const begunMs = Date.now(); Date.now() - begunMs < startMs; ) {
    const response = await fetch(`${url}/admin/api/operations/models-status`, { method: 'POST', headers, body: '{}' })
    const { result } = (await response.json()) as { result: { engines: { modelId: string; pid: number | null }[] } }
    const pid = result.engines.find(({ modelId }) => modelId === id)?.pid
    if (pid) return pid
    await Bun.sleep(50)
  }
  throw new Error(`the engine of ${id} did not start within ${startMs} ms`)
}
