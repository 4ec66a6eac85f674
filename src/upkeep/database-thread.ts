import { WorkerThread } from '../core/worker-thread.ts'
import type { DatabaseAnswer, DatabaseResults, DatabaseTask } from './database-worker.ts'

type TaskOf<Type extends DatabaseTask['type']> = Extract<DatabaseTask, { readonly type: Type }>

/**
 * Runs one task on a whole database in a thread, and ends the thread. Rejects with the task's error, and with the
 * signal's reason. An aborted backup leaves a folder that the next backup removes.
 */
export async function askDatabaseThread<Type extends DatabaseTask['type']>(
  task: TaskOf<Type>,
  signal?: AbortSignal,
): Promise<DatabaseResults[Type]> {
  using thread = new WorkerThread<DatabaseTask, DatabaseAnswer>({
    program: 'upkeep/database-worker.ts',
    name: 'the thread that reads the database',
  })
  const answer = await thread.ask(task, { signal })
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.result as DatabaseResults[Type] // the one of its task
}
