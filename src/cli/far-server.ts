import { serverVariables } from '../config/sources.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { type ChosenModel, type ListedModel, type NeededWork, usualModel } from './choose-model.ts'
import { type Io, UsageError } from './io.ts'
import type { UsedServer } from './with-server.ts'

interface ModelList {
  readonly data: readonly (ListedModel & { readonly canonical: string })[]
}

/** Server of another machine or user, which is known by its address. It loads models when they are requested. */
export class FarServer implements UsedServer {
  readonly api: ApiClient
  readonly signal: AbortSignal

  constructor(address: string, io: Io, signal: AbortSignal) {
    const url = serverUrl(address)
    let key: string | undefined
    this.signal = signal
    this.api = apiClient({
      connect: async () => {
        key ??= await keyFor(url, io)
        return { url, key, isHere: false }
      },
    })
  }

  async models(): Promise<ListedModel[]> {
    const { data } = await (await this.api.get('/models', this.signal)).json<ModelList>()
    return data.filter(({ id, canonical }) => id === canonical)
  }

  /** Returns a name as it is: the server itself refuses an unknown one, and knows similar ones. */
  async choose(work: NeededWork, name: string | undefined): Promise<ChosenModel> {
    return name === undefined ? usualModel(await this.models(), work, []) : { name, id: name }
  }

  async load(): Promise<void> {}
}

/** Returns the address without a path. Throws UsageError if the text is none. */
function serverUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`)
  const path = url?.pathname.replace(/\/$/, '')
  if (url === null || (path !== '' && path !== '/v1') || url.username !== '')
    throw new UsageError(`--url takes an address such as http://box.example:11500, not "${text}"`)
  return url.origin
}

/** Returns the key of the variable, or else asks for it. A flag would show it to other users of this machine. */
async function keyFor(url: string, io: Io): Promise<string> {
  const key = io.environment[serverVariables.key] || (await io.ask(`API key for ${url}: `, { isHidden: true }))
  if (key) return key.trim()
  throw new UsageError(`${serverVariables.key} must hold an API key for ${url}`)
}
