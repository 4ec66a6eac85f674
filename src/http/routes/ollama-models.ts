/** Model management of Ollama's API, for keys of operators' accounts. */
import { type Download, downloadError } from '../../core/download.ts'
import { ApiError } from '../../core/errors.ts'
import { findModelBySpelling } from '../../inference/resolve-model.ts'
import { check, presentFields } from '../../wire/check.ts'
import { askedModel } from '../../wire/ollama/models.ts'
import {
  firstPullLine,
  lastPullLines,
  OllamaDeleteBody,
  OllamaPullBody,
  pullSucceeded,
  toPullLines,
} from '../../wire/ollama/pull.ts'
import { answerBody } from '../answer-body.ts'
import type { KeyHolder } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import { type Performing, perform } from '../perform.ts'
import { readJson } from '../read-json.ts'

type Managing = Performing & Exchange<'catalog'>

/**
 * Serves POST /api/pull: downloads a missing model. Some programs request that at every start, so no operator is
 * needed. The download continues when the client disconnects, and a second request follows the running one.
 */
export async function ollamaPull(exchange: Managing, holder: KeyHolder): Promise<Response> {
  const { observer } = exchange
  const fields = check(OllamaPullBody, presentFields(await readJson(exchange)))
  const { stream = true } = fields
  const asked = askedModel(fields)
  const entry = known(exchange, asked)?.entry
  observer.model = entry?.manifest.id
  if (entry?.status.kind === 'ready')
    return stream ? lines(firstPullLine + lastPullLines) : Response.json(pullSucceeded)
  const operator = requireOperatorKey(exchange, holder)
  if (entry === undefined) throw notInCatalog(asked)
  const { id } = entry.manifest
  await perform(exchange, operator, 'models-pull', { source: id }).catch((error: unknown) => {
    throw withAdvice(error)
  })
  const download = followed(exchange, id)
  if (!stream) {
    exchange.limitSilence(false)
    const ended = await download.end()
    const { state } = ended
    if (state === 'done') return Response.json(pullSucceeded)
    const error = downloadError(ended)
    throw new ApiError('engine', `The download of ${id} ${state}${error === undefined ? '' : `: ${error}`}.`, {
      code: 'pull_failed',
    })
  }
  const digest = new Bun.CryptoHasher('sha256').update(id).digest('hex')
  const body = answerBody(exchange, {
    async write({ send }) {
      await send([firstPullLine])
      for await (const state of download.states()) await send([toPullLines(state, digest)])
    },
    end: async () => download.stop(),
  })
  return lines(body)
}

function lines(body: string | ReadableStream): Response {
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}

function known({ services }: Exchange<'catalog'>, name: string) {
  try {
    return findModelBySpelling(services.catalog, name)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'model_not_found') return undefined
    throw error
  }
}

/** Returns a 404 whose message begins as Ollama's, which clients recognize. */
function notInCatalog(name: string): ApiError {
  const advice = "'inferd list' shows its models, and 'inferd pull' on the machine of the server fetches others."
  const message = `pull model manifest: "${name.slice(0, 100)}" is not in the catalog of this server; ${advice}`
  return new ApiError('not_found', message, { code: 'model_not_found' })
}

function withAdvice(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'license_not_accepted') return error
  const advice = "Accept it on the operator's pages, or by 'inferd pull' on the machine of the server."
  return new ApiError('permission', `${error.message} ${advice}`, { code: error.code })
}

/** Yields the states of a download until it ends. A slow client misses states between. */
function followed({ request: { signal }, services }: Exchange<'server'>, id: string) {
  const pulls = services.server?.library.pulls
  let latest: Download | undefined = pulls?.states().find(({ model }) => model === id)
  let changed = Promise.withResolvers<void>()
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const unfollow = pulls?.follow((state) => {
    if (state.model !== id) return
    latest = state
    wake()
  })
  signal.addEventListener('abort', wake)
  async function* states() {
    let told: Download | undefined
    while (latest !== undefined && !signal.aborted) {
      if (latest === told) {
        await changed.promise
        continue
      }
      told = latest
      yield told
      if (told.state !== 'running') return
    }
  }
  const stop = () => {
    signal.removeEventListener('abort', wake)
    unfollow?.()
  }
  const end = async () => {
    for await (const state of states()) if (state.state !== 'running') return state
    throw new Error('the client disconnected before the download ended')
  }
  return { states, end: () => end().finally(stop), stop }
}

/** Serves DELETE /api/delete: removes a model's files from this disk. */
export async function ollamaDelete(exchange: Managing, holder: KeyHolder): Promise<Response> {
  const operator = requireOperatorKey(exchange, holder)
  const asked = askedModel(check(OllamaDeleteBody, presentFields(await readJson(exchange))))
  const { id } = findModelBySpelling(exchange.services.catalog, asked).entry.manifest
  exchange.observer.model = id
  await perform(exchange, operator, 'models-remove', { model: id })
  return new Response(null, { status: 200 })
}

/** Serves POST /api/copy, create, push and blobs, which are unsupported: models are described by manifests here. */
export function ollamaUnsupported({ url }: Exchange): Response {
  const [, , verb = ''] = url.pathname.split('/')
  const message = `'${verb}' is not supported by this server: its models are described by manifests. See docs/models.md.`
  throw new ApiError('invalid_request', message, { code: 'unsupported_operation' })
}

/** Serves HEAD /api/blobs/sha256:…: clients then upload the file, which is refused. */
export function noOllamaBlobs(): Response {
  throw new ApiError('not_found', 'This server takes no files by their digest.', { code: 'not_found' })
}

/** Throws ApiError 403 without a key of an operator's account, also for programs of this machine that need none. */
function requireOperatorKey({ services, baseUrl }: Exchange<'stores'>, { accountId, isKeyless }: KeyHolder) {
  if (isKeyless === true || !services.stores.accounts.isOperator(accountId)) {
    throw new ApiError('permission', "This takes a key of an operator's account: 'Authorization: Bearer <key>'.", {
      code: 'operator_only',
    })
  }
  return { kind: 'operator', actor: `operator:${accountId}`, accountId, baseUrl } as const
}
