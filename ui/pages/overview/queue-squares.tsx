import { texts } from '../../texts/texts.ts'

/** More are counted. */
const shownSquares = 20

/** A filled square for each request that runs, an outlined one for each that waits. */
export function QueueSquares({ running, waiting }: { readonly running: number; readonly waiting: number }) {
  const all = running + waiting
  const label = texts.overview.queueText(running, waiting)
  if (all === 0) return <span class="squares muted">{texts.overview.idle}</span>
  return (
    <span class="squares" role="img" aria-label={label} title={label}>
      {Array.from({ length: Math.min(all, shownSquares) }, (_, index) => (
        <span key={index} class={index < running ? 'square running' : 'square'} />
      ))}
      {all > shownSquares && <span class="more">+{all - shownSquares}</span>}
    </span>
  )
}
