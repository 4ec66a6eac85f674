import { ApiError } from '../../core/errors.ts'
import { ownerOf } from '../../core/owner.ts'
import type { PoolReport } from '../../engines/pool.ts'
import type { Progress } from '../../wire/pages/progress.ts'
import type { KeyHolder } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import { idOf } from '../path-rules.ts'
import type { AccountCaller } from '../perform.ts'
import type { ProgressState, RequestProgress } from '../upload-progress.ts'

/** Time after which a page stops listening for an upload that never starts. */
const waitForUploadMs = 60_000
/** Interval at which the queue position is looked up. */
const positionMs = 1_000

/**
 * Serves GET progress/{id}: server-sent events on the request that sends this id as `x-progress-id`. The last is `done`
 * or `failed`.
 */
export function progress(
  exchange: Exchange<'streams' | 'uploads' | 'pool' | 'stores'>,
  { accountId, session = '' }: AccountCaller,
): Response {
  const { streams, uploads, pool, stores } = exchange.services
  const id = checkId(idOf(exchange.url), 'id')
  const owner = ownerOf({ accountId })
  const isSignedIn = () => stores.sessions.find(session)?.accountId === accountId
  return streams.answer(exchange, { accountId, isSignedIn }, (stream) => {
    let latest: ProgressState | undefined
    const send = (state: ProgressState) => {
      latest = state
      stream.set('progress', toProgress(state, pool.report()))
      if (state.phase === 'done' || state.phase === 'failed') stream.end()
    }
    const leave = uploads.listen(owner, id, send)
    const inVain = setTimeout(() => latest?.phase === 'waiting' && stream.end(), waitForUploadMs)
    const again = setInterval(() => latest?.phase === 'queued' && send(latest), positionMs)
    return () => {
      clearTimeout(inVain)
      clearInterval(again)
      leave()
    }
  })
}

/**
 * Returns the progress reporter of a request, for the person who sends it; undefined if it sends no id. Throws ApiError
 * 400 for a malformed id.
 */
export function progressOf(
  { request, services, keep }: Exchange<'uploads'>,
  { accountId, holderId, owner }: KeyHolder,
): RequestProgress | undefined {
  const id = request.headers.get('x-progress-id')
  if (id === null) return undefined
  const begun = services.uploads.begin(
    ownerOf({ accountId: holderId ?? accountId }),
    checkId(id, 'x-progress-id'),
    owner,
  )
  return begun && keep(begun)
}

/** Checks an id. Pages choose random ones, so that nobody else knows them. */
function checkId(id: string, param: string): string {
  if (/^[\w-]{16,64}$/.test(id)) return id
  const message = `'${param}' must be 16 to 64 letters, digits, - and _, made at random for each upload.`
  throw new ApiError('invalid_request', message, { code: 'invalid_value', param })
}

/**
 * Returns the event: the state without its private fields, with the queue position while the request waits for its
 * model.
 */
export function toProgress(
  { modelId, owner, ...state }: ProgressState,
  { queue }: Pick<PoolReport, 'queue'>,
): Progress {
  // The owner's first request for the model in the queue.
  const own = queue.find((waiting) => waiting.modelId === modelId && waiting.accountId === owner)
  return { ...state, position: state.phase === 'queued' ? (own?.ahead ?? null) : null }
}
