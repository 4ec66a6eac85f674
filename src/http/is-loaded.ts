import type { HttpServices } from './services.ts'

/** Whether a model can serve at once. */
export function isLoaded(pool: Pick<HttpServices['pool'], 'status'>, modelId: string): boolean {
  return pool.status().some((engine) => engine.modelId === modelId && engine.state === 'ready')
}
