import type { DatabaseAnswer, DatabaseResults, DatabaseTask } from './database-worker.ts'

/** Path of the thread's program inside the executable; `scripts/build` names it as an entry. */
const embeddedProgram = './upkeep/database-worker.ts'

type TaskOf<Type extends DatabaseTask['type']> = Extract<DatabaseTask, { readonly type: Type }>

/**
 * Has a thread of its own do one task with a whole database, and ends it. Rejects with what went wrong there, and with the
 * signal's reason; a backup that was begun then leaves a folder that the next one removes.
 */
export function askDatabaseThread<Type extends DatabaseTask['type']>(
  task: TaskOf<Type>,
  signal?: AbortSignal,
): Promise<DatabaseResults[Type]> {
  const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
  const worker = new Worker(isEmbedded ? embeddedProgram : new URL('./database-worker.ts', import.meta.url).href)
  const { promise, resolve, reject } = Promise.withResolvers<DatabaseResults[Type]>()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  worker.onmessage = ({ data }: MessageEvent<DatabaseAnswer>) => {
    if ('problem' in data) reject(new Error(data.problem))
    else resolve(data.result as DatabaseResults[Type]) // the one of its task
  }
  worker.onerror = ({ message }) => reject(new Error(`the thread that reads the database has failed: ${message}`))
  worker.addEventListener('close', () => reject(new Error('the thread that reads the database has ended')))
  worker.postMessage(task)
  return promise.finally(() => {
    signal?.removeEventListener('abort', stop)
    worker.terminate()
  })
}
