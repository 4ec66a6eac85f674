import { useEffect, useRef, useState } from 'preact/hooks'
import { asFailure, type RequestFailure } from '../../api/failure.ts'
import { respond } from '../../api/request.ts'
import { refreshMe } from '../../api/session.ts'

/** One request to a model at a time. A result stays until the next one arrives. */
export interface Call<Result> {
  readonly result: Result | undefined
  readonly failure: RequestFailure | undefined
  readonly isRunning: boolean
  /** Starts work. Its signal aborts at `stop`, at the next start, and when the page is left. */
  readonly start: (work: (signal: AbortSignal) => Promise<Result>) => Promise<void>
  readonly stop: () => void
  /** Clears the last request's failure, for example when the input changes. */
  readonly forgetFailure: () => void
  /** Replaces the shown result, also before the work is done. */
  readonly show: (result: Result | undefined) => void
}

export function useCall<Result>(): Call<Result> {
  const [result, show] = useState<Result>()
  const [failure, setFailure] = useState<RequestFailure>()
  const [isRunning, setIsRunning] = useState(false)
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = async (work: (signal: AbortSignal) => Promise<Result>) => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setIsRunning(true)
    setFailure(undefined)
    try {
      const made = await work(own.signal)
      if (!own.signal.aborted) show(made)
    } catch (error) {
      if (!own.signal.aborted) setFailure(asFailure(error))
    }
    if (running.current !== own) return
    setIsRunning(false)
    void refreshMe()
  }
  const stop = () => running.current?.abort()
  const forgetFailure = () => setFailure(undefined)
  return { result, failure, isRunning, start, stop, show, forgetFailure }
}

/** JSON answer of a playground route, and the id of the request's receipt */
interface JsonAnswer<Answer> {
  readonly answer: Answer
  readonly requestId: string
}

export async function postJson<Answer>(path: string, body: object, signal: AbortSignal): Promise<JsonAnswer<Answer>> {
  const response = await respond(`/dashboard/v1${path}`, { method: 'POST', body, signal })
  return { answer: await response.json(), requestId: response.headers.get('x-request-id') ?? '' }
}
