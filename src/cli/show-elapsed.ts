import type { ProcessIo } from './io.ts'

/** Time between two updates of the line, in milliseconds. */
const updateEveryMs = 1_000

/** Shows on a terminal how long a work takes, after `quietMs` and until it ends. */
export async function showElapsed<Result>(
  { redraw }: Pick<ProcessIo, 'redraw'>,
  text: string,
  work: Promise<Result>,
  quietMs = 0,
): Promise<Result> {
  if (redraw === undefined) return work
  const startedMs = performance.now()
  let isShown = false
  const show = () => {
    const elapsedMs = performance.now() - startedMs
    if (elapsedMs < quietMs) return
    isShown = true
    redraw(`${text}  ${Math.floor(elapsedMs / 1000)} s`)
  }
  show()
  const timer = setInterval(show, updateEveryMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (isShown) redraw('')
  }
}
