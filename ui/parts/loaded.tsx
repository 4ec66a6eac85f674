import type { ComponentChildren } from 'preact'
import type { Answer } from '../api/use-answer.ts'
import { texts } from '../texts/texts.ts'
import { FailureBox } from './failure-box.tsx'
import { nowMs } from './time.tsx'
import { timeFromNow } from './time-text.ts'

interface LoadedProps<Data> {
  readonly answer: Answer<Data>
  readonly children: (data: Data) => ComponentChildren
  /** Number of grey placeholder lines. Defaults to 3. */
  readonly lines?: number
}

/** Shows data of the server in all its states: loading, loaded, failed, and stale, which is greyed. */
export function Loaded<Data>({ answer, children, lines = 3 }: LoadedProps<Data>) {
  const { data, failure, loadedAtMs, reload } = answer
  if (data === undefined) return failure === undefined ? <Placeholder lines={lines} /> : failed()
  const age = loadedAtMs === undefined ? '' : timeFromNow(loadedAtMs, Math.max(nowMs.value, loadedAtMs))
  return (
    <>
      {failure !== undefined && failed()}
      {failure !== undefined && <p class="muted">{texts.shared.stale(age)}</p>}
      <div class={failure === undefined ? 'data' : 'data stale'}>{children(data)}</div>
    </>
  )

  function failed() {
    return failure === undefined ? null : <FailureBox failure={failure} onRetry={reload} />
  }
}

/** Shows grey lines in place of the data. The stylesheet shows them after 150 ms. */
export function Placeholder({ lines }: { readonly lines: number }) {
  return (
    <div class="placeholder" aria-busy="true">
      <span class="unseen">{texts.shared.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="placeholder-line" />
      ))}
    </div>
  )
}

/** Explains why a list is empty and offers the next step. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  )
}
