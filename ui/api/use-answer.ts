import { useSignalEffect } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { reconnections } from './connection.ts'
import { asFailure, type RequestFailure } from './failure.ts'
import { request } from './request.ts'

/** Latest data of the server and the failure of a later request. Old data stays while newer data loads. */
export interface Answer<Data> {
  readonly data: Data | undefined
  readonly failure: RequestFailure | undefined
  readonly isLoading: boolean
  /** Milliseconds UTC at which `data` arrived. */
  readonly loadedAtMs: number | undefined
  /** Repeats the request; resolves when the answer is shown. */
  readonly reload: () => Promise<void>
}

export interface AnswerOptions {
  /** Polling interval in milliseconds, used while the page is visible. Undefined disables polling. */
  readonly everyMs?: number
}

/** Returns the answer to a GET request. An undefined path sends no request. */
export function useAnswer<Data>(path: string | undefined, options?: AnswerOptions): Answer<Data> {
  return useLoaded(path, (signal) => request<Data>(path ?? '', { signal }), options)
}

type State<Data> = Omit<Answer<Data>, 'reload'>

/** Loads at once, when `key` changes, on reconnection, on focus of the window, and at an interval if there is one. */
export function useLoaded<Data>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs }: AnswerOptions = {},
): Answer<Data> {
  const [state, setState] = useState<State<Data>>({
    data: undefined,
    failure: undefined,
    isLoading: key !== undefined,
    loadedAtMs: undefined,
  })
  const latest = useRef(load)
  latest.current = load
  const running = useRef<AbortController | undefined>(undefined)

  const reload = useCallback(async () => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setState((before) => ({ ...before, isLoading: true }))
    try {
      const data = await latest.current(own.signal)
      if (!own.signal.aborted) setState({ data, failure: undefined, isLoading: false, loadedAtMs: Date.now() })
    } catch (error) {
      if (!own.signal.aborted) setState((before) => ({ ...before, failure: asFailure(error), isLoading: false }))
    }
  }, [])

  useEffect(() => {
    if (key === undefined) return
    void reload()
    return () => running.current?.abort()
  }, [key, reload])

  useEffect(() => {
    if (key === undefined || everyMs === undefined) return
    const refresh = () => {
      if (document.visibilityState === 'visible') void reload()
    }
    const timer = setInterval(refresh, everyMs)
    globalThis.addEventListener('focus', refresh)
    return () => {
      clearInterval(timer)
      globalThis.removeEventListener('focus', refresh)
    }
  }, [key, everyMs, reload])

  const seen = useRef(reconnections.value)
  useSignalEffect(() => {
    if (reconnections.value === seen.current) return
    seen.current = reconnections.value
    if (key !== undefined) void reload()
  })

  return { ...state, reload }
}
