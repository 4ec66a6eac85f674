/** Loads a speech model on the GPU of its placement if it computes there, else on the CPU. */

import { errorText } from '../../core/error-text.ts'
import type { Placement } from '../../core/memory.ts'
import { log } from './operator-log.ts'

interface LoadedOn<Loaded> {
  readonly loaded: Loaded
  readonly provider: 'cuda' | 'cpu'
  /** Reason why the model runs on the CPU although a GPU could be expected. */
  readonly remark: string | undefined
}

/**
 * Loads a model with `load`. On the GPU also tries it with `compute`, since a missing library shows only then. If
 * either fails there, or the last load killed the process, loads the model on the CPU. Rejects with the error of
 * `load` there.
 */
export async function loadOnDevice<Loaded>(
  { placement, isCautious }: { readonly placement?: Placement['load'] | undefined; readonly isCautious: boolean },
  load: (provider: 'cuda' | 'cpu') => Promise<Loaded>,
  compute: (loaded: Loaded) => Promise<unknown>,
): Promise<LoadedOn<Loaded>> {
  let remark = placement?.noGpuBecause === undefined ? undefined : String(placement.noGpuBecause)
  if (placement?.device === 'cuda') {
    if (isCautious) remark = 'its last load on the GPU killed the engine'
    else {
      try {
        const loaded = await load('cuda')
        await compute(loaded)
        return { loaded, provider: 'cuda', remark: undefined }
      } catch (error) {
        remark = `it failed on the GPU: ${errorText(error)}`
      }
    }
  }
  if (remark !== undefined) log(`runs on the CPU: ${remark}`)
  return { loaded: await load('cpu'), provider: 'cpu', remark }
}
