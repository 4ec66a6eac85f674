/** Runs a task once the page has nothing else to do, unless the returned function is called before. */
export function whenIdle(task: () => void): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(task, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(task, { timeout: 1_000 })
  return () => cancelIdleCallback(handle)
}
