import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface ModelBytes {
  readonly graphBytes: number
  /** Weights in separate files, which lie beside the graph under names that begin with the graph's. */
  readonly besideBytes: number
}

/** Throws where the graph is not there. */
export function modelBytes(modelPath: string): ModelBytes {
  const [folder, name] = [dirname(modelPath), basename(modelPath)]
  const beside = readdirSync(folder).filter((other) => other.startsWith(name) && other !== name)
  return {
    graphBytes: statSync(modelPath).size,
    besideBytes: beside.reduce((sum, other) => sum + statSync(join(folder, other)).size, 0),
  }
}
