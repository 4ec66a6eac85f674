import type { ProcessIo } from './io.ts'

/** Time between two updates of the line, in milliseconds. */
const updateEveryMs = 1_000

/** Shows on a terminal how long a work takes, until it ends. */
export async function showElapsed<Result>(io: ProcessIo, text: string, work: Promise<Result>): Promise<Result> {
  const { redraw } = io
  if (redraw === undefined) return work
  const startedMs = performance.now()
  const show = () => redraw(`${text}  ${Math.floor((performance.now() - startedMs) / 1000)} s`)
  show()
  const timer = setInterval(show, updateEveryMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
    redraw('')
  }
}
