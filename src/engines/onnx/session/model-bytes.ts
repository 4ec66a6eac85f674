import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface ModelBytes {
  readonly graphBytes: number
  /** Size of separate weight files, which lie beside the graph under names that begin with its name. */
  readonly besideBytes: number
}

/** Throws if the graph file is missing. */
export function modelBytes(modelPath: string): ModelBytes {
  const [folder, name] = [dirname(modelPath), basename(modelPath)]
  const beside = readdirSync(folder).filter((other) => other.startsWith(name) && other !== name)
  return {
    graphBytes: statSync(modelPath).size,
    besideBytes: beside.reduce((sum, other) => sum + statSync(join(folder, other)).size, 0),
  }
}
